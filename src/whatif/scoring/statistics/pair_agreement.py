"""Agreement of annotators when items have different numbers of labels: shares of pairs, alpha, and Cohen's kappa."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from whatif.engine.random_streams import stream
from whatif.scoring.statistics.agreement import Ratings
from whatif.scoring.statistics.bootstrap import percentile_interval, resampled_totals
from whatif.scoring.statistics.clusters import ClusterTotals, Floats, Integers
from whatif.scoring.statistics.intervals import Interval, wilson


def pair_agreement(
    ratings: Ratings, *, confidence: float = 0.95, resamples: int = 9999, seed: int = 0
) -> Interval | None:
    """The share of equal labels among all pairs of labels of the same item (percent agreement, as a fraction).

    The interval is the percentile interval of a bootstrap over items with all their labels. Without any disagreement,
    or without any agreement, resamples show no variation; then the interval is Wilson's, with items as observations.
    Items with fewer than two labels have no pair. None if no item has one. Raises ValueError when there are too few
    resamples for the confidence.
    """
    counted = _counts(ratings)
    if not len(counted):
        return None
    labels = counted.sum(axis=1)
    pairs = np.column_stack([(counted**2).sum(axis=1) - labels, labels * (labels - 1)])  # equal ones, all; each twice
    equal, total = pairs.sum(axis=0)
    if equal in (0, total):
        return wilson(len(counted) if equal else 0, len(counted), confidence)
    drawn = _resampled(pairs, resamples, seed, "pair agreement")
    shares = drawn[:, 0] / drawn[:, 1]
    return percentile_interval(float(equal / total), shares, shares, confidence)


def krippendorff_alpha(
    ratings: Ratings, *, confidence: float = 0.95, resamples: int = 9999, seed: int = 0
) -> Interval | None:
    """Krippendorff's alpha for nominal labels (Krippendorff, Content Analysis, 4th edition, 2019, chapter 12).

    Items may have any numbers of labels; those with fewer than two say nothing about agreement and are left out. With
    n labels of the other items, n_c of them c, an item u with m_u labels, and n_uc of them c, alpha is 1 - D_o / D_e:

        D_o = 1 - sum over u, c of n_uc (n_uc - 1) / (m_u - 1) / n
        D_e = 1 - sum over c of n_c (n_c - 1) / (n (n - 1))

    The interval is the percentile interval of a bootstrap over items with all their labels. A single item gives no
    information about other items, so its interval is all of [-1, 1]. A resample in which all labels are the same has
    no alpha; it counts as -1 at the low end and as 1 at the high end.

    None if no item has two labels, or if all labels are the same. Raises ValueError when there are too few resamples
    for the confidence.
    """
    counted = _counts(ratings)
    if np.count_nonzero(counted.sum(axis=0)) < 2:
        return None
    labels = counted.sum(axis=1)
    sizes = np.unique(labels)
    equal = (counted**2).sum(axis=1) - labels
    # One column for each number of labels, so that all sums are whole numbers and therefore exact.
    columns = np.column_stack([counted, np.where(labels[:, np.newaxis] == sizes, equal[:, np.newaxis], 0)])
    estimate = float(_alphas(columns.sum(axis=0, keepdims=True), sizes)[0][0])
    if len(counted) == 1:
        return Interval(estimate, -1.0, 1.0)
    low, high = _alphas(_resampled(columns, resamples, seed, "krippendorff alpha"), sizes)
    return percentile_interval(estimate, low, high, confidence)


def resampled_cohen_kappa(
    first: Sequence[str],
    second: Sequence[str],
    *,
    confidence: float = 0.95,
    resamples: int = 9999,
    seed: int = 0,
) -> Interval | None:
    """Cohen's kappa of two annotators as in `agreement.cohen_kappa`, with the interval of a bootstrap over items.

    The interval is made as in `krippendorff_alpha`. None if both gave one label only, or none. Raises ValueError when
    one annotator labelled fewer items, and when there are too few resamples for the confidence.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} labels of one annotator, {len(second)} of the other: must be of the same items")
    names = {label: number for number, label in enumerate(sorted({*first, *second}))}
    if len(names) < 2:
        return None
    kinds = len(names)
    cells = np.array([names[one] * kinds + names[other] for one, other in zip(first, second, strict=True)])
    counts = np.bincount(cells, minlength=kinds**2).astype(np.int64)
    estimate = float(_cohen_kappas(counts.reshape(1, kinds, kinds), len(first))[0][0])
    if len(first) == 1:
        return Interval(estimate, -1.0, 1.0)
    found = np.flatnonzero(counts)
    totals = ClusterTotals(np.eye(kinds**2, dtype=np.int64)[found], counts[found])
    drawn = resampled_totals(totals, resamples, stream(seed, "cohen kappa")).reshape(-1, kinds, kinds)
    low, high = _cohen_kappas(drawn, len(first))
    return percentile_interval(estimate, low, high, confidence)


def _counts(ratings: Ratings) -> Integers:
    """How often each label was given to each item with at least two labels (items x labels)."""
    rated = [item for item in ratings if len(item) > 1]
    names = {label: number for number, label in enumerate(sorted({label for item in rated for label in item}))}
    counted = np.zeros((len(rated), len(names)), dtype=np.int64)
    rows = np.repeat(np.arange(len(rated)), [len(item) for item in rated])
    columns = np.array([names[label] for item in rated for label in item], dtype=np.int64)
    np.add.at(counted, (rows, columns), 1)
    return counted


def _resampled(columns: Integers, resamples: int, seed: int, name: str) -> Integers:
    kinds, counts = np.unique(columns, axis=0, return_counts=True)
    return resampled_totals(ClusterTotals(kinds, counts.astype(np.int64)), resamples, stream(seed, name))


def _alphas(totals: Integers, sizes: Integers) -> tuple[Floats, Floats]:
    """Alpha of each row of totals (labels by category, equal pairs by the number of labels of their item).

    Undefined values are -1 in the first result and 1 in the second.
    """
    categories = totals.shape[1] - len(sizes)
    of_label, equal = totals[:, :categories], totals[:, categories:]
    labels = of_label.sum(axis=1)
    defined = of_label.max(axis=1) < labels
    observed = 1 - (equal / (sizes - 1)).sum(axis=1) / labels
    expected = 1 - (of_label * (of_label - 1.0)).sum(axis=1) / (labels * (labels - 1.0))
    alphas = 1 - observed / np.where(defined, expected, 1)
    return np.where(defined, alphas, -1.0), np.where(defined, alphas, 1.0)


def _cohen_kappas(tables: Integers, items: int) -> tuple[Floats, Floats]:
    """Kappa of each table (resamples x labels x labels), with undefined values as -1 and as 1."""
    equal = np.trace(tables, axis1=1, axis2=2)
    chance = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1)  # times the square of the number of items
    defined = chance < items**2
    kappas = (equal * items - chance) / np.where(defined, items**2 - chance, 1)
    return np.where(defined, kappas, -1.0), np.where(defined, kappas, 1.0)
