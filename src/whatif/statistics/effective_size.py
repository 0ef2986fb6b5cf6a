"""How many independent questions the questions of a set of images are worth."""

from __future__ import annotations

from whatif.statistics.clusters import ClusterTotals, mean_and_variance


def effective_size(totals: ClusterTotals, squares: int, confidence: float) -> float:
    """The number of independent questions that would give an interval as wide as these clusters do.

    `totals` are of (questions, sum of x), and `squares` is the sum of x^2 over all questions, for an x that is 0 or 1
    (right or not) or -1, 0 or 1 (a change). Score intervals depend on their sample size and quantile by n / z^2 alone,
    so one number holds all that clusters do to them:

        n = s^2 / V * (z / t)^2

    s^2 is the sample variance of x over questions, V the jackknife variance of its mean over clusters
    (`mean_and_variance`); s^2 / V is the effective sample size of Kish. t is the quantile of a t distribution with
    clusters - 1 degrees of freedom, z the normal one: V is estimated from so many clusters (Korn and Graubard,
    "Confidence intervals for proportions with small expected number of positive counts estimated from survey data",
    Survey Methodology 24, 1998, 193-201; Franco, Little, Louis and Slud, "Comparative study of confidence intervals for
    proportions in complex sample surveys", Journal of Survey Statistics and Methodology 7, 2019, 334-364).

    Where each cluster is one question, nothing is estimated and n is their number. Where all clusters have the same
    mean, as when all answers are right, V would be 0 and says nothing; then n is the number of clusters, as if all
    questions of a cluster were one. It is 0 when several questions are all of one cluster.

    Raises ValueError when confidence is not within (0, 1).
    """
    from scipy.stats import norm, t

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
    return float(spread / variance * (norm.ppf(tail) / t.ppf(tail, totals.degrees_of_freedom)) ** 2)
