"""Outlines of the plants, animals and agents that only the world of causes and effects has."""

from __future__ import annotations

import math
from typing import TypeAlias

from whatif.world.scene_shapes import OUTLINES, Polygon

Colour: TypeAlias = tuple[int, int, int]

_DIGITS = 4  # finer than any image, coarser than differences between machines

_IRON, _DARK_IRON, _WOOD = (150, 156, 166), (74, 78, 88), (158, 104, 56)
_WATER, _PAINT, _FLAME = (92, 164, 236), (34, 34, 40), (246, 104, 22)


def disc(x: float, y: float, across: float, down: float | None = None) -> Polygon:
    """An ellipse around a centre with these half axes; a circle without `down`."""
    down = across if down is None else down
    angles = [math.tau * step / 28 for step in range(28)]
    return tuple((round(x + across * math.cos(a), _DIGITS), round(y + down * math.sin(a), _DIGITS)) for a in angles)


def _rectangle(left: float, top: float, right: float, bottom: float) -> Polygon:
    return ((left, top), (right, top), (right, bottom), (left, bottom))


def _around(x: float, y: float, distance: float, radius: float, number: int) -> tuple[Polygon, ...]:
    """Circles in a ring around a centre."""
    angles = [math.tau * (step / number - 0.25) for step in range(number)]
    return tuple(disc(x + distance * math.cos(a), y + distance * math.sin(a), radius) for a in angles)


def _rays() -> tuple[Polygon, ...]:
    """Eight triangles around the origin."""
    rays = []
    for step in range(8):
        points = [(1.0, 0.0), (0.66, 0.16), (0.66, -0.16)]
        cosine, sine = math.cos(math.tau * step / 8), math.sin(math.tau * step / 8)
        rays.append(
            tuple((round(x * cosine - y * sine, _DIGITS), round(x * sine + y * cosine, _DIGITS)) for x, y in points)
        )
    return tuple(rays)


# Silhouettes from -1 to 1, x to the right and y downwards, as in `scene_shapes`.
CAUSAL_OUTLINES: dict[str, tuple[Polygon, ...]] = {
    **{
        noun: OUTLINES[noun]
        for noun in ("ball", "box", "star", "heart", "cup", "house", "boat", "moon", "tree", "fish")
    },
    "flower": (
        *_around(0, -0.45, 0.36, 0.26, 6),
        disc(0, -0.45, 0.3),
        _rectangle(-0.09, -0.1, 0.09, 1),
        ((0, 0.8), (0.6, 0.2), (0.7, 0.5), (0.3, 0.85)),
        ((0, 0.8), (-0.6, 0.2), (-0.7, 0.5), (-0.3, 0.85)),
    ),
    "cactus": (
        _rectangle(-0.28, -0.75, 0.28, 1),
        disc(0, -0.74, 0.28),
        _rectangle(-0.72, 0.1, -0.2, 0.42),
        _rectangle(-0.72, -0.4, -0.42, 0.42),
        _rectangle(0.2, -0.12, 0.72, 0.2),
        _rectangle(0.42, -0.62, 0.72, 0.2),
    ),
    "cat": (
        disc(0, -0.42, 0.5, 0.44),
        ((-0.5, -0.42), (-0.44, -1), (-0.08, -0.72)),
        ((0.5, -0.42), (0.44, -1), (0.08, -0.72)),
        disc(0, 0.5, 0.56, 0.52),
        ((0.3, 1), (0.8, 0.9), (0.98, 0.4), (0.9, -0.06), (0.7, 0), (0.76, 0.4), (0.58, 0.72), (0.3, 0.76)),
    ),
    "bird": (
        disc(-0.05, 0.2, 0.62, 0.46),
        disc(0.5, -0.4, 0.34),
        ((0.2, -0.5), (0.75, -0.2), (0.5, 0.4), (0, 0)),
        ((0.78, -0.52), (1, -0.34), (0.78, -0.22)),
        ((-0.5, 0), (-1, -0.45), (-0.95, 0.2), (-0.5, 0.4)),
        _rectangle(-0.2, 0.5, -0.08, 0.9),
        _rectangle(0.12, 0.5, 0.24, 0.9),
    ),
}

