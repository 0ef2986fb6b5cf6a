"""Several measurements of the same items, such as one for each wording of the prompt: do they differ?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from whatif.scoring.statistics.clusters import Integers
from whatif.scoring.statistics.repeated_samples import error_by_cluster

_NO_VARIANCE = 1e-9  # totals are whole, so this is only what rounding leaves of zero


@dataclass(frozen=True)
class MatchedMeans:
    """The means of k measurements of the same items, in fractions.

    means: each of them, in their order. error: the standard error over items of one mean, by cluster, as the root mean
    square over the k measurements; NaN with a single cluster. p: the p-value of `cochran_p`.
    """

    means: npt.NDArray[np.float64]
    error: float
    p: float

    @property
    def range(self) -> float:
        """The largest mean minus the smallest."""
        return float(np.ptp(self.means))

    @property
    def deviation(self) -> float:
        """The standard deviation of the means, with k - 1 in the denominator."""
        return float(self.means.std(ddof=1))


def matched_means(values: npt.NDArray[Any], clusters: Integers) -> MatchedMeans:
    """The means of measurements (k x items) and whether they differ; `clusters` is the image of each item from 0.

    Values are whole: 1 for a right answer, or for a drop the original minus the counterfactual. Raises ValueError as
    `cochran_p`, and when there are no items.
    """
    p = cochran_p(values, clusters)
    if not values.shape[1]:
        raise ValueError("there are no items, so there are no means")
    variances = [error_by_cluster(row.astype(np.float64), clusters) ** 2 for row in values]
    return MatchedMeans(values.mean(axis=1), math.sqrt(float(np.mean(variances))), p)


def cochran_p(values: npt.NDArray[Any], clusters: Integers) -> float:
    """The p-value of the hypothesis that k measurements (k x items) are exchangeable in each cluster: Cochran's Q test.

    With T_jg the sum of measurement j in cluster g, T_j its sum over all G clusters, and bars for means over j,

        Q = sum over j of (T_j - T_bar)^2 / (1 / (k - 1) * sum over g and j of (T_jg - T_bar_g)^2)

    has a chi-square distribution with k - 1 degrees of freedom for many clusters: the denominator is the variance of
    each T_j - T_bar, times k / (k - 1), over all permutations of the measurements within clusters. If each cluster is
    one item and values are 0 or 1, this is the Q of Cochran ("The comparison of percentages in matched samples",
    Biometrika 37, 1950, 256-266). With k = 2 it is the statistic of Yang, Sun and Hardin (`sign_flip_p`), without
    clusters that of McNemar.

    If the measurements are equal in every cluster, or there is one cluster, p is 1. Raises ValueError with fewer than
    two measurements, and when the clusters are not one for each item.
    """
    from scipy.special import chdtrc  # scipy.stats takes a second to import

    number, items = values.shape
    if number < 2:
        raise ValueError(f"{number} measurements: a comparison needs two")
    if clusters.shape != (items,):
        raise ValueError(f"{len(clusters)} clusters for {items} items: each needs one")
    totals = np.stack([np.bincount(clusters, weights=row) for row in values])
    within = float(((totals - totals.mean(axis=0)) ** 2).sum()) / (number - 1)
    if len(np.unique(clusters)) < 2 or within < _NO_VARIANCE:
        return 1.0
    sums = totals.sum(axis=1)
    return float(chdtrc(number - 1, float(((sums - sums.mean()) ** 2).sum()) / within))
