"""Paired comparison of original and counterfactual: the same pairs answered twice."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from whatif.random_streams import stream
from whatif.statistics.bootstrap import inverted_p, percentile_interval, resampled_totals
from whatif.statistics.clusters import ClusterTotals, Floats, Integers, Labels, Outcomes, cluster_totals, outcomes
from whatif.statistics.intervals import Interval, newcombe, square_and_add


@dataclass(frozen=True)
class Drop:
    """Accuracy on counterfactual questions minus accuracy on their originals.

    `absolute` is in fractions, `relative` in percent of the accuracy on originals; both are negative when accuracy
    falls. `p` is two-sided, of no change.
    """

    absolute: Interval
    relative: Interval
    p: float


@dataclass(frozen=True)
class DropDifference:
    """The drop of one model minus the drop of another, in fractions, and the two-sided p-value that they are equal."""

    difference: Interval
    p: float


def mcnemar_exact(original: Outcomes, counterfactual: Outcomes) -> float:
    """Two-sided exact p-value that right answers change as often to wrong as wrong ones to right.

    Both hold one entry a pair, True where the answer is right. Only pairs that changed speak: under the null
    hypothesis each direction has chance 1/2 (Agresti, Categorical Data Analysis, 10.1). Without any, p is 1.

    Raises ValueError when the two differ in length.
    """
    from scipy.stats import binomtest

    lost, gained, _ = _changes(original, counterfactual)
    return float(binomtest(min(lost, gained), lost + gained, 0.5).pvalue) if lost + gained else 1.0


def paired_difference(
    original: Outcomes, counterfactual: Outcomes, confidence: float, resamples: int, seed: int
) -> Interval:
    """Accuracy on counterfactual questions minus accuracy on their originals, with its percentile bootstrap interval.

    In fractions. Pairs are resampled, not answers. A pair is lost, gained or unchanged, so a resample of the pairs
    is one draw of these three counts from a multinomial distribution: the bootstrap itself, in memory that does not
    grow with the number of pairs. When all pairs changed alike every resample is the same; then the interval is
    `newcombe`'s. Without pairs the estimate is NaN and the interval all of [-1, 1].

    Raises ValueError when the two differ in length.
    """
    lost, gained, pairs = _changes(original, counterfactual)
    if pairs == 0:
        return Interval(math.nan, -1.0, 1.0)
    if pairs in (lost, gained) or lost + gained == 0:
        return _of_alike(*_both(original, counterfactual), pairs, confidence)
    generator = stream(seed, "paired difference")
    shares = np.array([lost, gained, pairs - lost - gained]) / pairs
    draws = generator.multinomial(pairs, shares, size=resamples)  # resamples x (lost, gained, unchanged)
    differences = (draws[:, 1] - draws[:, 0]) / pairs
    low, high = np.quantile(differences, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval((gained - lost) / pairs, float(low), float(high))


def drop(
    original: Outcomes,
    counterfactual: Outcomes,
    clusters: Labels | None = None,
    *,
    confidence: float = 0.95,
    resamples: int = 9999,
    seed: int = 0,
) -> Drop:
    """The change from original to counterfactual, absolute and relative, by one paired bootstrap.

    All hold one entry a pair. Pairs are resampled, or, where `clusters` names the image of each pair, images with all
    their pairs. The estimate is that of `paired_difference`, which knows no clusters; so is the interval without
    clusters, but for chance and for its ends, which are values drawn and not between two. p is `inverted_p`.

    Relative to no right original at all, a change is not defined: such an estimate is NaN, and such a resample counts
    as -100% at the low end and as infinite at the high end. When all clusters changed alike every resample is the same;
    then the intervals are `newcombe`'s, of as many pairs as there are clusters, the relative one over the accuracy on
    originals as it is, and p is that of the sign test. With fewer than two clusters nothing is known of how they
    differ: intervals are as wide as can be and p is 1.

    Raises ValueError when lengths differ, when an outcome is neither true nor false, when the label of a cluster is
    missing, or when there are too few resamples for the confidence.
    """
    before, after = _both(original, counterfactual)
    totals = cluster_totals([before, after], clusters)
    pairs, right, still = (int(total) for total in totals.sums)
    absolute = (still - right) / pairs if pairs else math.nan
    relative = 100 * (still - right) / right if right else math.nan
    if totals.clusters < 2:
        return Drop(Interval(absolute, -1.0, 1.0), Interval(relative, -100.0, math.inf), 1.0)
    alike = _of_alike(before, after, totals.clusters, confidence)
    of_alike = _relative_to(right / pairs, relative, alike)
    if _change(totals).agree():
        return Drop(alike, of_alike, _sign_p(absolute, totals.clusters))
    drawn = resampled_totals(totals, resamples, stream(seed, "drop"))
    changes = (drawn[:, 2] - drawn[:, 1]) / drawn[:, 0]
    low, high = _relative(drawn[:, 1], drawn[:, 2])
    same = bool(low.min() == high.max())  # where no counterfactual is right, each is -100%
    return Drop(
        percentile_interval(absolute, changes, changes, confidence),
        of_alike if same else percentile_interval(relative, low, high, confidence),
        inverted_p(changes),
    )


def difference_of_drops(
    model_a: tuple[Outcomes, Outcomes],
    model_b: tuple[Outcomes, Outcomes],
    clusters: Labels | None = None,
    *,
    confidence: float = 0.95,
    resamples: int = 9999,
    seed: int = 0,
) -> DropDifference:
    """The drop of model A minus the drop of model B on the same pairs, in fractions, by a paired bootstrap.

    Each model is its outcomes on originals and on counterfactuals, one entry a pair. Drops are as in `drop`: where
    the difference is negative, model A loses more. Each resample of the pairs (or of images, where `clusters` names
    that of each pair) gives both models' drops at once. p is the percentile interval turned round (`inverted_p`): at
    most 1 - confidence exactly when the interval leaves out 0, and 1 for models that change alike on every pair. When
    the difference is the same in all clusters every resample is too; then the interval is made of both drops' own
    (`square_and_add`), of as many pairs as there are clusters, and p is that of the sign test. With fewer than two
    clusters the interval is all of [-2, 2] and p is 1.

    Raises ValueError as `drop` does, and when the models differ in their number of pairs.
    """
    (before_a, after_a), (before_b, after_b) = _both(*model_a), _both(*model_b)
    if before_a.size != before_b.size:
        raise ValueError(f"model A has {before_a.size} pairs and model B {before_b.size}: both must answer the same")
    totals = cluster_totals([(after_a - before_a) - (after_b - before_b)], clusters)
    if totals.clusters < 2:
        return DropDifference(Interval(_mean(totals), -2.0, 2.0), 1.0)
    if totals.agree():
        drops = [_of_alike(*sides, totals.clusters, confidence) for sides in ((before_a, after_a), (before_b, after_b))]
        return DropDifference(square_and_add(*drops), _sign_p(_mean(totals), totals.clusters))
    drawn = resampled_totals(totals, resamples, stream(seed, "difference of drops"))
    differences = drawn[:, 1] / drawn[:, 0]
    return DropDifference(
        percentile_interval(_mean(totals), differences, differences, confidence), inverted_p(differences)
    )


def _of_alike(before: npt.NDArray[np.int8], after: npt.NDArray[np.int8], n: int, confidence: float) -> Interval:
    """The change by formula, as of `n` pairs that are shared out as these are."""
    return newcombe(float(before.mean()), float(after.mean()), float((before & after).mean()), n, confidence)


def _relative_to(original: float, estimate: float, absolute: Interval) -> Interval:
    if not original:
        return Interval(math.nan, -100.0, math.inf)
    return Interval(estimate, max(-100.0, 100 * absolute.low / original), 100 * absolute.high / original)


def _change(totals: ClusterTotals) -> ClusterTotals:
    """(Pairs, right originals, right counterfactuals) as (pairs, change)."""
    change = totals.kinds[:, 2] - totals.kinds[:, 1]
    return ClusterTotals(np.stack([totals.kinds[:, 0], change], axis=1), totals.counts)


def _sign_p(change: float, clusters: int) -> float:
    """Two-sided, of as many clusters that all changed in the same direction; 1 where none changed."""
    return min(1.0, 2 * 0.5**clusters) if change else 1.0


def _relative(right: Integers, still: Integers) -> tuple[Floats, Floats]:
    """Changes in percent of `right`, once as the low end sees them and once as the high end does."""
    defined = right > 0
    changes = 100 * (still - right) / np.where(defined, right, 1)
    return np.where(defined, changes, -100.0), np.where(defined, changes, np.inf)


def _mean(totals: ClusterTotals) -> float:
    pairs, total = totals.sums
    return float(total / pairs) if pairs else math.nan


def _both(original: Outcomes, counterfactual: Outcomes) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    before, after = outcomes("original", original), outcomes("counterfactual", counterfactual)
    if before.size != after.size:
        raise ValueError(f"{before.size} original and {after.size} counterfactual answers: pairs need both")
    return before, after


def _changes(original: Outcomes, counterfactual: Outcomes) -> tuple[int, int, int]:
    """How many pairs were right only in the original, only in the counterfactual, and how many there are."""
    before, after = np.asarray(original, dtype=bool), np.asarray(counterfactual, dtype=bool)
    if before.shape != after.shape:
        raise ValueError(f"{before.size} original and {after.size} counterfactual answers: pairs need both")
    return int(np.sum(before & ~after)), int(np.sum(after & ~before)), int(before.size)
