"""The cluster bootstrap: totals of resampled images, and percentile intervals from them."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from whatif.scoring.statistics.clusters import ClusterTotals, Floats, Integers
from whatif.scoring.statistics.intervals import Interval

_CELLS = 4_000_000  # maximum number of counts of clusters by kind in memory: 32 MB


def resampled_totals(totals: ClusterTotals, resamples: int, generator: np.random.Generator) -> Integers:
    """Totals of all clusters (resamples x columns) when the same number of clusters is drawn with replacement.

    The number of draws of each kind of cluster has a multinomial distribution. Drawing these numbers is therefore the
    cluster bootstrap itself (Davison and Hinkley, Bootstrap Methods and their Application, 1997, 3.8, one stage), at a
    cost that depends on the number of kinds and not on the number of questions. There must be at least one cluster.
    """
    shares = totals.counts / totals.clusters
    drawn = np.empty((resamples, totals.kinds.shape[1]), dtype=np.int64)
    for part in parts(resamples, len(shares)):
        size = part.stop - part.start
        drawn[part] = generator.multinomial(totals.clusters, shares, size=size) @ totals.kinds
    return drawn


def parts(resamples: int, kinds: int) -> Iterator[slice]:
    """Splits the resamples into parts whose counts by kind fit into memory, with at least one resample each."""
    step = max(1, _CELLS // max(1, kinds))
    for start in range(0, resamples, step):
        yield slice(start, min(start + step, resamples))


def percentile_interval(estimate: float, low: Floats, high: Floats, confidence: float) -> Interval:
    """The estimate with its percentile interval: the k-th smallest and the k-th largest of R resampled values.

    k is (R + 1)(1 - confidence) / 2, rounded down (Davison and Hinkley, 5.3); 250 for R = 9999 and 95%. `low` and
    `high` (resamples) are the same values, except that each has its worst case where the value is not defined.

    Raises ValueError when R is too small to have such an end, or when confidence is not within (0, 1).
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence}: must lie between 0 and 1")
    resamples = len(low)
    # In floating point 1 - 0.9 is slightly less than 0.1, which must not reduce the rank.
    rank = math.floor(round((resamples + 1) * (1 - confidence) / 2, 6))
    if rank < 1:
        raise ValueError(f"{resamples} resamples are too few for {100 * confidence:g}% confidence: take 999 or more")
    return Interval(
        estimate,
        float(np.partition(low, rank - 1)[rank - 1]),
        float(np.partition(high, resamples - rank)[resamples - rank]),
    )
