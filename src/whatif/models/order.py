"""Puts what comes in any order into the order of its places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

Item = TypeVar("Item")


def in_order(arriving: Iterator[tuple[int, Item]], total: int) -> Iterator[Item]:
    """The items of the places 0 to `total` - 1; each place comes once, and waits until those before it are there."""
    early: dict[int, Item] = {}
    for place in range(total):
        while place not in early:
            arrived, item = next(arriving)
            early[arrived] = item
        yield early.pop(place)
    for _ in arriving:  # what it raises after its last item is heard
        pass
