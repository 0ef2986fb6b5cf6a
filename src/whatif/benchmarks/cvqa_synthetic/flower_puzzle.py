"""Lays out flower puzzles: two polygons that form four regions, with given numbers of flowers in them (C-VQA 3.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from whatif.benchmarks.cvqa_synthetic.scatter import SMALLEST_GAP, scatter, spacing
from whatif.benchmarks.cvqa_synthetic.settings import GeneratePuzzles
from whatif.engine.errors import WhatifError
from whatif.world.drawing.geometry import Numbers, Points, crossings, distance_to_outline, inside, region_shares

# Lengths are fractions of the image's side.
OUTLINE_WIDTH = 0.012
OUTLINE_MARGIN = 0.008  # between an outline and a flower, and between two outlines that do not cross
PICTURE_MARGIN = 0.012
LARGEST_RADIUS = 0.05  # of a flower
COMFORTABLE_RADIUS = 0.03
SMALLEST_RADIUS = 0.022  # of a recognisable flower
SMALLEST_CROSSING = np.sin(np.radians(30))  # flatter crossings look like one outline
_CANDIDATES_A_SIDE = 44
_ATTEMPTS = 600
_COMFORTABLE_ATTEMPTS = 20  # after these, flowers may be smaller than comfortable
_FLOWER_KINDS = (2, 5)  # minimum and maximum number of different flowers in an image
_LARGEST_COVERAGE = 0.5  # maximum fraction of a region covered by flowers and gaps, for random placement


def lay_out_flowers(
    counts: Sequence[int],
    colours: tuple[str, str],
    flower_ids: Sequence[str],
    settings: GeneratePuzzles,
    generator: np.random.Generator,
) -> dict[str, Any]:
    """The columns `polygons`, `flowers`, `circles` and `dot_radius` of a row of the table `puzzles`.

    `counts` are the flowers inside both polygons, only the first, only the second, and outside both. Every region is
    connected and has at least `smallest_region` of the image. A flower's disc keeps a distance from outlines, from the
    image's border and, by `smallest_gap` of its radius, from other flowers, and always at least a visible distance. The
    numbers of flowers only affect how often a layout is retried, so every planned puzzle is drawn.

    Raises WhatifError, naming what to change, when no layout fits.
    """
    side = settings.image_size
    for attempt in range(_ATTEMPTS):
        polygons = _draw_polygons(side, generator)
        if polygons is None:
            continue
        shares = region_shares(*polygons, side)
        if min(shares) < settings.smallest_region:
            continue
        smallest = COMFORTABLE_RADIUS if attempt < _COMFORTABLE_ATTEMPTS else SMALLEST_RADIUS
        radii = range(_expected_radius(counts, shares, settings), int(np.ceil(smallest * side)) - 1, -1)
        placed = _place_flowers(counts, polygons, radii, settings, generator) if radii else None
        if placed is not None:
            radius, places = placed
            return {
                "polygons": [_polygon(*named) for named in zip(colours, polygons, strict=True)],
                "flowers": _flowers(places, radius, flower_ids, generator),
                "circles": [],
                "dot_radius": None,
            }
    raise WhatifError(
        f"generate.cvqa-synthetic: no room for {sum(counts)} flowers with a gap of {settings.smallest_gap} radii in "
        f"regions of at least {settings.smallest_region} of {side} x {side} pixels; lower flowers_per_region.high, "
        "smallest_gap or smallest_region"
    )


def outlines_are_distinct(first: Points, second: Points, side: float) -> bool:
    """Whether two outlines can be followed by eye.

    They cross exactly twice, so that each of the four regions is connected, at 30 degrees or more; and the corners of
    one keep three outline widths from the other, so that they never run side by side.
    """
    places, sines = crossings(first, second)
    if (places < 1).sum() != 2 or sines.min() < SMALLEST_CROSSING:
        return False
    corner_distance = min(distance_to_outline(first, second).min(), distance_to_outline(second, first).min())
    return bool(corner_distance >= 3 * OUTLINE_WIDTH * side)


def _draw_polygons(side: int, generator: np.random.Generator) -> tuple[Points, Points] | None:
    """Two polygons on opposite sides of the centre that overlap there; None if they make a confusing image."""
    direction = generator.uniform(0, 2 * np.pi)
    away = np.array([np.cos(direction), np.sin(direction)]) * generator.uniform(0.11, 0.16)
    middle = 0.5 + generator.uniform(-0.03, 0.03, 2)
    first = _draw_polygon(middle + away, side, generator)
    second = _draw_polygon(middle - away, side, generator)
    corners = np.concatenate([first, second])
    margin = (PICTURE_MARGIN + OUTLINE_WIDTH) * side
    if corners.min() < margin or corners.max() > side - margin or not outlines_are_distinct(first, second, side):
        return None
    return first, second


def _draw_polygon(centre: Numbers, side: int, generator: np.random.Generator) -> Points:
    """Four to eight corners around a centre, all visible from it, on multiples of a quarter pixel.

    Short binary fractions are the same on every machine, even if the last digit of its sine differs.
    """
    corners = int(generator.integers(4, 8, endpoint=True))
    turns = (np.arange(corners) + generator.uniform(-0.3, 0.3, corners)) / corners + generator.uniform()
    reach = generator.uniform(0.26, 0.38, corners)
    angle = 2 * np.pi * turns
    points = centre + reach[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    rounded: Points = np.round(points * side * 4) / 4
    return rounded


def _place_flowers(
    counts: Sequence[int],
    polygons: tuple[Points, Points],
    radii: Iterable[int],
    settings: GeneratePuzzles,
    generator: np.random.Generator,
) -> tuple[int, list[Points]] | None:
    """The first of the radii, in whole pixels, at which the flowers fit, and their positions by region."""
    side = settings.image_size
    places = _candidates(side, generator)
    in_first, in_second = (inside(places, polygon) for polygon in polygons)
    regions = np.where(in_first, np.where(in_second, 0, 1), np.where(in_second, 2, 3))
    to_outline = np.minimum(*(distance_to_outline(places, polygon) for polygon in polygons))
    to_border = np.minimum(places, side - places).min(axis=1)
    outline_margin = OUTLINE_WIDTH / 2 * side + max(OUTLINE_MARGIN * side, SMALLEST_GAP)
    room = np.minimum(to_outline - outline_margin, to_border - PICTURE_MARGIN * side)
    for radius in radii:
        fits = room >= radius
        found = scatter(places[fits], regions[fits], counts, spacing(radius, settings.smallest_gap))
        if found is not None:
            return radius, found
    return None


def _candidates(side: int, generator: np.random.Generator) -> Points:
    """Whole pixels, one in each cell of a grid, in random order, so that flowers are drawn without resampling."""
    cells = np.arange(_CANDIDATES_A_SIDE)
    grid = np.stack(np.meshgrid(cells, cells), axis=-1).reshape(-1, 2)
    places = np.floor((grid + generator.random(grid.shape)) * (side / _CANDIDATES_A_SIDE))
    shuffled: Points = generator.permutation(places)
    return shuffled


def _expected_radius(counts: Sequence[int], shares: Sequence[float], settings: GeneratePuzzles) -> int:
    """A radius in whole pixels above which the flowers are not expected to fit, so that larger ones are not tried."""
    side = settings.image_size
    area_a_flower = min(share / max(count, 1) for share, count in zip(shares, counts, strict=True)) * side**2
    fitting = np.sqrt(_LARGEST_COVERAGE * area_a_flower / np.pi) / (1 + settings.smallest_gap / 2)
    return int(min(fitting, LARGEST_RADIUS * side))


def _polygon(colour: str, points: Points) -> dict[str, Any]:
    return {"colour": colour, "points": [{"x": float(x), "y": float(y)} for x, y in points]}


def _flowers(
    places: Sequence[Points], radius: int, flower_ids: Sequence[str], generator: np.random.Generator
) -> list[dict[str, Any]]:
    """Flowers of a few kinds, from top to bottom, as in the table."""
    kinds = min(int(generator.integers(*_FLOWER_KINDS, endpoint=True)), len(flower_ids))
    chosen = generator.choice(sorted(flower_ids), kinds, replace=False)
    flowers = []
    for region, points in enumerate(places):
        for x, y in points:
            flowers.append(
                {
                    "image_id": str(chosen[generator.integers(kinds)]),
                    "x": float(x),
                    "y": float(y),
                    "radius": float(radius),
                    "inside_first": region in (0, 1),
                    "inside_second": region in (0, 2),
                }
            )
    return sorted(flowers, key=lambda flower: (flower["y"], flower["x"]))
