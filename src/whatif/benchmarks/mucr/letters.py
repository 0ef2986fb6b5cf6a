"""Right letters that are equally frequent in every cell of the tables, and the order of the options of an item."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence

import numpy as np

from whatif.engine.random_streams import stream

Cell = Hashable  # for example a variant and a style


def balanced(cells: Mapping[str, Collection[Cell]], number: int, *, seed: int, name: str) -> dict[str, int]:
    """A place from 0 to `number` - 1 for each item, such that in each cell all places are equally frequent.

    `cells` are those that each item belongs to. In a cell whose items are also all in a second one, or in no other one,
    the frequencies differ by one at most. Cells that overlap in part are balanced as far as changing the place of one
    item, or exchanging those of two, can. The result depends on the seed, `name` and the items only.
    """
    signatures = {item: frozenset(of_item) for item, of_item in cells.items()}
    draw = stream(seed, "places", name)
    chance = dict(zip(sorted(signatures), draw.random(len(signatures)), strict=True))
    # Items of the same cells follow each other, so that going round all places balances their cells at once.
    order = sorted(signatures, key=lambda item: (sorted(map(repr, signatures[item])), chance[item]))
    first = int(draw.integers(number))
    places = {item: (first + rank) % number for rank, item in enumerate(order)}
    _Improvement(signatures, places, number).run(order)
    return places


class _Improvement:
    """Changes places until no change makes the cells more even; `counts` are those of each cell and place."""

    def __init__(self, signatures: Mapping[str, frozenset[Cell]], places: dict[str, int], number: int) -> None:
        self._signatures = signatures
        self._places = places
        self._number = number
        self._counts: dict[Cell, Counter[int]] = defaultdict(Counter)
        for item, of_item in signatures.items():
            for cell in of_item:
                self._counts[cell][places[item]] += 1

    def run(self, order: Sequence[str]) -> None:
        """Repeats changes of one item, then exchanges of two, as long as a cell is uneven and something improves."""
        while self._uneven():
            if not (self._change_one(order) or self._exchange_two(order)):
                return

    def _uneven(self) -> set[Cell]:
        return {
            cell
            for cell, count in self._counts.items()
            if max(count.values()) - min(count[place] for place in range(self._number)) > 1
        }

    def _change_one(self, order: Sequence[str]) -> bool:
        uneven, changed = self._uneven(), False
        for item in order:
            if not self._signatures[item] & uneven:
                continue
            gains = [self._gain(item, place) for place in range(self._number)]
            if max(gains) > 0:
                self._move(item, int(np.argmax(gains)))
                changed = True
        return changed

    def _exchange_two(self, order: Sequence[str]) -> bool:
        uneven = self._uneven()
        # Items of the same cells and place are alike, so that one of each kind is tried.
        kinds: dict[tuple[frozenset[Cell], int], str] = {}
        for item in order:
            kinds.setdefault((self._signatures[item], self._places[item]), item)
        alike = list(kinds.values())
        for one in alike:
            if not self._signatures[one] & uneven:
                continue
            for other in alike:
                if self._exchanged(one, other):
                    return True
        return False

    def _exchanged(self, one: str, other: str) -> bool:
        """Exchanges the places of two items if that makes the cells more even."""
        first, second = self._places[one], self._places[other]
        gain = self._gain(one, second)
        self._move(one, second)
        gain += self._gain(other, first)
        if gain > 0:
            self._move(other, first)
            return True
        self._move(one, first)
        return False

    def _gain(self, item: str, place: int) -> int:
        """Half of what the sum of the squared counts loses when an item goes to another place."""
        before = self._places[item]
        if place == before:
            return 0
        return sum(self._counts[cell][before] - self._counts[cell][place] - 1 for cell in self._signatures[item])

    def _move(self, item: str, place: int) -> None:
        for cell in self._signatures[item]:
            self._counts[cell][self._places[item]] -= 1
            self._counts[cell][place] += 1
        self._places[item] = place


def ordered(right: str, others: Sequence[str], place: int, *, seed: int, item: str) -> list[str]:
    """The options of an item: the right one at `place`, the others in a random order by the seed and the item's id."""
    shuffled = [others[rank] for rank in stream(seed, "order of the options", item).permutation(len(others))]
    return [*shuffled[:place], right, *shuffled[place:]]
