"""The mean of measurements with its interval, by cluster."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from whatif.scoring.statistics.intervals import Interval


def mean_interval(
    values: Sequence[float], clusters: Sequence[str] | None = None, *, confidence: float = 0.95
) -> Interval:
    """The mean of `values` with its t interval, in their unit.

    `clusters` names the cluster of each value; None makes each value its own cluster. The variance is the jackknife
    variance over clusters (`whatif.scoring.statistics.clusters.mean_and_variance`), and t has clusters - 1 degrees of
    freedom. If each value is its own cluster, the interval is the ordinary one of a mean. With fewer than two clusters
    nothing is known about the variance, and the interval is unbounded; without values the estimate is NaN.

    Raises ValueError when lengths differ, when a value is not finite, or when confidence is not within (0, 1).
    """
    from scipy.special import stdtrit  # scipy.stats takes a second to import

    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence}: must lie between 0 and 1")
    measured = np.asarray(values, dtype=np.float64)
    labels = list(range(measured.size)) if clusters is None else list(clusters)
    if len(labels) != measured.size:
        raise ValueError(f"{len(labels)} cluster labels for {measured.size} values: each needs one")
    if not np.isfinite(measured).all():
        raise ValueError(f"value {int(np.flatnonzero(~np.isfinite(measured))[0])}: is not a finite number")
    places: dict[str | int, int] = {}
    of = np.array([places.setdefault(label, len(places)) for label in labels], dtype=np.intp)
    sizes, totals = np.bincount(of), np.bincount(of, weights=measured)
    if len(sizes) < 2:
        return Interval(float(measured.mean()) if measured.size else math.nan, -math.inf, math.inf)
    mean = float(measured.mean())
    changes = mean - (totals.sum() - totals) / (measured.size - sizes)
    variance = (len(sizes) - 1) / len(sizes) * float(np.sum(changes**2))
    margin = float(stdtrit(len(sizes) - 1, (1 + confidence) / 2)) * math.sqrt(variance)
    return Interval(mean, mean - margin, mean + margin)
