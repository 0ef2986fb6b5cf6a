"""Accuracy with its interval when several questions share an image."""

from __future__ import annotations

from whatif.scoring.statistics.clusters import ClusterTotals, Labels, Outcomes, cluster_totals, outcomes
from whatif.scoring.statistics.effective_size import effective_size
from whatif.scoring.statistics.intervals import Interval, wilson


def clustered_share(correct: Outcomes, clusters: Labels, *, confidence: float = 0.95) -> Interval:
    """The share of right answers with its Wilson interval for the effective number of questions, in fractions.

    `correct` and `clusters` have one entry per question: whether it was answered correctly, and its image.
    `effective_size` is the number of independent questions that they are worth. With one question per image the result
    is that of `wilson`. If all answers are right, or all wrong, it is that of `wilson` with the number of images as the
    number of questions. If all questions are about one image, they give no information about other images, and the
    interval is all of [0, 1]. Without questions the estimate is NaN.

    Raises ValueError when there are no labels or one is missing, when an outcome is neither true nor false, when the
    two differ in length, or when confidence is not within (0, 1).
    """
    if clusters is None:  # a caller without this column must not get the interval of independent questions
        raise ValueError("clustered accuracy needs the image of every question, and there are no labels")
    return share_of(cluster_totals([outcomes("correct", correct)], clusters), confidence)


def share_of(totals: ClusterTotals, confidence: float) -> Interval:
    """`clustered_share` for questions that are already summed as (questions, right answers)."""
    size = effective_size(totals, int(totals.sums[1]), confidence)
    return Interval(totals.mean, 0.0, 1.0) if size == 0 else wilson(totals.mean * size, size, confidence)