# What may act: coloured polygons, the first below the others, as they hang at the left of a thing.
AGENT_SHAPES: dict[str, tuple[tuple[Polygon, Colour], ...]] = {
    "hammer": (
        (((-0.95, 0.62), (-0.72, 0.86), (0.5, -0.3), (0.28, -0.54)), _WOOD),
        (((-0.16, -0.66), (0.2, -0.98), (0.95, -0.14), (0.6, 0.2)), _DARK_IRON),
    ),
    "torch": (
        (((-0.2, -0.05), (0.2, -0.05), (0.12, 1), (-0.12, 1)), _WOOD),
        (((-0.32, -0.1), (0.32, -0.1), (0.24, 0.2), (-0.24, 0.2)), _DARK_IRON),
        (
            ((0, -1), (0.26, -0.62), (0.44, -0.66), (0.4, -0.1), (-0.4, -0.1), (-0.44, -0.5), (-0.2, -0.42)),
            (246, 104, 22),
        ),
        (((0.02, -0.62), (0.2, -0.3), (0.16, -0.1), (-0.18, -0.1), (-0.16, -0.3)), (255, 222, 70)),
    ),
    "paint": (
        (((-0.92, -0.3), (0.02, -0.84), (0.62, 0.2), (-0.32, 0.74)), _IRON),
        (((0.02, -0.84), (0.26, -0.72), (0.72, 0.06), (0.62, 0.2)), _PAINT),
        (((0.3, -0.4), (0.72, 0.06), (0.76, 0.9), (0.66, 1), (0.54, 0.9), (0.5, 0.2)), _PAINT),
    ),
    "weight": (
        (disc(0, -0.66, 0.34), _DARK_IRON),
        (disc(0, -0.66, 0.16), (226, 228, 232)),
        (((-0.48, -0.46), (0.48, -0.46), (0.86, 0.9), (-0.86, 0.9)), _DARK_IRON),
        (_rectangle(-0.44, 0.16, 0.44, 0.4), (226, 228, 232)),
    ),
    "saw": (
        (
            (
                *((-0.35, -0.3), (1, -0.12), (1, 0.12)),
                *((0.9, 0.4), (0.74, 0.12), (0.62, 0.4), (0.46, 0.12), (0.34, 0.4), (0.18, 0.12)),
                *((0.06, 0.4), (-0.1, 0.12), (-0.22, 0.4), (-0.35, 0.2)),
            ),
            (206, 212, 222),
        ),
        (((-1, -0.44), (-0.3, -0.44), (-0.3, 0.44), (-0.86, 0.44)), _WOOD),
        (_rectangle(-0.76, -0.16, -0.52, 0.18), (244, 236, 222)),
    ),
    "fan": (
        (_rectangle(-0.1, 0.3, 0.1, 0.9), _DARK_IRON),
        (_rectangle(-0.5, 0.82, 0.5, 1), _DARK_IRON),
        (disc(0, -0.25, 0.74), _DARK_IRON),
        (disc(0, -0.25, 0.62), (226, 240, 246)),
        (disc(0, -0.55, 0.17, 0.28), (60, 130, 190)),
        (disc(0, 0.05, 0.17, 0.28), (60, 130, 190)),
        (disc(-0.3, -0.25, 0.28, 0.17), (60, 130, 190)),
        (disc(0.3, -0.25, 0.28, 0.17), (60, 130, 190)),
        (disc(0, -0.25, 0.12), _DARK_IRON),
    ),
    "balloon": (
        (_rectangle(-0.04, 0.4, 0.04, 1), _DARK_IRON),
        (((0, 0.36), (0.18, 0.58), (-0.18, 0.58)), (196, 60, 140)),
        (disc(0, -0.3, 0.62, 0.7), (214, 72, 156)),
        (disc(-0.22, -0.56, 0.14, 0.18), (250, 190, 226)),
    ),
    "cloud": (
        (disc(-0.45, 0, 0.46, 0.36), (196, 204, 216)),
        (disc(0.45, 0.02, 0.48, 0.36), (196, 204, 216)),
        (disc(0, -0.28, 0.5, 0.44), (196, 204, 216)),
        (_rectangle(-0.45, -0.1, 0.45, 0.36), (196, 204, 216)),
        *(
            (disc(x, y, 0.1), (252, 253, 255))
            for x, y in ((-0.55, 0.6), (0, 0.58), (0.55, 0.6), (-0.28, 0.88), (0.3, 0.88))
        ),
    ),
    "bucket": (
        (((-0.98, 0.1), (-0.06, -0.86), (0.78, 0.06), (0.2, 0.66), (-0.42, 0.82)), (120, 92, 160)),
        (((-0.06, -0.86), (0.24, -0.8), (0.84, -0.14), (0.78, 0.06)), _WATER),
        (((0.38, -0.5), (0.84, -0.1), (0.86, 0.86), (0.74, 1), (0.6, 0.86), (0.58, 0.1)), _WATER),
    ),
    "bowl": (
        (_around(0, -0.1, 0.3, 0.24, 6)[0], (140, 84, 40)),
        (disc(-0.34, -0.14, 0.26), (140, 84, 40)),
        (disc(0.34, -0.14, 0.26), (140, 84, 40)),
        (((-0.98, -0.06), (0.98, -0.06), (0.6, 0.72), (-0.6, 0.72)), (70, 170, 170)),
        (_rectangle(-0.5, 0.68, 0.5, 0.84), (40, 110, 110)),
    ),
    "watering can": (
        (((0.1, 0.42), (0.8, -0.5), (0.98, -0.36), (0.3, 0.7)), (64, 150, 110)),
        (((0.64, -0.62), (0.78, -0.74), (1, -0.5), (0.98, -0.22)), (40, 100, 74)),
        (disc(-0.6, 0.2, 0.4, 0.44), (64, 150, 110)),
        (disc(-0.6, 0.2, 0.22, 0.26), (236, 244, 240)),
        (_rectangle(-0.6, -0.3, 0.3, 0.8), (64, 150, 110)),
        (_rectangle(-0.66, -0.4, 0.36, -0.24), (40, 100, 74)),
    ),
    "sun": (
        *((ray, (250, 170, 20)) for ray in _rays()),
        (disc(0, 0, 0.56), (255, 214, 40)),
    ),
}
