"""Plane geometry of puzzles: polygons, the regions that two polygons form, discs, and the gaps between discs.

Points are arrays of shape (n, 2), polygons arrays of shape (k, 2) without a repeated last point, lengths in pixels.
Everything is computed from coordinates, not from pixels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Points: TypeAlias = npt.NDArray[np.float64]
Numbers: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]


def points_of(places: Sequence[Mapping[str, float]]) -> Points:
    """Points from mappings with `x` and `y`, as tables store them; shape (0, 2) when there are none."""
    return np.array([(place["x"], place["y"]) for place in places], np.float64).reshape(-1, 2)


def inside(points: Points, polygon: Points) -> Flags:
    """Whether each point is inside the simple polygon: (n,). A point on its outline may be either."""
    x, y = points[:, 0, None], points[:, 1, None]
    x1, y1 = polygon[:, 0], polygon[:, 1]
    x2, y2 = np.roll(x1, -1), np.roll(y1, -1)
    straddles = (y1 > y) != (y2 > y)
    height = np.where(y2 == y1, 1.0, y2 - y1)
    left_of_edge = x < x1 + (y - y1) * ((x2 - x1) / height)
    odd: Flags = np.logical_xor.reduce(straddles & left_of_edge, axis=1)
    return odd


def distance_to_outline(points: Points, polygon: Points) -> Numbers:
    """The distance of each point from the nearest edge of the polygon: (n,)."""
    start = polygon[:, 0] + 1j * polygon[:, 1]
    edge = np.roll(start, -1) - start
    offset = (points[:, 0] + 1j * points[:, 1])[:, None] - start
    length_squared = np.maximum((edge * edge.conj()).real, 1e-12)
    along = np.clip((offset * edge.conj()).real / length_squared, 0.0, 1.0)
    distance: Numbers = np.abs(offset - along * edge).min(axis=1)
    return distance


def area(polygon: Points) -> float:
    """The area of a simple polygon, for either orientation of its points."""
    return abs(_signed_area(polygon))


def crossings(first: Points, second: Points) -> tuple[Numbers, Numbers]:
    """The crossings of each edge of the first polygon with each edge of the second: two arrays of shape (k, m).

    The position along the first polygon's edge (0 to 1), or 1 where the edges do not cross; and the sine of the
    angle between them (0 to 1), or 1 where they do not cross.
    """
    edge, other = np.roll(first, -1, 0) - first, np.roll(second, -1, 0) - second
    offset = second[None, :] - first[:, None]
    turn = _cross(edge[:, None], other[None, :])
    parallel = np.abs(turn) < 1e-9
    divisor = np.where(parallel, 1.0, turn)
    along_first = _cross(offset, other[None, :]) / divisor
    along_second = _cross(offset, edge[:, None]) / divisor
    met = ~parallel & (along_first > 0) & (along_first < 1) & (along_second > 0) & (along_second < 1)
    sine = np.abs(turn) / np.outer(np.hypot(*edge.T), np.hypot(*other.T))
    return np.where(met, along_first, 1.0), np.where(met, sine, 1.0)


def intersection_area(first: Points, second: Points) -> float:
    """The area inside both simple polygons, exact up to rounding.

    By Green's theorem it is an integral along its boundary, which consists of the parts of each outline that are
    inside the other polygon.
    """
    first, second = _counterclockwise(first), _counterclockwise(second)
    return abs(_boundary_integral(first, second) + _boundary_integral(second, first)) / 2


def region_shares(first: Points, second: Points, side: float) -> tuple[float, float, float, float]:
    """Shares of a square image's area: inside both, only the first, only the second, outside both (C-VQA 3.3).

    The polygons must lie inside the image, which is `side` pixels wide and high.
    """
    picture = side * side
    both = intersection_area(first, second) / picture
    only_first, only_second = area(first) / picture - both, area(second) / picture - both
    return both, only_first, only_second, 1 - both - only_first - only_second


def smallest_gap(centres: Points, radii: Numbers) -> float:
    """The smallest gap between two discs; negative if they overlap, inf for a single disc."""
    place = centres[:, 0] + 1j * centres[:, 1]
    gaps = np.abs(place[:, None] - place) - (radii[:, None] + radii)
    np.fill_diagonal(gaps, np.inf)
    return float(gaps.min(initial=np.inf))


def _cross(first: Points, second: Points) -> Numbers:
    product: Numbers = first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0]
    return product


def _signed_area(polygon: Points) -> float:
    return float(_cross(polygon, np.roll(polygon, -1, 0)).sum()) / 2


def _counterclockwise(polygon: Points) -> Points:
    return polygon if _signed_area(polygon) > 0 else polygon[::-1]


def _boundary_integral(polygon: Points, other: Points) -> float:
    """The sum of x dy - y dx over the parts of the polygon's outline that are inside the other polygon."""
    edge = np.roll(polygon, -1, 0) - polygon
    places, _ = crossings(polygon, other)
    ends = np.sort(np.pad(places, ((0, 0), (1, 1)), constant_values=((0, 0), (0, 1))), axis=1)
    points = polygon[:, None] + ends[..., None] * edge[:, None]
    start, end = points[:, :-1].reshape(-1, 2), points[:, 1:].reshape(-1, 2)
    return float(_cross(start, end)[inside((start + end) / 2, other)].sum())
