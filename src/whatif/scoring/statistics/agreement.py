"""Agreement about the same images: Fleiss' kappa, Cohen's kappa of two raters, and the labels of disputed images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from whatif.engine.random_streams import stream
from whatif.scoring.statistics.bootstrap import percentile_interval, resampled_totals
from whatif.scoring.statistics.clusters import ClusterTotals, Floats, Integers
from whatif.scoring.statistics.intervals import Interval, wilson

Ratings: TypeAlias = Sequence[Sequence[str]]  # one entry per image: the labels of its annotators, in any order


@dataclass(frozen=True)
class Agreement:
    """The result of `agreement`. Shares are fractions; without images both intervals are None."""

    images: int
    raters: int
    kappa: Interval | None  # also None if all labels are the same, because kappa is then not defined
    unanimous: Interval | None  # share of images whose annotators all gave the same label
    disputed: int  # number of images whose annotators disagree


def agreement(
    ratings: Ratings, *, raters: int = 3, confidence: float = 0.95, resamples: int = 9999, seed: int = 0
) -> Agreement:
    """Fleiss' kappa of images that `raters` annotators labelled, with a bootstrap interval over images.

    Images with another number of labels are left out, because kappa requires a fixed number. Raises ValueError for
    fewer than two raters, and when there are too few resamples for the confidence.
    """
    if raters < 2:
        raise ValueError(f"{raters} raters: agreement is between two or more")
    rated = [image for image in ratings if len(image) == raters]
    if not rated:
        return Agreement(0, raters, None, None, 0)
    unanimous = sum(len(set(image)) == 1 for image in rated)
    return Agreement(
        images=len(rated),
        raters=raters,
        kappa=fleiss_kappa(rated, confidence=confidence, resamples=resamples, seed=seed),
        unanimous=wilson(unanimous, len(rated), confidence),
        disputed=len(rated) - unanimous,
    )


def fleiss_kappa(
    ratings: Ratings, *, confidence: float = 0.95, resamples: int = 9999, seed: int = 0
) -> Interval | None:
    """Fleiss' kappa (Fleiss, "Measuring nominal scale agreement among many raters", Psychological Bulletin 76, 1971).

    The interval is the percentile interval of a bootstrap over images with all their labels. A single image gives no
    information about other images, so its interval is all of [-1, 1]. A resample in which all labels are the same has
    no kappa; it counts as -1 at the low end and as 1 at the high end.

    None if all labels are the same: agreement by chance would then be certain, and kappa is 0 / 0. Raises ValueError
    when there are no images, when they have different numbers of labels or fewer than two, and when there are too few
    resamples for the confidence.
    """
    from statsmodels.stats.inter_rater import aggregate_raters
    from statsmodels.stats.inter_rater import fleiss_kappa as kappa_of

    if not ratings or len({len(image) for image in ratings}) != 1 or len(ratings[0]) < 2:
        raise ValueError("Fleiss' kappa needs images that all have the same number of labels, two or more")
    raters = len(ratings[0])
    labels = {label: number for number, label in enumerate(sorted({label for image in ratings for label in image}))}
    counted, _ = aggregate_raters([[labels[label] for label in image] for image in ratings], n_cat=len(labels))
    if len(labels) == 1:
        return None
    estimate = float(kappa_of(counted))
    if len(ratings) == 1:
        return Interval(estimate, -1.0, 1.0)
    kinds, counts = np.unique(counted.astype(np.int64), axis=0, return_counts=True)
    # A resample's kappa is computed from sums over images: labels by category, and agreeing pairs of labels.
    totals = ClusterTotals(np.column_stack([kinds, (kinds**2).sum(axis=1) - raters]), counts.astype(np.int64))
    drawn = resampled_totals(totals, resamples, stream(seed, "fleiss kappa"))
    low, high = _kappas(drawn, len(ratings), raters)
    return percentile_interval(estimate, low, high, confidence)


def cohen_kappa(first: Sequence[str], second: Sequence[str], *, confidence: float = 0.95) -> Interval | None:
    """Cohen's kappa of two raters who labelled the same items (Cohen, "A coefficient of agreement for nominal scales",
    Educational and Psychological Measurement 20, 1960).

    The interval is normal, by the large-sample variance of Fleiss, Cohen and Everitt (1969), and cut at -1 and 1. It
    has no width where both raters agree on every item, whatever their number. None if both gave one label only: kappa
    is then 0 / 0. Raises ValueError when there are no items, or when one rater labelled fewer.
    """
    from scipy.stats import norm
    from statsmodels.stats.inter_rater import cohens_kappa

    if not first or len(first) != len(second):
        raise ValueError("Cohen's kappa needs items that both raters have labelled")
    labels = {label: place for place, label in enumerate(sorted({*first, *second}))}
    if len(labels) == 1:
        return None
    table = np.zeros((len(labels), len(labels)))
    np.add.at(table, ([labels[one] for one in first], [labels[one] for one in second]), 1)
    found = cohens_kappa(table)
    reach = float(norm.ppf((1 + confidence) / 2) * max(0.0, float(found.var_kappa)) ** 0.5)
    estimate = float(found.kappa)
    return Interval(estimate, max(-1.0, estimate - reach), min(1.0, estimate + reach))


def label_shares(ratings: Ratings, labels: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Label -> (how often it was given, all labels given) among images whose annotators disagree.

    COCO-Counterfactuals 4.1 reports these for correct, incorrect and neither.
    """
    disputed: Mapping[str, int] = Counter(label for image in ratings if len(set(image)) > 1 for label in image)
    return {label: (disputed.get(label, 0), sum(disputed.values())) for label in labels}


def _kappas(totals: Integers, images: int, raters: int) -> tuple[Floats, Floats]:
    """Kappa of each row of totals (labels by category, agreeing pairs), with undefined values as -1 and as 1."""
    observed = totals[:, -1] / (images * raters * (raters - 1))
    chance = ((totals[:, :-1] / (images * raters)) ** 2).sum(axis=1)
    defined = totals[:, :-1].max(axis=1) < images * raters
    kappas = (observed - chance) / np.where(defined, 1 - chance, 1)
    return np.where(defined, kappas, -1.0), np.where(defined, kappas, 1.0)
