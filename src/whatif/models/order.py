"""Puts items that arrive in any order into the order of their places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

Item = TypeVar("Item")


def in_order(arriving: Iterator[tuple[int, Item]], total: int) -> Iterator[Item]:
    """The items of places 0 to `total` - 1, in order; each place arrives once, and early items wait."""
    early: dict[int, Item] = {}
    for place in range(total):
        while place not in early:
            arrived, item = next(arriving)
            early[arrived] = item
        yield early.pop(place)
    for _ in arriving:  # so that an error after the last item is raised
        pass
