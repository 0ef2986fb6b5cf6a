"""The relative change of a share between two sets of questions about the same images."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from whatif.scoring.statistics.clustered import clustered_share
from whatif.scoring.statistics.clusters import (
    ClusterTotals,
    Labels,
    Outcomes,
    cluster_totals,
    jackknife_variance,
    outcomes,
    without_one,
)
from whatif.scoring.statistics.intervals import Interval


def relative_change(
    baseline: Outcomes,
    baseline_clusters: Labels,
    other: Outcomes,
    other_clusters: Labels,
    *,
    confidence: float = 0.95,
) -> Interval:
    """The share right in `other` divided by that in `baseline`, minus 1, in percent, with a t interval over clusters.

    The sets may differ in size; each entry of a set has an outcome and the label of its cluster. The interval is
    computed for the logarithm of the ratio. Its variance comes from a jackknife that leaves out a cluster in both sets
    together, so variation that the sets share does not widen the interval; t has clusters - 1 degrees of freedom.

    If nothing is right in `baseline`, a change is not defined: the estimate is NaN and the interval goes from -100% to
    infinity. If the logarithm is not defined or no cluster differs from another (nothing right in `other`, everything
    right in both), the ends are computed from the intervals of both shares, each at its worst. If one of the sets is
    a single cluster, the interval goes from -100% to infinity.

    Raises ValueError as `clustered_share` does.
    """
    from scipy.special import stdtrit  # scipy.stats takes a second to import

    sets = [("baseline", baseline, baseline_clusters), ("other", other, other_clusters)]
    totals = _together(sets)
    number, right, other_number, other_right = (int(total) for total in totals.sums[1:])
    shares = [clustered_share(answers, clusters, confidence=confidence) for _, answers, clusters in sets]
    if not (right and other_number):
        return Interval(math.nan, -100.0, math.inf)
    ratio = other_right * number / (other_number * right)
    if max(totals.kinds[:, 1]) == number or max(totals.kinds[:, 3]) == other_number:
        return Interval(100 * (ratio - 1), -100.0, math.inf)
    error = _standard_error(totals) if other_right else 0.0
    if error < 1e-12:
        before, after = shares
        most = 100 * (after.high / before.low - 1) if before.low else math.inf
        return Interval(100 * (ratio - 1), 100 * (after.low / before.high - 1), most)
    margin = float(stdtrit(totals.degrees_of_freedom, (1 + confidence) / 2)) * error
    low, high = (100 * (ratio * math.exp(end) - 1) for end in (-margin, margin))
    return Interval(100 * (ratio - 1), low, high)


def _together(sets: list[tuple[str, Outcomes, Labels]]) -> ClusterTotals:
    """Totals by cluster: (questions, baseline questions, right ones of these, other questions, right ones of these)."""
    columns: list[npt.NDArray[np.int8]] = []
    labels: list[Any] = []
    for place, (name, given, clusters) in enumerate(sets):
        right = outcomes(name, given)
        if len(right) != len(clusters):
            raise ValueError(f"{len(clusters)} cluster labels for {len(right)} questions: each needs one")
        rows = np.zeros((4, len(right)), dtype=np.int8)
        rows[2 * place : 2 * place + 2] = np.ones(len(right)), right
        columns.append(rows)
        labels += list(clusters)
    return cluster_totals(list(np.concatenate(columns, axis=1)), labels)


def _standard_error(totals: ClusterTotals) -> float:
    """The standard error of the logarithm of the ratio of both shares."""
    mean, changes = without_one(totals.kinds[:, 1:3], totals.counts)
    other_mean, other_changes = without_one(totals.kinds[:, 3:5], totals.counts)
    return math.sqrt(float(jackknife_variance(other_changes / other_mean - changes / mean, totals.counts)))
