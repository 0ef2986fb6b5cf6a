"""McNemar's test for pairs in clusters, by changing the signs of whole clusters: exact, or drawn for several strata."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from whatif.scoring.statistics.clusters import ClusterTotals, Floats

_LARGEST_TAIL = 20_000  # sums whose probabilities are computed exactly; the time grows with the square of this number


def sign_flip_p(totals: ClusterTotals) -> float:
    """Two-sided p-value of the hypothesis that the sum of the second column of `totals` (kinds x 2 or more) is 0.

    With d_g the sum of that column in cluster g (for pairs: answers gained minus answers lost), the statistic is the
    absolute value of the sum of all d_g. Under the null hypothesis original and counterfactual can be exchanged in a
    whole cluster, so d_g and -d_g are equally likely for any dependence inside a cluster. The p-value is the share of
    the 2^G choices of signs of G clusters whose sum is at least as far from 0 as the observed one. If each cluster is
    one pair, this is the exact test of McNemar (Agresti, Categorical Data Analysis, 10.1). A single cluster always
    gives 1.

    This is the exact form of the test of Yang, Sun and Hardin ("A note on the tests for clustered matched-pair binary
    data", Biometrical Journal 52, 2010, 638-652), whose statistic (sum of d_g)^2 / (sum of d_g^2) has a chi-square
    distribution with one degree of freedom for many clusters. Therefore it also holds for many clusters if only the two
    accuracies are equal and the distribution of d_g is not symmetric (Canay, Romano and Shaikh, "Randomization tests
    under an approximate symmetry assumption", Econometrica 85, 2017, 1013-1030). The chi-square form, which is the
    normal approximation, replaces the exact form if more than `_LARGEST_TAIL` sums would have to be counted.

    A p-value below about 1e-308 is 0.
    """
    from scipy.special import bdtr, ndtr  # scipy.stats takes a second to import

    sizes, place = np.unique(np.abs(totals.kinds[:, 1]), return_inverse=True)
    counts = np.bincount(place, weights=totals.counts, minlength=len(sizes)).astype(np.int64)
    sizes, counts = sizes[sizes > 0], counts[sizes > 0]
    observed = abs(int(totals.sums[1]))
    if observed == 0:
        return 1.0
    if len(sizes) == 1:
        clusters, size = int(counts[0]), int(sizes[0])
        return min(1.0, 2 * float(bdtr((clusters - observed // size) // 2, clusters, 0.5)))
    # A sum is `most` minus twice the total of the clusters with a negative sign. This total is at most `tail` in the
    # lower tail.
    most = int(sizes @ counts)
    tail = (most - observed) // 2
    if tail > _LARGEST_TAIL:
        return float(2 * ndtr(-observed / math.sqrt(float(sizes**2 @ counts))))
    negative = np.ones(1)
    for size, number in zip(sizes.tolist(), counts.tolist(), strict=True):
        negative = np.convolve(negative, _negative(size, number, tail))[: tail + 1]
    return min(1.0, 2 * float(negative.sum()))


def summed_sign_flip_p(strata: Sequence[ClusterTotals], resamples: int, generator: np.random.Generator) -> float:
    """Two-sided p-value of the hypothesis that the sum over strata of the mean change per question is 0.

    `strata` are totals as in `sign_flip_p`, of clusters that no two strata share. The statistic is the sum over strata
    of (sum of d_g) / (number of questions), so each stratum counts the same. The signs of the clusters are drawn
    `resamples` times, because weighted sums take too many values to be counted. p is (1 + number of sums at least as
    far from 0 as the observed one) / (resamples + 1) (Phipson and Smyth 2010).
    """
    drawn, observed = np.zeros(resamples), 0.0
    for totals in strata:
        questions, change = (int(total) for total in totals.sums[:2])
        observed += change / questions
        sizes, of_size = np.unique(np.abs(totals.kinds[:, 1]), return_inverse=True)
        for size, number in zip(sizes, np.bincount(of_size, totals.counts).astype(np.int64), strict=True):
            if size:
                positive = generator.binomial(number, 0.5, resamples)
                drawn += size * (2 * positive - number) / questions
    # Rounding must not exclude sums that are as far from 0 as the observed one.
    extreme = int(np.sum(np.abs(drawn) >= abs(observed) - 1e-9))
    return (1 + extreme) / (1 + resamples)


def _negative(size: int, clusters: int, most: int) -> Floats:
    """Probabilities that the clusters of this size with a negative sign add up to 0, 1, ... and at most `most`."""
    from scipy.special import gammaln

    number = np.arange(min(clusters, most // size) + 1)
    probabilities = np.zeros(int(number[-1]) * size + 1)
    ways = gammaln(clusters + 1) - gammaln(number + 1) - gammaln(clusters - number + 1)  # logarithm
    probabilities[::size] = np.exp(ways - clusters * math.log(2))  # of the binomial distribution
    return probabilities
