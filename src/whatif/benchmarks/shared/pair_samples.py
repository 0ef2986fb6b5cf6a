"""Random samples of paired questions: both twins of a pair or neither, sampled by group from stable ids.

The pairs of a group have one random order, which depends only on the seed, the name of the set and the group. Every
sample takes pairs from its beginning, so a larger sample contains a smaller one.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from typing import Any

from whatif.engine.random_streams import stream

Row = Mapping[str, Any]


def share_of_groups(questions: Iterable[Row], share: float, *, seed: int, name: str) -> set[str]:
    """Ids of a fraction of the pairs of each group, rounded to a whole number of at least one (C-VQA Table 5)."""
    orders = _orders(questions, seed, name)
    return {pair for order in orders.values() for pair in order[: max(1, round(share * len(order)))]}


def sample_of_pairs(questions: Iterable[Row], number: int, *, seed: int, name: str) -> set[str]:
    """Ids of `number` pairs, or of all if there are fewer, in proportion to the sizes of the groups.

    The number is divided among the groups by the Sainte-Laguë method, which never gives a group fewer pairs in a larger
    sample. Ties between groups are resolved in order of their names.
    """
    orders = _orders(questions, seed, name)
    claims = [(-float(len(order)), group) for group, order in sorted(orders.items())]
    heapq.heapify(claims)
    taken = dict.fromkeys(orders, 0)
    for _ in range(min(number, sum(map(len, orders.values())))):
        group = heapq.heappop(claims)[1]
        taken[group] += 1
        if taken[group] < len(orders[group]):
            heapq.heappush(claims, (-len(orders[group]) / (2 * taken[group] + 1), group))
    return {pair for group, order in orders.items() for pair in order[: taken[group]]}


def _orders(questions: Iterable[Row], seed: int, name: str) -> dict[str, list[str]]:
    """The pairs of each group in their random order."""
    groups: dict[str, set[str]] = {}
    for question in questions:
        groups.setdefault(question["group"], set()).add(question["pair_id"])
    return {
        group: [str(pair) for pair in stream(seed, "sample", name, group).permutation(sorted(pairs))]
        for group, pairs in groups.items()
    }
