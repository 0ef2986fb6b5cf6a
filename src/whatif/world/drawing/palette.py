"""Colours of polygons, circles and dots, different enough to be named and masked."""

from __future__ import annotations

from typing import TypeAlias

Colour: TypeAlias = tuple[int, int, int]

WHITE: Colour = (255, 255, 255)

# The eight colours that the released C-VQA-Synthetic questions name, in the order of their first release.
POLYGON_COLOURS: dict[str, Colour] = {
    "purple": (128, 0, 170),
    "red": (226, 24, 28),
    "black": (0, 0, 0),
    "orange": (255, 135, 0),
    "green": (0, 150, 60),
    "yellow": (245, 212, 0),
    "blue": (20, 70, 230),
    "pink": (255, 90, 190),
}

# (outline of the circles, dots). No question names them, so they only need to be visible on white and distinct.
DOT_PUZZLE_COLOURS: tuple[tuple[Colour, Colour], ...] = (
    ((70, 80, 95), (214, 60, 50)),
    ((30, 110, 160), (235, 130, 30)),
    ((60, 120, 70), (120, 50, 150)),
    ((120, 80, 50), (20, 120, 140)),
    ((90, 60, 140), (40, 150, 80)),
    ((40, 50, 60), (40, 100, 210)),
    ((150, 50, 70), (30, 60, 110)),
    ((0, 120, 120), (200, 40, 110)),
)
