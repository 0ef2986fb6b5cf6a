"""Which candidates are drawn together, so that each has the same bytes whatever is drawn beside it.

A batch of another size is computed with other kernels: sums come out differently in the last digit, some pixels are
rounded to another value, and the picture has another id. So a run always has the same number of places, those that
are not needed are filled with a copy of another, and each candidate has its place once and for all. What is computed
in one place of a batch of one size does not depend on what stands in the others. Then neither the number of parts, nor
a threshold that drops a pair, nor an interruption changes a byte; and a run may mix any pairs.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import TypeVar

Item = TypeVar("Item")


def place_of(pair_id: str, candidate: int, width: int) -> int:
    """The place of a candidate, from 0, in a run of `width` places; it depends on the arguments alone.

    Candidates of a pair follow each other, and pairs begin at places of their own. So runs are full where `width`
    divides the number of candidates, and nearly full where there are many of them.
    """
    return (zlib.crc32(pair_id.encode()) + candidate) % width


def runs_of(items: Iterable[tuple[int, Item]], width: int) -> Iterator[list[Item | None]]:
    """Runs of `width` places for items (place, item), in order; None where a place is not needed.

    There are as many as the place that most items have needs.
    """
    waiting: list[list[Item]] = [[] for _ in range(width)]
    for place, item in items:
        waiting[place].append(item)
    for run in zip_longest(*waiting):
        yield list(run)


def filled(run: Sequence[Item | None]) -> list[Item]:
    """A run in which the places that are not needed hold a copy of the first item that is there."""
    first = next(item for item in run if item is not None)
    return [first if item is None else item for item in run]
