"""Plane geometry against shapely, which computes the same by another method."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from whatif.engine.random_streams import stream
from whatif.world.drawing import geometry

SQUARE = np.array([(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)])


def _star(generator: np.random.Generator, corners: int) -> geometry.Points:
    angle = 2 * np.pi * (np.arange(corners) + generator.uniform(-0.3, 0.3, corners)) / corners
    reach = generator.uniform(20, 100, corners)
    centre = generator.uniform(80, 120, 2)
    return centre + reach[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)


@pytest.mark.parametrize("number", range(40))
def test_areas_insides_and_distances_are_those_of_shapely(number: int) -> None:
    generator = stream(0, "geometry", number)
    first, second = (_star(generator, int(generator.integers(3, 9))) for _ in range(2))
    if number % 2:
        second = second[::-1]
    polygons = shapely.Polygon(first), shapely.Polygon(second)
    assert all(polygon.is_valid for polygon in polygons)
    points = generator.uniform(0, 200, (500, 2))
    assert geometry.area(first) == pytest.approx(polygons[0].area)
    assert np.array_equal(geometry.inside(points, first), shapely.contains_xy(polygons[0], points))
    distances = shapely.distance(polygons[1].exterior, shapely.points(points))
    assert geometry.distance_to_outline(points, second) == pytest.approx(distances)
    both = polygons[0].intersection(polygons[1]).area
    assert geometry.intersection_area(first, second) == pytest.approx(both, abs=1e-6)
    shares = geometry.region_shares(first, second, 200)
    assert shares[0] == pytest.approx(both / 40_000) and sum(shares) == pytest.approx(1)
    met = polygons[0].exterior.intersection(polygons[1].exterior)
    assert (geometry.crossings(first, second)[0] < 1).sum() == len(getattr(met, "geoms", [] if met.is_empty else [met]))


def test_disjoint_and_nested_polygons() -> None:
    assert geometry.intersection_area(SQUARE, SQUARE + 10) == 0
    assert geometry.intersection_area(SQUARE * 10, SQUARE + 10) == pytest.approx(16)
    assert geometry.region_shares(SQUARE * 2, SQUARE + 1, 8) == pytest.approx((0.25, 0.75, 0, 0))


def test_crossing_angle() -> None:
    turned = np.array([(2.0, -1.0), (6.0, 3.0), (6.0, -1.0)])
    places, sines = geometry.crossings(SQUARE, turned)
    assert places[places < 1].tolist() == [0.75, 0.25]
    assert sines[places < 1] == pytest.approx(np.sqrt([0.5, 0.5]))


def test_smallest_gap() -> None:
    centres = np.array([(0.0, 0.0), (10.0, 0.0), (3.0, 4.0)])
    assert geometry.smallest_gap(centres, np.array([1.0, 1.0, 2.0])) == pytest.approx(2)
    assert geometry.smallest_gap(centres[:1], np.ones(1)) == np.inf
    assert geometry.smallest_gap(np.empty((0, 2)), np.empty(0)) == np.inf
