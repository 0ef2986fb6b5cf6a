"""Divides the samples of a mixture into training, validation and test: as published, or without a leak (B.3.1, A.1)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from whatif.benchmarks.coco_counterfactuals_training.mixing import (
    WITHHOLDING,
    Pool,
    exact,
    members,
    remaining,
    samples_of,
    share_of,
    withheld_pairs,
)
from whatif.benchmarks.coco_counterfactuals_training.schemas import TEST, TRAIN, VALIDATION, Mixture
from whatif.engine.artifacts.pair_items import SIDES, item_id
from whatif.engine.random_streams import sample, stream

_LAST = 1_000  # the groups of this many samples are chosen so that a part is as near as possible to its share


class Shares(NamedTuple):
    """The shares of validation, among samples that are not withheld, and of withheld pairs."""

    validation: float
    withheld: float


def as_published(mixture: Mixture, pool: Pool, shares: Shares, seed: int) -> dict[str, str]:
    """Sample -> part; training and validation are divided at random, also the samples of a pair or a photograph (K6).

    The withheld test consists of whole pairs. The number of training samples is rounded down: 80% of 17,411 are 13,928.
    A sample that is in two mixtures is mostly in the same part of both, because samples have one random order.
    """
    if mixture in WITHHOLDING:
        test = withheld_pairs(pool, shares.withheld, seed)
        return at_random(
            remaining(mixture, replace(pool, pairs=pool.pairs - test), seed), shares, seed, samples_of(test)
        )
    return at_random(members(mixture, pool, seed), shares, seed)


def at_random(chosen: Collection[str], shares: Shares, seed: int, test: Iterable[str] = ()) -> dict[str, str]:
    """Sample -> part: training or validation at random, and the given test samples."""
    return _parts(chosen, sample(seed, "validation", chosen, _validation(len(chosen), shares)), test)


def leak_free(
    chosen: Collection[str], groups: Mapping[str, str], shares: Shares, seed: int, test: Iterable[str] = ()
) -> dict[str, str]:
    """As `at_random`, but with all samples of a group in the same part.

    `groups` has the photograph of each sample (`photographs_of_samples`). Whole groups are drawn, so that the parts are
    as near as possible to their shares.
    """
    validation = _whole_groups(chosen, groups, _validation(len(chosen), shares), (seed, "validation"))
    return _parts(chosen, validation, test)


def withheld_leak_free(
    mixture: Mixture, pool: Pool, groups: Mapping[str, str], shares: Shares, seed: int
) -> dict[str, str]:
    """The division without a leak of a mixture that withholds pairs: sample -> part.

    The pairs of whole groups are withheld. No other sample of these groups is used, so fewer originals may be left than
    the mixture should have.
    """
    number = len(SIDES) * share_of(len(pool.pairs), exact(shares.withheld))
    test = _whole_groups(samples_of(pool.pairs), groups, number, (seed, "withheld"))
    closed = {groups[one] for one in test}
    left = replace(
        pool,
        paired=frozenset(one for one in pool.paired if groups[one] not in closed),
        unpaired=frozenset(one for one in pool.unpaired if groups[one] not in closed),
        pairs=frozenset(pair for pair in pool.pairs if groups[item_id(pair, 0)] not in closed),
    )
    return leak_free(remaining(mixture, left, seed), groups, shares, seed, test)


def _validation(number: int, shares: Shares) -> int:
    return number - math.floor(number * (1 - exact(shares.validation)))


def _parts(chosen: Iterable[str], validation: set[str], test: Iterable[str]) -> dict[str, str]:
    parts = {one: VALIDATION if one in validation else TRAIN for one in chosen}
    return {**parts, **dict.fromkeys(test, TEST)}


def _whole_groups(samples: Collection[str], groups: Mapping[str, str], target: int, names: tuple[int, str]) -> set[str]:
    """The samples of groups in random order whose number is as near as possible to `target`."""
    sizes = Counter(groups[one] for one in samples)
    seed, name = names
    order = sorted(sizes, key=lambda group: (stream(seed, "groups", name, group).random(), group))
    taken: set[str] = set()
    while order and target - sizes[order[-1]] >= _LAST:
        target -= sizes[order[-1]]
        taken.add(order.pop())
    last: list[str] = []
    total = 0
    for group in reversed(order):
        if total < 4 * max(target, _LAST) and sizes[group] <= 2 * target:  # larger ones are farther from it than none
            last.append(group)
            total += sizes[group]
    taken.update(last[place] for place in _nearest([sizes[group] for group in last], target))
    return {one for one in samples if groups[one] in taken}


def _nearest(sizes: list[int], target: int) -> list[int]:
    """The places of sizes whose sum is as near as possible to `target`; of two sums as near, the larger one.

    Bit k of `sums[i]` is set if some of the sizes from place i on have the sum k.
    """
    considered = (1 << 2 * target + 1) - 1  # no sum is farther from the target than 0
    sums = [1]
    for size in reversed(sizes):
        sums.append((sums[-1] | sums[-1] << size) & considered)
    sums.reverse()
    reached = [total for total in range(2 * target + 1) if sums[0] >> total & 1]
    left = min(reached, key=lambda total: (abs(total - target), -total))
    places = []
    for place, size in enumerate(sizes):
        if left >= size and sums[place + 1] >> (left - size) & 1:
            places.append(place)
            left -= size
    return places
