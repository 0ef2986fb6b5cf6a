"""Lays out dot puzzles: six circles in two rows of three, with given numbers of dots in them (C-VQA 3.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from whatif.benchmarks.cvqa_synthetic.questions import COLUMNS, ROWS
from whatif.benchmarks.cvqa_synthetic.scatter import SMALLEST_GAP, scatter, spacing
from whatif.benchmarks.cvqa_synthetic.settings import GeneratePuzzles
from whatif.engine.errors import WhatifError
from whatif.world.drawing.geometry import Points

# Lengths are fractions of the image's side.
OUTLINE_WIDTH = 0.008
OUTLINE_MARGIN = 0.008  # between a circle's outline and a dot
CIRCLE_MARGIN = 0.012  # around each circle: twice this separates rows and columns
SMALLEST_RADIUS = 0.012  # of a visible dot
LARGEST_RADIUS = 0.03
_CIRCLE_RADII = (0.122, 0.15)
_ROW_JITTER = 0.04  # vertical displacement of a circle's centre
_CANDIDATES = 240  # candidate positions for the dots of each circle
_ATTEMPTS = 60


def lay_out_dots(counts: Sequence[int], settings: GeneratePuzzles, generator: np.random.Generator) -> dict[str, Any]:
    """The columns `polygons`, `flowers`, `circles` and `dot_radius` of a row of the table `puzzles`.

    `counts` are the dots of the six circles, row by row from the top, each row from the left. All dots of a puzzle
    have one size. Each is inside its circle, clear of the outline, and separated from others by `smallest_gap` of its
    radius, and by at least a visible distance. Rows and columns satisfy `rows_and_columns_are_clear`.

    Raises WhatifError, naming what to change, when no layout fits.
    """
    side = settings.image_size
    for _ in range(_ATTEMPTS):
        circles = _draw_circles(side, generator)
        places = [_candidates(radius, generator) for _, _, radius in circles]
        largest = int(generator.uniform(0.7, 1.0) * LARGEST_RADIUS * side)
        for dot_radius in range(largest, int(np.ceil(SMALLEST_RADIUS * side)) - 1, -1):
            dots = _place_dots(counts, circles, places, dot_radius, settings)
            if dots is not None:
                return {
                    "polygons": [],
                    "flowers": [],
                    "circles": [
                        _circle(number, *drawn) for number, drawn in enumerate(zip(circles, dots, strict=True))
                    ],
                    "dot_radius": float(dot_radius),
                }
    raise WhatifError(
        f"generate.cvqa-synthetic: no room for {max(counts)} dots with a gap of {settings.smallest_gap} radii in a "
        f"circle of an image of {side} x {side} pixels; lower dots_per_circle.high or smallest_gap"
    )


def rows_and_columns_are_clear(circles: Sequence[Mapping[str, Any]]) -> bool:
    """Whether it is unambiguous which circles are the top three and which are the two rightmost.

    The lowest point of the top row is above the highest of the bottom row; every circle of a column is entirely to the
    left of every circle of the next. `circles` are those of the table `puzzles`; y grows downwards.
    """
    rows = [[circle for circle in circles if circle["row"] == row] for row in range(ROWS)]
    columns = [[circle for circle in circles if circle["column"] == column] for column in range(COLUMNS)]
    if any(len(row) != COLUMNS for row in rows) or any(len(column) != ROWS for column in columns):
        return False
    above = all(_ends_before(upper, lower, "y") for upper, lower in pairwise(rows))
    return above and all(_ends_before(left, right, "x") for left, right in pairwise(columns))


def _ends_before(some: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]], axis: str) -> bool:
    end = max(circle[axis] + circle["radius"] for circle in some)
    return bool(end < min(circle[axis] - circle["radius"] for circle in others))


def _draw_circles(side: int, generator: np.random.Generator) -> list[tuple[int, int, int]]:
    """(x, y, radius) of six circles, in whole pixels, each inside its own cell of the grid."""
    circles = []
    width, height = side / COLUMNS, side / ROWS
    for row in range(ROWS):
        for column in range(COLUMNS):
            radius = round(generator.uniform(*_CIRCLE_RADII) * side)
            slack = width / 2 - radius - CIRCLE_MARGIN * side
            # The rows are moved slightly towards each other, or the image would look like two strips.
            level = height * (row + 0.5) + (0.035 if row == 0 else -0.035) * side
            x = width * (column + 0.5) + generator.uniform(-slack, slack)
            y = level + generator.uniform(-_ROW_JITTER, _ROW_JITTER) * side
            circles.append((round(x), round(y), radius))
    return circles


def _candidates(radius: int, generator: np.random.Generator) -> Points:
    """Whole pixels around (0, 0), uniform over the disc of this radius: (n, 2)."""
    points: Points = np.round(generator.uniform(-radius, radius, (_CANDIDATES, 2)))
    return points


def _place_dots(
    counts: Sequence[int],
    circles: Sequence[tuple[int, int, int]],
    places: Sequence[Points],
    dot_radius: int,
    settings: GeneratePuzzles,
) -> list[Points] | None:
    side = settings.image_size
    clear = dot_radius + OUTLINE_WIDTH * side + max(OUTLINE_MARGIN * side, SMALLEST_GAP)
    apart = spacing(dot_radius, settings.smallest_gap)
    dots = []
    for count, (x, y, radius), around in zip(counts, circles, places, strict=True):
        fits = around[np.hypot(around[:, 0], around[:, 1]) <= radius - clear]
        found = scatter(fits, np.zeros(len(fits), np.int64), [count], apart)
        if found is None:
            return None
        dots.append(found[0] + (x, y))
    return dots


def _circle(number: int, circle: tuple[int, int, int], dots: Points) -> dict[str, Any]:
    x, y, radius = circle
    return {
        "row": number // COLUMNS,
        "column": number % COLUMNS,
        "x": float(x),
        "y": float(y),
        "radius": float(radius),
        "dots": [{"x": float(dot[0]), "y": float(dot[1])} for dot in dots],
    }
