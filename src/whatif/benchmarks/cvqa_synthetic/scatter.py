"""Scatters discs at random places that keep a distance from each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from whatif.drawing.geometry import Points

SMALLEST_GAP = 3.0  # pixels: with less, soft edges make two things look like one


def spacing(radius: float, smallest_gap: float) -> float:
    """How far apart the centres of two discs must be for a gap of `smallest_gap` radii that can be seen."""
    return 2 * radius + max(smallest_gap * radius, SMALLEST_GAP)


def scatter(
    candidates: Points, regions: npt.NDArray[np.int64], wanted: Sequence[int], apart: float
) -> list[Points] | None:
    """Takes `wanted[r]` of the candidates with `regions == r`, in order, no two nearer to each other than `apart`.

    Returns one array of shape (wanted[r], 2) for each r, or None when the candidates run out. A candidate is taken
    as soon as its turn comes, so candidates in random order give random places.
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
