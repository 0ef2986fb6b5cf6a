"""Accuracy with its interval when several questions share an image."""

from __future__ import annotations

import math
from dataclasses import dataclass

from whatif.random_streams import stream
from whatif.statistics.bootstrap import percentile_interval, resampled_totals
from whatif.statistics.clusters import ClusterTotals, Labels, Outcomes, cluster_totals, mean_and_variance, outcomes
from whatif.statistics.intervals import Interval, wilson


@dataclass(frozen=True)
class RobustAccuracy:
    """Accuracy with its cluster-robust standard error, and the t interval that follows; all are fractions."""

    interval: Interval
    standard_error: float
    degrees_of_freedom: int


def cluster_bootstrap(
    correct: Outcomes, clusters: Labels, *, confidence: float = 0.95, resamples: int = 9999, seed: int = 0
) -> Interval:
    """Accuracy with the percentile interval of a bootstrap over clusters, in fractions.

    `correct` and `clusters` hold one entry a question: whether it was answered right, and its image. Images are
    resampled with all their questions. When all clusters are equally right every resample is the same; then the
    interval is Wilson's, of as many observations as there are clusters. With fewer than two clusters nothing is known
    of how they differ: the interval is all of [0, 1]; without questions the estimate is NaN.

    Raises ValueError when there are no labels or one is missing, when an outcome is neither true nor false, when the
    two differ in length, or when there are too few resamples for the confidence.
    """
    totals = _totals(correct, clusters)
    if totals.clusters < 2:
        return Interval(_accuracy(totals), 0.0, 1.0)
    if totals.agree():
        return wilson(_accuracy(totals) * totals.clusters, totals.clusters, confidence)
    drawn = resampled_totals(totals, resamples, stream(seed, "cluster bootstrap"))
    accuracies = drawn[:, 1] / drawn[:, 0]
    return percentile_interval(_accuracy(totals), accuracies, accuracies, confidence)


def cluster_robust(correct: Outcomes, clusters: Labels, *, confidence: float = 0.95) -> RobustAccuracy:
    """Accuracy with its cluster-robust (sandwich) standard error and t interval, in fractions.

    The formula is that of `mean_and_variance`, the reference a t distribution with clusters - 1 degrees of freedom
    (Cameron and Miller 2015, VI.D); the ends are cut off at 0 and 1. It is what Miller, "Adding error bars to evals",
    2024, asks for, with the correction for few clusters. When all clusters are equally right the standard error is 0
    and the interval that of `cluster_bootstrap`. With fewer than two clusters the standard error is NaN
    and the interval all of [0, 1]; without questions the accuracy is NaN.

    Raises ValueError as `cluster_bootstrap` does.
    """
    from scipy.stats import t

    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence}: must lie between 0 and 1")
    totals = _totals(correct, clusters)
    degrees_of_freedom = max(0, totals.clusters - 1)
    if not degrees_of_freedom:
        return RobustAccuracy(Interval(_accuracy(totals), 0.0, 1.0), math.nan, 0)
    accuracy, variance = (float(value) for value in mean_and_variance(totals.kinds, totals.counts))
    standard_error = math.sqrt(variance)
    if totals.agree():
        return RobustAccuracy(wilson(accuracy * totals.clusters, totals.clusters, confidence), 0.0, degrees_of_freedom)
    margin = float(t.ppf((1 + confidence) / 2, degrees_of_freedom)) * standard_error
    interval = Interval(accuracy, max(0.0, accuracy - margin), min(1.0, accuracy + margin))
    return RobustAccuracy(interval, standard_error, degrees_of_freedom)


def _totals(correct: Outcomes, clusters: Labels | None) -> ClusterTotals:
    """The clusters behind both intervals, as (questions, right answers)."""
    if clusters is None:  # a caller that found no such column must not get the interval of independent questions
        raise ValueError("clustered accuracy needs the image of every question, and there are no labels")
    return cluster_totals([outcomes("correct", correct)], clusters)


def _accuracy(totals: ClusterTotals) -> float:
    questions, right = totals.sums
    return float(right / questions) if questions else math.nan
