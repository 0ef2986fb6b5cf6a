"""Draws the samples of training sets: originals, and counterfactual samples in pairs (COCO-Counterfactuals B.3.1)."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction

from whatif.benchmarks.coco_counterfactuals_training.schemas import Mixture
from whatif.engine.artifacts.pair_items import SIDES, item_id
from whatif.engine.errors import WhatifError
from whatif.engine.random_streams import sample

WITHHOLDING: tuple[Mixture, ...] = ("withheld-ms-coco", "withheld-counterfactuals")  # mixtures with a test part
_HALF, _QUARTER, _THREE_QUARTERS = Fraction(1, 2), Fraction(1, 4), Fraction(3, 4)


@dataclass(frozen=True)
class Pool:
    """The ids of the samples that mixtures are drawn from.

    paired: originals of pairs; unpaired: other originals; pairs: the pairs, of two counterfactual samples each;
    correct: the counterfactual samples that people matched correctly.
    """

    paired: frozenset[str]
    unpaired: frozenset[str]
    pairs: frozenset[str]
    correct: frozenset[str]


def samples_of(pairs: Iterable[str]) -> set[str]:
    """Both counterfactual samples of each pair."""
    return {item_id(pair, side) for pair in pairs for side in SIDES}


def members(mixture: Mixture, pool: Pool, seed: int) -> set[str]:
    """The training and validation samples of a mixture that withholds nothing.

    `ms-coco`: the originals of pairs. `base`: half of them, and a quarter of the pairs. `medium`: all, and three
    quarters of the counterfactual samples. `all`: all of both. `correct`: all originals, and the samples that people
    matched correctly (A.4). Numbers are rounded to the nearest, halves up: 4,352.5 pairs are 4,353, as printed. Pairs
    are drawn whole, except the last one where the number of samples is odd; those of `base` are also in `medium`.

    Raises WhatifError when `correct` has no counterfactual sample.
    """
    if mixture == "base":
        originals = sample(seed, "originals", pool.paired, share_of(len(pool.paired), _HALF))
        return originals | samples_of(sample(seed, "pairs", pool.pairs, share_of(len(pool.pairs), _QUARTER)))
    if mixture == "ms-coco":
        return set(pool.paired)
    if mixture == "medium":
        return {*pool.paired} | _drawn_in_pairs(
            pool.pairs, share_of(len(SIDES) * len(pool.pairs), _THREE_QUARTERS), seed
        )
    if mixture == "all":
        return {*pool.paired} | samples_of(pool.pairs)
    if mixture == "correct":
        if not pool.correct:
            raise WhatifError(
                "mixture correct: no image of a pair was judged as correct; give people's labels to the benchmark "
                "whose pairs they are, or take `correct` out of the mixtures"
            )
        return set(pool.paired | pool.correct)
    raise ValueError(f"mixture {mixture}: withholds pairs; use `withheld_pairs` and `remaining`")


def withheld_pairs(pool: Pool, share: float, seed: int) -> set[str]:
    """The pairs of the test: a share of all (30% in A.1)."""
    return sample(seed, "withheld", pool.pairs, share_of(len(pool.pairs), exact(share)))


def remaining(mixture: Mixture, pool: Pool, seed: int) -> set[str]:
    """The training and validation samples of a mixture that withholds pairs; `pool` is without them.

    `withheld-counterfactuals`: all counterfactual samples. `withheld-ms-coco`: as many originals, of pairs or not; all
    if there are fewer.
    """
    counterfactuals = samples_of(pool.pairs)
    if mixture == "withheld-counterfactuals":
        return counterfactuals
    return sample(seed, "withheld-originals", pool.paired | pool.unpaired, len(counterfactuals))


def share_of(number: int, share: Fraction) -> int:
    """A share of a number, rounded to the nearest, halves up."""
    return math.floor(number * share + _HALF)


def exact(share: float) -> Fraction:
    """A share as it is written in decimals: 0.2 is a fifth."""
    return Fraction(str(share))


def _drawn_in_pairs(pairs: Collection[str], number: int, seed: int) -> set[str]:
    """A number of counterfactual samples: of whole pairs, and where it is odd, one sample of another pair."""
    whole = sample(seed, "pairs", pairs, number // len(SIDES))
    more = sample(seed, "pairs", pairs, -(-number // len(SIDES)))
    rest = number - len(SIDES) * len(whole)
    return samples_of(whole) | {one for pair in more - whole for one in sample(seed, "sides", samples_of([pair]), rest)}
