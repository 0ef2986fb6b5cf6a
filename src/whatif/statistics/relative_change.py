"""The relative change of a share between two sets of questions about the same images."""

from __future__ import annotations

import math

import numpy as np

from whatif.random_streams import stream
from whatif.statistics.bootstrap import percentile_interval, resampled_totals
from whatif.statistics.clustered import cluster_bootstrap
from whatif.statistics.clusters import ClusterTotals, Floats, Integers, Labels, Outcomes, cluster_totals, outcomes
from whatif.statistics.intervals import Interval


def relative_change(
    baseline: Outcomes,
    baseline_clusters: Labels,
    other: Outcomes,
    other_clusters: Labels,
    *,
    confidence: float = 0.95,
    resamples: int = 9999,
    seed: int = 0,
) -> Interval:
    """Share of right ones in `other` over that in `baseline`, minus 1, in percent, by one bootstrap over clusters.

    Both sets may be of any size; each has an outcome and the label of its cluster an entry. A cluster is drawn with all
    that both sets have in it, so that what the two have in common widens nothing.

    Relative to no right one a change is not defined: then the estimate is NaN, and such a resample counts as -100% at
    the low end and as infinite at the high end. Where all resamples are the same, the ends are those of both shares'
    own intervals, each at its worst. With fewer than two clusters the interval is from -100% to infinite.

    Raises ValueError as `cluster_bootstrap` does.
    """
    sets = [("baseline", baseline, baseline_clusters), ("other", other, other_clusters)]
    totals = _together(sets)
    if totals.clusters < 2:
        return Interval(_change(totals.sums[np.newaxis], math.nan)[0], -100.0, math.inf)
    estimate = float(_change(totals.sums[np.newaxis], math.nan)[0])
    drawn = resampled_totals(totals, resamples, stream(seed, "relative change"))
    low, high = _change(drawn, -100.0), _change(drawn, math.inf)
    if low.min() == high.max():
        before, after = (
            cluster_bootstrap(right, clusters, confidence=confidence, resamples=resamples, seed=seed)
            for _, right, clusters in sets
        )
        most = 100 * (after.high / before.low - 1) if before.low else math.inf
        return Interval(estimate, 100 * (after.low / before.high - 1), most)
    return percentile_interval(estimate, low, high, confidence)


def _together(sets: list[tuple[str, Outcomes, Labels]]) -> ClusterTotals:
    """Totals by cluster of (questions, questions of the baseline, right ones of it, questions of the other, right)."""
    columns, labels = [], []
    for place, (name, given, clusters) in enumerate(sets):
        right = outcomes(name, given)
        if len(right) != len(clusters):
            raise ValueError(f"{len(clusters)} cluster labels for {len(right)} questions: each needs one")
        rows = np.zeros((4, len(right)), dtype=np.int8)
        rows[2 * place : 2 * place + 2] = np.ones(len(right)), right
        columns.append(rows)
        labels += list(clusters)
    return cluster_totals(list(np.concatenate(columns, axis=1)), labels)


def _change(totals: Integers, undefined: float) -> Floats:
    """In percent, of each row of totals; `undefined` where a set has no question or the baseline nothing right."""
    _, number, right, other_number, other_right = totals.T.astype(np.float64)
    defined = (right > 0) & (other_number > 0)
    ratio = other_right * number / np.where(defined, other_number * right, 1)
    return np.where(defined, 100 * (ratio - 1), undefined)
