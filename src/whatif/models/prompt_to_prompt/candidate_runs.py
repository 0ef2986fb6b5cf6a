"""Groups candidates into batches ("runs") such that each has the same bytes in any company.

A batch of another size is computed with other kernels: sums differ in the last digit, some pixels round to another
value, and the image gets another id. So a run always has the same number of places, unused places are filled with a
copy of another candidate, and each candidate has a fixed place. The result in one place of a batch of a given size does
not depend on the other places. Therefore neither the number of parts, nor a threshold that drops a pair, nor an
interruption changes a byte; and a run may mix any pairs.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import TypeVar

Item = TypeVar("Item")


def place_of(pair_id: str, candidate: int, width: int) -> int:
    """The place of a candidate, from 0, in a run of `width` places; depends only on the arguments.

    Candidates of a pair have consecutive places, and each pair starts at its own place. So runs are full if `width`
    divides the number of candidates, and nearly full if there are many candidates.
    """
    return (zlib.crc32(pair_id.encode()) + candidate) % width


def runs_of(items: Iterable[tuple[int, Item]], width: int) -> Iterator[list[Item | None]]:
    """Runs of `width` places for items (place, item), in order; None marks an unused place.

    The number of runs is the largest number of items that share a place.
    """
    waiting: list[list[Item]] = [[] for _ in range(width)]
    for place, item in items:
        waiting[place].append(item)
    for run in zip_longest(*waiting):
        yield list(run)


def filled(run: Sequence[Item | None]) -> list[Item]:
    """A run whose unused places hold a copy of its first item."""
    first = next(item for item in run if item is not None)
    return [first if item is None else item for item in run]
