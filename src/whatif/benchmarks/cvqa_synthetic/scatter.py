"""Scatters discs at random positions with a minimum distance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from whatif.world.drawing.geometry import Points

SMALLEST_GAP = 3.0  # pixels; with less, soft edges merge two discs


def spacing(radius: float, smallest_gap: float) -> float:
    """The distance of the centres of two discs with a visible gap of at least `smallest_gap` radii."""
    return 2 * radius + max(smallest_gap * radius, SMALLEST_GAP)


def scatter(
    candidates: Points, regions: npt.NDArray[np.int64], wanted: Sequence[int], apart: float
) -> list[Points] | None:
    """Takes `wanted[r]` of the candidates with `regions == r`, in order, at least `apart` from each other.

    Returns one array of shape (wanted[r], 2) for each r, or None if there are too few candidates. Candidates are taken
    in order, so candidates in random order give random positions.
    """
    place = candidates[:, 0] + 1j * candidates[:, 1]
    chosen = []
    for region, number in enumerate(wanted):
        taken = []
        for _ in range(number):
            here = np.flatnonzero(regions == region)
            if not len(here):
                return None
            centre = place[here[0]]
            taken.append((centre.real, centre.imag))
            far = np.abs(place - centre) >= apart
            place, regions = place[far], regions[far]
        chosen.append(np.array(taken, np.float64).reshape(-1, 2))
    return chosen
