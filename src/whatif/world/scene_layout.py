"""Places for the things of a scene, on a grid of 1/64 of the image's side, without overlaps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import TypeAlias

import numpy as np

Place: TypeAlias = tuple[float, float]  # the centre of a thing: x and y as fractions of the image's side

# At 64 pixels, the models' input size, two different layouts never give the same image.
STEPS = 64
GAP = 0.02  # between the squares around two things
# Fractions of the image's side. Small things are spaced like a small and a large one, so that each can be enlarged.
LARGEST = 0.42
SMALLEST_STEP_OF_A_PAIR = 0.35
_ATTEMPTS = 4
_BATCH = 128


def reach(size: float, other: float) -> int:
    """The minimum distance of the centres of two things in steps, across or down; sizes as fractions of the side."""
    return math.ceil(((size + other) / 2 + GAP) * STEPS)


def fits(sizes: Sequence[float], places: Sequence[Place]) -> bool:
    """Whether things of these sizes at these places are inside the image and do not overlap."""
    for number, (size, (x, y)) in enumerate(zip(sizes, places, strict=True)):
        if min(x, y) < size / 2 or max(x, y) > 1 - size / 2:
            return False
        for other, (other_x, other_y) in zip(sizes[:number], places[:number], strict=True):
            if max(abs(x - other_x), abs(y - other_y)) * STEPS < reach(size, other):
                return False
    return True


@cache
def places_for_any_size() -> tuple[Place, ...]:
    """Every place where a large thing is inside the image."""
    steps = range(_first_step(LARGEST), STEPS - _first_step(LARGEST) + 1)
    return tuple((x / STEPS, y / STEPS) for x in steps for y in steps)


def pair_places(sizes: Sequence[float], generator: np.random.Generator) -> tuple[Place, Place]:
    """Two places that are further apart vertically than horizontally; each has room for either thing.

    One of the two things can also take the other size in its place.
    """
    low = _first_step(LARGEST)
    apart = max(reach(*sizes), math.ceil(SMALLEST_STEP_OF_A_PAIR * STEPS))
    while True:
        drawn = generator.integers(low, STEPS - low + 1, (_BATCH, 2, 2))
        across, down = np.abs(drawn[:, 0] - drawn[:, 1]).T
        good = np.flatnonzero((down >= apart) & (down > across))
        if len(good):
            (x, y), (other_x, other_y) = drawn[good[0]].tolist()
            return (x / STEPS, y / STEPS), (other_x / STEPS, other_y / STEPS)


def scattered_places(
    sizes: Sequence[float],
    generator: np.random.Generator,
    taken: Sequence[tuple[float, Place]] = (),
) -> list[Place] | None:
    """A place for each size, uniform among the places with room beside earlier ones and those that are `taken`.

    None if no room is left, after some attempts.
    """
    for _ in range(_ATTEMPTS):
        placed = list(taken)
        for size in sizes:
            free = np.flatnonzero(_free(size, placed))
            if not len(free):
                break
            row, column = divmod(int(free[generator.integers(len(free))]), STEPS + 1)
            placed.append((size, (column / STEPS, row / STEPS)))
        else:
            return [place for _, place in placed[len(taken) :]]
    return None


def _first_step(size: float) -> int:
    """The first step at which a thing is inside the image."""
    return math.ceil(size / 2 * STEPS)


def _free(size: float, placed: Sequence[tuple[float, Place]]) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Places with room for a thing of this size: (STEPS + 1, STEPS + 1), rows first."""
    free = np.zeros((STEPS + 1, STEPS + 1), np.bool_)
    low = _first_step(size)
    free[low : STEPS - low + 1, low : STEPS - low + 1] = True
    for other, (x, y) in placed:
        apart = reach(size, other)
        row, column = round(y * STEPS), round(x * STEPS)
        free[max(0, row - apart + 1) : row + apart, max(0, column - apart + 1) : column + apart] = False
    return free
