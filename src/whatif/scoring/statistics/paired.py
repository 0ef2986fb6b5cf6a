"""Paired comparison of the answers to the original and the counterfactual questions of the same pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from whatif.scoring.statistics.clusters import (
    ClusterTotals,
    Labels,
    Outcomes,
    cluster_totals,
    mean_and_variance,
    outcomes,
)
from whatif.scoring.statistics.effective_size import effective_size
from whatif.scoring.statistics.intervals import Interval, square_and_add, tango
from whatif.scoring.statistics.sign_flips import sign_flip_p


@dataclass(frozen=True)
class Difference:
    """A difference in fractions with its interval and the two-sided p-value of no difference, by the same clusters."""

    interval: Interval
    p: float


def paired_drop(
    original: Outcomes, counterfactual: Outcomes, clusters: Labels | None = None, *, confidence: float = 0.95
) -> Difference:
    """The drop: accuracy on original questions minus that on their counterfactuals, so that a loss is positive.

    Interval, test and errors are those of `paired_difference`.
    """
    _both(original, counterfactual)
    return paired_difference(counterfactual, original, clusters, confidence=confidence)


def paired_difference(
    before: Outcomes, after: Outcomes, clusters: Labels | None = None, *, confidence: float = 0.95
) -> Difference:
    """Accuracy after minus accuracy before, on the same pairs, and the test that they are equal.

    Results are fractions; all arguments have one entry per pair. The interval is Tango's score interval and p is
    McNemar's exact p-value. If `clusters` names the image of each pair, the interval is that of the effective number of
    pairs (`effective_size`) and p is that of `sign_flip_p`, which changes the signs of images. If no pair changed, or
    all changed in the same way, the effective number is the number of images. If all pairs are about one image, they
    give no information about other images: the interval is all of [-1, 1] and p is 1. Without pairs the estimate is NaN
    and p is 1.

    Raises ValueError when lengths differ, when an outcome is neither true nor false, when the label of a cluster is
    missing, or when confidence is not within (0, 1).
    """
    one, other = _both(before, after, ("before", "after"))
    totals = cluster_totals([other - one, (other - one) ** 2], clusters)
    return Difference(difference_of(totals, confidence), sign_flip_p(totals))


def difference_of(totals: ClusterTotals, confidence: float) -> Interval:
    """The interval of `paired_difference` for totals of (pairs, answers gained minus answers lost, pairs changed)."""
    pairs, change, changed = (int(total) for total in totals.sums)
    size = effective_size(totals, changed, confidence)
    if size == 0:
        return Interval(totals.mean, -1.0, 1.0)
    return tango((changed - change) / (2 * pairs), (changed + change) / (2 * pairs), size, confidence)


def difference_of_drops(
    model_a: tuple[Outcomes, Outcomes],
    model_b: tuple[Outcomes, Outcomes],
    clusters: Labels | None = None,
    *,
    confidence: float = 0.95,
) -> Difference:
    """The drop of model A minus the drop of model B on the same pairs, in fractions, with a paired t test.

    Each model is given by its outcomes on originals and on counterfactuals, one entry per pair. A drop is
    `paired_drop`, so if the difference is positive, model A loses more. The variance is the jackknife variance
    over pairs, or over images if `clusters` names the image of each pair. t has clusters - 1 degrees of freedom. p is
    at most 1 - confidence exactly when the interval excludes 0.

    If the difference is the same in all clusters, the interval is computed from the intervals of both drops
    (`square_and_add`) with the number of clusters as the number of pairs, and p is that of the sign test. With fewer
    than two clusters the interval is all of [-2, 2] and p is 1.

    Raises ValueError as `paired_difference` does, and when the models differ in their number of pairs.
    """
    from scipy.special import stdtr, stdtrit  # scipy.stats takes a second to import

    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence}: must lie between 0 and 1")
    (before_a, after_a), (before_b, after_b) = _both(*model_a), _both(*model_b)
    if before_a.size != before_b.size:
        raise ValueError(f"model A has {before_a.size} pairs and model B {before_b.size}: both must answer the same")
    totals = cluster_totals([(before_a - after_a) - (before_b - after_b)], clusters)
    if totals.clusters < 2:
        return Difference(Interval(totals.mean, -2.0, 2.0), 1.0)
    if totals.agree():
        sides = ((before_a, after_a), (before_b, after_b))
        drops = [
            tango(float(np.mean(after > before)), float(np.mean(before > after)), totals.clusters, confidence)
            for before, after in sides
        ]
        return Difference(square_and_add(*drops), sign_flip_p(totals))
    mean, variance = (float(value) for value in mean_and_variance(totals.kinds, totals.counts))
    error, freedom = math.sqrt(variance), totals.degrees_of_freedom
    margin = float(stdtrit(freedom, (1 + confidence) / 2)) * error
    p = min(1.0, 2 * float(stdtr(freedom, -abs(mean) / error)))
    return Difference(Interval(mean, max(-2.0, mean - margin), min(2.0, mean + margin)), p)


def _both(
    first: Outcomes, second: Outcomes, names: tuple[str, str] = ("original", "counterfactual")
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    before, after = outcomes(names[0], first), outcomes(names[1], second)
    if before.size != after.size:
        raise ValueError(f"{before.size} {names[0]} and {after.size} {names[1]} answers: pairs need both")
    return before, after
