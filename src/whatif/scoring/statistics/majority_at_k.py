"""The accuracy of the majority of k samples, and how often two samples agree, from n samples of each question."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from whatif.scoring.statistics.clusters import Floats, Integers


@lru_cache(maxsize=1 << 16)
def majority_at_k(right: tuple[int, ...], wrong: tuple[int, ...], without: int, errors: int, k: int) -> float:
    """The probability that the majority of k samples, drawn without replacement from those of a question, is right.

    right, wrong: how many samples gave each right and each wrong answer; without: samples without an answer; errors:
    those that failed. The majority is that of `whatif.scoring.majority`: an error leaves no answer, and so do more than
    k / 2 samples without one, and two answers that lead with equally many. At k = n this is 1 or 0: whether the answer
    that counts is right. At k = 1 it is the share of right samples.

    It is unbiased for the accuracy of the majority of k samples, as the mean over all subsets of k of the n samples (a
    U-statistic; Hoeffding, "A class of statistics with asymptotically normal distribution", Annals of Mathematical
    Statistics 19, 1948, section 5). The subsets are counted, not drawn: if a right answer with m samples leads with r
    of them, every other answer has fewer than r, so that the number of subsets is a coefficient of a product of
    polynomials.

    Raises ValueError when k is not within 1..n.
    """
    samples = sum(right) + sum(wrong) + without + errors
    if not 1 <= k <= samples:
        raise ValueError(f"majority@{k}: k must lie between 1 and the number of samples, {samples}")
    favourable = 0.0
    for place, most in enumerate(right):
        others = (*right[:place], *right[place + 1 :], *wrong)
        for lead in range(1, min(most, k) + 1):
            left = k - lead
            subsets = _chosen(without, k // 2, left)
            for other in others:
                subsets = np.convolve(subsets, _chosen(other, lead - 1, left))[: left + 1]
            if len(subsets) > left:
                favourable += math.comb(most, lead) * float(subsets[left])
    return favourable / math.comb(samples, k)


def agreement(sizes: Integers) -> Floats:
    """The probability that two different samples of each question give the same answer, unbiased.

    sizes: how many of the n samples of each question gave each answer, in any order and filled with zeros (questions x
    n). A sample without an answer agrees with none. With m samples of an answer it is the sum of m (m - 1) over the
    answers, divided by n (n - 1).

    Raises ValueError with fewer than two samples.
    """
    samples = sizes.shape[1]
    if samples < 2:
        raise ValueError(f"{samples} samples of a question: agreement needs two")
    return np.asarray((sizes * (sizes - 1)).sum(axis=1) / (samples * (samples - 1)))


def _chosen(of: int, most: int, at_most: int) -> Floats:
    """The number of ways to choose 0, 1, ... of some samples: up to `most`, and not more than `at_most`."""
    return np.array([math.comb(of, number) for number in range(min(of, most, at_most) + 1)], dtype=np.float64)
