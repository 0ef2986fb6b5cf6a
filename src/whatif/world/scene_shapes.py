"""Outlines of the things in scenes: sixteen everyday silhouettes that are distinguishable at fifteen pixels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

# A simple polygon. A silhouette is one or more filled polygons; x to the right and y downwards.
Polygon: TypeAlias = tuple[tuple[float, float], ...]

_DIGITS = 4  # finer than any image, coarser than differences between machines


def _arc(
    centre: tuple[float, float], radius: float, start: float, end: float, points: int = 32
) -> list[tuple[float, float]]:
    """Points around a centre, between two angles in degrees, clockwise from the right."""
    x, y = centre
    angles = (math.radians(start + (end - start) * step / points) for step in range(points + 1))
    return [(x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in angles]


def _annulus(centre: tuple[float, float], outer: float, inner: float) -> list[tuple[float, float]]:
    """A ring as one simple polygon: around the outside, and back along the inside."""
    return _arc(centre, outer, 0, 360) + _arc(centre, inner, 360, 0)


def _rectangle(left: float, top: float, right: float, bottom: float) -> list[tuple[float, float]]:
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def _silhouette(*parts: Sequence[tuple[float, float]]) -> tuple[Polygon, ...]:
    """The parts, moved and scaled so that the longer side of their bounding box is -1 to 1 and the other is centred."""
    points = [point for part in parts for point in part]
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    top, bottom = min(y for _, y in points), max(y for _, y in points)
    middle = (left + right) / 2, (top + bottom) / 2
    half = max(right - left, bottom - top) / 2
    return tuple(_scaled(part, middle, half) for part in parts)


def _scaled(part: Iterable[tuple[float, float]], middle: tuple[float, float], half: float) -> Polygon:
    x0, y0 = middle
    return tuple((round((x - x0) / half, _DIGITS), round((y - y0) / half, _DIGITS)) for x, y in part)


def _star() -> list[tuple[float, float]]:
    points = []
    for tip in range(5):
        points += _arc((0, 0), 1, 72 * tip - 90, 0)[:1] + _arc((0, 0), 0.42, 72 * tip - 54, 0)[:1]
    return points


def _heart() -> list[tuple[float, float]]:
    points = []
    for step in range(60):
        angle = math.tau * step / 60
        wave = 13 * math.cos(angle) - 5 * math.cos(2 * angle) - 2 * math.cos(3 * angle) - math.cos(4 * angle)
        points.append((16 * math.sin(angle) ** 3, -wave))
    return points


def _fish_body() -> list[tuple[float, float]]:
    return [(1.25 * x, y) for x, y in _arc((-0.2, 0), 0.56, 0, 360)]


def _fir() -> list[tuple[float, float]]:
    right = [(0, -1), (0.44, -0.42), (0.22, -0.42), (0.6, 0.12), (0.32, 0.12), (0.78, 0.68), (0.15, 0.68), (0.15, 1)]
    return _mirrored(right)


def _mirrored(right: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Both halves of an outline whose right half begins at x = 0."""
    return right + [(-x, y) for x, y in reversed(right[1:])]


def _canopy() -> list[tuple[float, float]]:
    """Half a disc with three scallops below."""
    points = _arc((0, 0), 1, 180, 360)
    for middle in (2 / 3, 0, -2 / 3):
        points += [(x, y * 0.55) for x, y in _arc((middle, 0), 1 / 3, 360, 180, 10)]
    return points


OUTLINES: dict[str, tuple[Polygon, ...]] = {
    "ball": _silhouette(_arc((0, 0), 1, 0, 360, 64)),
    "box": _silhouette(_rectangle(-1, -1, 1, 1)),
    "star": _silhouette(_star()),
    "heart": _silhouette(_heart()),
    "tree": _silhouette(_fir()),
    "house": _silhouette(
        _mirrored([(0, -1), (1, -0.1), (0.78, -0.1), (0.78, 1), (0.22, 1), (0.22, 0.35)]),
        _rectangle(0.42, -0.95, 0.7, -0.3),
    ),
    "fish": _silhouette(_fish_body(), [(0.2, 0), (0.95, -0.6), (0.75, 0), (0.95, 0.6)]),
    "cup": _silhouette(
        [(-0.95, -0.75), (0.45, -0.75), (0.3, 0.75), (-0.8, 0.75)],
        _annulus((0.48, -0.1), 0.46, 0.24),
    ),
    "kite": _silhouette(
        [(0.25, -1), (0.9, -0.55), (0.15, 0.4), (-0.4, -0.6)],
        [(0.12, 0.3), (0.22, 0.36), (-0.08, 0.8), (-0.3, 0.98), (-0.38, 0.86), (-0.2, 0.7)],
        [(-0.02, 0.6), (0.28, 0.55), (0.22, 0.85)],
        [(-0.08, 0.62), (-0.38, 0.65), (-0.3, 0.37)],
    ),
    "moon": _silhouette(_arc((0, 0), 1, 50, 310, 48) + _arc((0.45, 0), 0.787, 284, 76, 40)),
    "boat": _silhouette(
        [(-1, 0.4), (1, 0.4), (0.62, 1), (-0.62, 1)],
        _rectangle(-0.09, -1, 0.09, 0.5),
        [(0.09, -0.95), (0.8, 0.2), (0.09, 0.2)],
        [(-0.22, -0.6), (-0.22, 0.2), (-0.75, 0.2)],
    ),
    "mushroom": _silhouette(
        [(x, y * 0.95) for x, y in _arc((0, 0), 1, 180, 360)],
        [(-0.28, -0.05), (0.28, -0.05), (0.38, 0.85), (-0.38, 0.85)],
    ),
    "flag": _silhouette(
        _rectangle(-0.8, -1, -0.58, 1),
        [(-0.6, -0.95), (0.85, -0.95), (0.5, -0.45), (0.85, 0.05), (-0.6, 0.05)],
    ),
    "ring": _silhouette(_annulus((0, 0), 1, 0.58)),
    "arrow": _silhouette([(-1, -0.3), (0.1, -0.3), (0.1, -0.8), (1, 0), (0.1, 0.8), (0.1, 0.3), (-1, 0.3)]),
    "umbrella": _silhouette(
        _canopy(),
        [(-0.09, -0.3), (0.09, -0.3), (0.09, 0.75), (-0.09, 0.75)],
        _arc((-0.2, 0.72), 0.29, 0, 180, 12) + _arc((-0.2, 0.72), 0.11, 180, 0, 12),
    ),
}
