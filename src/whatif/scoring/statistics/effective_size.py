"""The number of independent questions that the questions about a set of images are worth."""

from __future__ import annotations

from whatif.scoring.statistics.clusters import ClusterTotals, mean_and_variance


def effective_size(totals: ClusterTotals, squares: int, confidence: float) -> float:
    """The number of independent questions that would give an interval as wide as the interval of these clusters.

    `totals` are of (questions, sum of x), and `squares` is the sum of x^2 over all questions, for an x that is 0 or 1
    (right or not) or -1, 0 or 1 (a change). Score intervals depend on their sample size n and quantile z only through
    n / z^2, so one number expresses the whole effect of clusters on them:

        n = s^2 / V * (z / t)^2

    s^2 is the sample variance of x over questions, V the jackknife variance of its mean over clusters
    (`mean_and_variance`); s^2 / V is the effective sample size of Kish. z is the normal quantile. t is the quantile of
    a t distribution with clusters - 1 degrees of freedom, because V is estimated from this number of clusters (Korn and
    Graubard, "Confidence intervals for proportions with small expected number of positive counts estimated from survey
    data", Survey Methodology 24, 1998, 193-201; Franco, Little, Louis and Slud, "Comparative study of confidence
    intervals for proportions in complex sample surveys", Journal of Survey Statistics and Methodology 7, 2019,
    334-364).

    If each cluster is one question, nothing is estimated and n is the number of questions. If all clusters have the
    same mean, for example because all answers are right, V would be 0 and gives no information. Then n is the number of
    clusters, as if all questions of a cluster were one. n is 0 if there are several questions in a single cluster.

    Raises ValueError when confidence is not within (0, 1).
    """
    from scipy.special import ndtri, stdtrit  # the quantiles of scipy.stats, which takes a second to import

    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence}: must lie between 0 and 1")
    questions, clusters = int(totals.sums[0]), totals.clusters
    if clusters == questions:
        return float(questions)
    if clusters < 2:
        return 0.0
    if totals.agree():
        return float(clusters)
    _, variance = mean_and_variance(totals.kinds, totals.counts)
    spread = (squares - questions * totals.mean**2) / (questions - 1)
    tail = (1 + confidence) / 2
    return float(spread / variance * (ndtri(tail) / stdtrit(totals.degrees_of_freedom, tail)) ** 2)
