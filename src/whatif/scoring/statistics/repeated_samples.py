"""Means over questions that were asked several times, and how much of their variance is noise of decoding.

Of the n samples of question q, c are right; x = c / n is the mean of the question. The variance of the mean over
questions is that of two steps: which questions are asked, and which responses are drawn to them. docs/measures.md
derives both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from whatif.scoring.statistics.clustered import clustered_share
from whatif.scoring.statistics.clusters import Floats, Integers
from whatif.scoring.statistics.intervals import Interval, square_and_add, wilson
from whatif.scoring.statistics.paired import paired_drop

_NO_VARIANCE = 1e-24  # less than one sample of a question can cause; what rounding leaves of zero


@dataclass(frozen=True)
class Repeated:
    """A mean in fractions with its interval, and its standard errors.

    error: the standard error by clusters, of questions and decoding together. decoding_error: that of decoding alone,
    if the same questions were asked again. Each is NaN where it cannot be estimated.
    """

    interval: Interval
    error: float
    decoding_error: float

    @property
    def decoding_share(self) -> float:
        """The share of decoding in the variance, at most 1; NaN without any variance."""
        if not self.error > 0:
            return math.nan
        return min(1.0, (self.decoding_error / self.error) ** 2)


def pass_at_k(right: Integers, samples: int, k: int) -> Floats:
    """The probability that at least one of k samples of each question is right, unbiased: 1 - C(n-c, k) / C(n, k).

    right: the number c of right samples of each question, of n `samples`. Chen et al., "Evaluating Large Language
    Models Trained on Code", 2021, section 2.1 (equation 1). At k = 1 it is c / n.

    Raises ValueError when k is not within 1..samples, or a number of right samples not within 0..samples.
    """
    if not 1 <= k <= samples:
        raise ValueError(f"pass@{k}: k must lie between 1 and the number of samples, {samples}")
    if right.size and not (right.min() >= 0 and right.max() <= samples):
        raise ValueError(f"pass@{k}: the right samples of a question must lie between 0 and {samples}")
    by_right = [1 - math.comb(samples - number, k) / math.comb(samples, k) for number in range(samples + 1)]
    return np.array(by_right)[right]


def decoding_variance(right: Integers, samples: int) -> Floats:
    """The variance of each question's mean over its samples, if it is asked again: x (1 - x) / (n - 1), unbiased.

    right: the number of right samples of each question, of n `samples`. Raises ValueError with fewer than two samples.
    """
    if samples < 2:
        raise ValueError(f"{samples} samples of a question: the variance of decoding needs two")
    mean = right / samples
    return np.asarray(mean * (1 - mean) / (samples - 1))


def error_by_cluster(values: Floats, clusters: Integers) -> float:
    """The standard error of the mean of `values` by the jackknife over clusters; NaN with fewer than two.

    `clusters` has the cluster of each value, as a whole number from 0. The variance is that of
    `whatif.scoring.statistics.clusters.mean_and_variance`.
    """
    sizes = np.bincount(clusters)
    totals = np.bincount(clusters, weights=values)[sizes > 0]
    sizes = sizes[sizes > 0]
    if len(sizes) < 2:
        return math.nan
    changes = (totals - values.mean() * sizes) / (len(values) - sizes)
    variance = (len(sizes) - 1) / len(sizes) * float(np.sum(changes**2))
    return math.sqrt(variance) if variance > _NO_VARIANCE else 0.0


def mean_share(values: Floats, clusters: Integers, *, confidence: float = 0.95) -> Interval:
    """The mean of shares, each from 0 to 1, with Wilson's interval for the effective number of questions.

    With p the mean, V its variance (`error_by_cluster`), and z and t the quantiles of `effective_size`, this number is
    p (1 - p) / V (z / t)^2; without variance it is the number of clusters. If every value is 0 or 1, the interval is
    that of `clustered_share`. With a single cluster of several questions it is all of [0, 1].

    Raises ValueError when there are no values, or when confidence is not within (0, 1).
    """
    from scipy.special import ndtri, stdtrit  # scipy.stats takes a second to import

    if not values.size:
        raise ValueError("there are no questions, so there is no mean")
    if ((values == 0) | (values == 1)).all():
        return clustered_share(values == 1, clusters, confidence=confidence)
    mean, error, number = float(values.mean()), error_by_cluster(values, clusters), len(np.unique(clusters))
    if number < 2:
        return Interval(mean, 0.0, 1.0)
    tail = (1 + confidence) / 2
    narrower = float(ndtri(tail) / stdtrit(number - 1, tail)) ** 2
    size = mean * (1 - mean) / error**2 * narrower if error else float(number)
    return wilson(mean * size, size, confidence)


def repeated_share(right: Integers, samples: int, clusters: Integers, *, confidence: float = 0.95) -> Repeated:
    """The accuracy of a single sample: the mean of c / n over questions.

    right: the number c of right samples of each question, of n `samples`; clusters: the image of each question as a
    whole number. The interval is that of `mean_share`. Raises ValueError as it does, and as `decoding_variance`.
    """
    values = right / samples
    noise = float(decoding_variance(right, samples).sum()) / len(right) ** 2 if len(right) else math.nan
    interval = mean_share(values, clusters, confidence=confidence)
    return Repeated(interval, error_by_cluster(values, clusters), math.sqrt(noise))


def repeated_drop(
    right: Integers,
    samples: int,
    original: Integers,
    counterfactual: Integers,
    clusters: Integers,
    *,
    confidence: float = 0.95,
) -> Repeated:
    """The drop of a single sample: the mean over pairs of c / n of the original minus that of the counterfactual.

    right: the number c of right samples of each question, of n `samples`. original, counterfactual: the indices in it
    of the two questions of each pair; a question may be in several pairs. clusters: the image of each pair.

    The interval is the estimate plus and minus t times the standard error by cluster, with clusters - 1 degrees of
    freedom, within [-1, 1]. If the samples of each question are all right or all wrong, it is that of `paired_drop`. If
    the drop is the same in every cluster, it is computed from the intervals of both accuracies (`square_and_add`). With
    a single cluster it is all of [-1, 1].

    With w the number of pairs of question q, and P that of all pairs, the variance of decoding is the sum over
    questions of (w / P)^2 x (1 - x) / (n - 1). Raises ValueError when there are no pairs, and as `mean_share`.
    """
    from scipy.special import stdtrit

    if not original.size:
        raise ValueError("there are no pairs, so there is no drop")
    means = right / samples
    before, after = means[original], means[counterfactual]
    drops = before - after
    weights = np.bincount(np.concatenate([original, counterfactual]), minlength=len(right)) / len(original)
    noise = math.sqrt(float((weights**2 * decoding_variance(right, samples)).sum()))
    error, number = error_by_cluster(drops, clusters), len(np.unique(clusters))
    estimate = float(drops.mean())
    if number < 2:
        interval = Interval(estimate, -1.0, 1.0)
    elif ((means == 0) | (means == 1)).all():
        interval = paired_drop(before == 1, after == 1, clusters, confidence=confidence).interval
    elif error == 0:
        both = (mean_share(side, clusters, confidence=confidence) for side in (before, after))
        interval = square_and_add(*both)
    else:
        margin = float(stdtrit(number - 1, (1 + confidence) / 2)) * error
        interval = Interval(estimate, max(-1.0, estimate - margin), min(1.0, estimate + margin))
    return Repeated(interval, error, noise)
