"""Paired comparison of original and counterfactual: the same pairs answered twice."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from whatif.random_streams import stream
from whatif.statistics.intervals import Interval

Outcomes = Sequence[bool] | npt.NDArray[np.bool_]


def mcnemar_exact(original: Outcomes, counterfactual: Outcomes) -> float:
    """Two-sided exact p-value that right answers change as often to wrong as wrong ones to right.

    Both hold one entry a pair, True where the answer is right. Only pairs that changed speak: under the null
    hypothesis each direction has chance 1/2 (Agresti, Categorical Data Analysis, 10.1). Without any, p is 1.

    Raises ValueError when the two differ in length.
    """
    from scipy.stats import binomtest

    lost, gained, _ = _changes(original, counterfactual)
    return float(binomtest(min(lost, gained), lost + gained, 0.5).pvalue) if lost + gained else 1.0


def paired_difference(
    original: Outcomes, counterfactual: Outcomes, confidence: float, resamples: int, seed: int
) -> Interval:
    """Accuracy on counterfactual questions minus accuracy on their originals, with its percentile bootstrap interval.

    In fractions. Pairs are resampled, not answers. A pair is lost, gained or unchanged, so a resample of the pairs
    is one draw of these three counts from a multinomial distribution: the bootstrap itself, in memory that does not
    grow with the number of pairs. When all pairs are alike every resample is too, and the interval is a point;
    without pairs the estimate is NaN and the interval all of [-1, 1].

    Raises ValueError when the two differ in length.
    """
    lost, gained, pairs = _changes(original, counterfactual)
    if pairs == 0:
        return Interval(math.nan, -1.0, 1.0)
    generator = stream(seed, "paired difference")
    shares = np.array([lost, gained, pairs - lost - gained]) / pairs
    draws = generator.multinomial(pairs, shares, size=resamples)  # resamples x (lost, gained, unchanged)
    differences = (draws[:, 1] - draws[:, 0]) / pairs
    low, high = np.quantile(differences, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval((gained - lost) / pairs, float(low), float(high))


def _changes(original: Outcomes, counterfactual: Outcomes) -> tuple[int, int, int]:
    """How many pairs were right only in the original, only in the counterfactual, and how many there are."""
    before, after = np.asarray(original, dtype=bool), np.asarray(counterfactual, dtype=bool)
    if before.shape != after.shape:
        raise ValueError(f"{before.size} original and {after.size} counterfactual answers: pairs need both")
    return int(np.sum(before & ~after)), int(np.sum(after & ~before)), int(before.size)
