"""Dot puzzles: six circles in clear rows and columns, with exactly the dots that were asked for."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from tests.world.scenes import puzzle, puzzle_settings
from whatif.benchmarks.cvqa_synthetic.dot_puzzle import (
    OUTLINE_WIDTH,
    SMALLEST_RADIUS,
    lay_out_dots,
    rows_and_columns_are_clear,
)
from whatif.engine.errors import WhatifError
from whatif.engine.random_streams import stream


@pytest.mark.parametrize("number", range(25))
def test_scene_is_what_its_description_promises(number: int) -> None:
    text, row = puzzle("dot-removal", number)
    circles, radius = row["circles"], row["dot_radius"]
    assert [(circle["row"], circle["column"]) for circle in circles] == [(r, c) for r in (0, 1) for c in (0, 1, 2)]
    assert tuple(len(circle["dots"]) for circle in circles) == text.counts
    assert radius >= SMALLEST_RADIUS * 448
    x, y, r = (np.array([circle[name] for circle in circles]) for name in ("x", "y", "radius"))
    assert (y + r)[:3].max() < (y - r)[3:].min(), "bottoms of the top row must be above the tops of the bottom row"
    for left, right in ((0, 1), (1, 2)):
        assert (x + r)[left::3].max() < (x - r)[right::3].min(), "columns must not reach into each other"
    assert min((x - r).min(), (y - r).min(), (448 - x - r).min(), (448 - y - r).min()) > 0
    for circle in circles:
        dots = np.array([(dot["x"], dot["y"]) for dot in circle["dots"]])
        reach = np.hypot(*(dots - (circle["x"], circle["y"])).T) + radius
        assert reach.max() < circle["radius"] - OUTLINE_WIDTH * 448
        apart = np.hypot(*(dots[:, None] - dots).transpose(2, 0, 1)) + 1000 * np.eye(len(dots))
        assert apart.min() >= (2 + 0.3) * radius - 1e-9


def test_same_stream_gives_the_same_scene() -> None:
    assert puzzle("dot-maximum", 5) == puzzle("dot-maximum", 5)
    assert puzzle("dot-maximum", 5) != puzzle("dot-maximum", 5, seed=1)


@pytest.mark.parametrize(("size", "most"), [(192, 9), (336, 12), (448, 14)])
def test_every_number_of_dots_finds_room(size: int, most: int) -> None:
    for number, counts in enumerate([(most,) * 6, (1,) * 6, (most, 1, 1, 1, 1, 1), (0,) * 6]):
        scene = lay_out_dots(counts, puzzle_settings(image_size=size), stream(0, "room", number))
        assert tuple(len(circle["dots"]) for circle in scene["circles"]) == counts


def test_impossible_demands_are_errors_that_name_what_to_lower() -> None:
    with pytest.raises(WhatifError, match=r"no room for 60 dots .* lower dots_per_circle.high or smallest_gap"):
        lay_out_dots((60, 1, 1, 1, 1, 1), puzzle_settings(smallest_gap=1.0), stream(0, "full"))


def test_rows_or_columns_that_reach_into_each_other_are_not_clear() -> None:
    _, row = puzzle("dot-columns", 0)
    assert rows_and_columns_are_clear(row["circles"])
    for place, axis, shift in ((4, "y", -100), (2, "x", -60), (0, "x", 60)):
        circles = copy.deepcopy(row["circles"])
        circles[place][axis] += shift
        assert not rows_and_columns_are_clear(circles)
    assert not rows_and_columns_are_clear(row["circles"][:5])
