"""The gap between two groups of images in the drop on counterfactual questions: the gender bias of C-VQA 4.3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from whatif.engine.random_streams import stream
from whatif.scoring.statistics.bootstrap import parts
from whatif.scoring.statistics.clusters import (
    ClusterTotals,
    Floats,
    Integers,
    Labels,
    Outcomes,
    cluster_totals,
    mean_and_variance,
    outcomes,
)
from whatif.scoring.statistics.intervals import Interval, square_and_add
from whatif.scoring.statistics.paired import paired_drop


@dataclass(frozen=True)
class GroupGap:
    """The drop of two groups, which C-VQA calls diff(g), and their gap; in fractions.

    A drop is accuracy(original, g) - accuracy(counterfactual, g); `gap` is the drop of the first group minus that of
    the second. `p` is the two-sided p-value of a gap of 0.
    """

    first: Interval
    second: Interval
    gap: Interval
    p: float
    images: tuple[int, int]

    @property
    def bias(self) -> float:
        """The absolute value of the gap, as in Figure 5. Noise alone makes it positive: judge it by `gap` and `p`."""
        return abs(self.gap.estimate)


def group_gap(
    original: Outcomes,
    counterfactual: Outcomes,
    images: Labels,
    groups: Sequence[str],
    *,
    names: tuple[str, str] = ("male", "female"),
    confidence: float = 0.95,
    resamples: int = 9999,
    seed: int = 0,
) -> GroupGap:
    """The gap of C-VQA 4.3 between the groups `names`, with its interval and a permutation test.

    The first four arguments have one entry per pair of questions: right answers, the image, and the image's group. The
    interval of each group is that of `paired_drop` by image. The interval of the gap is computed from both, which
    have no image in common (`square_and_add`).

    The test assigns the images to the two groups at random, with the same group sizes, and compares the gap divided by
    its cluster-robust standard error (p = (1 + number of relabellings at least as extreme) / (resamples + 1), Phipson
    and Smyth 2010). It is exact if the images of both groups have the same distribution. Because of the division by the
    standard error, it also holds for many images if only the two drops are equal and the groups differ in size and
    spread (Chung and Romano, "Exact and asymptotically robust permutation tests", Annals of Statistics 41, 2013).

    If a group has fewer than two images, their variation is unknown: intervals have their maximum width and p is 1.
    Without images an estimate is NaN.

    Raises ValueError when the four differ in length, when a group is not one of the two, when an image is in both or
    has no label, or as `paired_drop` does.
    """
    sides = _by_group(original, counterfactual, images, groups, names)
    sizes = (sides[0].clusters, sides[1].clusters)
    if min(sizes) < 2:
        first, second = (Interval(side.mean, -1.0, 1.0) for side in sides)
        return GroupGap(first, second, Interval(first.estimate - second.estimate, -2.0, 2.0), 1.0, sizes)
    of_groups = [np.array([group == name for group in groups]) for name in names]
    first, second = (
        _drop(original, counterfactual, images, of_group=of_group, confidence=confidence) for of_group in of_groups
    )
    p = _permutation_p(*sides, resamples, stream(seed, "group labels"))
    return GroupGap(first, second, square_and_add(first, second), p, sizes)


def _by_group(
    original: Outcomes, counterfactual: Outcomes, images: Labels, groups: Sequence[str], names: tuple[str, str]
) -> tuple[ClusterTotals, ClusterTotals]:
    """The images of both groups, as (pairs, original right minus counterfactual right)."""
    before, after = outcomes("original", original), outcomes("counterfactual", counterfactual)
    if not len(before) == len(after) == len(images) == len(groups):
        counts = f"{len(before)} original and {len(after)} counterfactual answers, {len(images)} images"
        raise ValueError(f"{counts}, {len(groups)} groups: each pair needs all four")
    if names[0] == names[1]:
        raise ValueError(f"groups to compare are both {names[0]!r}")
    for pair, group in enumerate(groups):
        if group not in names:
            raise ValueError(f"pair {pair} is of group {group!r}, not {names[0]!r} or {names[1]!r}")
    in_first = np.array([group == names[0] for group in groups], dtype=np.int8)
    totals = cluster_totals([before - after, in_first], images)
    pairs, pairs_in_first = totals.kinds[:, 0], totals.kinds[:, 2]
    if np.any((pairs_in_first > 0) & (pairs_in_first < pairs)):
        both = _images_of(images, groups, names[0]) & _images_of(images, groups, names[1])
        raise ValueError(f"image {min(both)!r} is in both groups, {names[0]!r} and {names[1]!r}")
    first = pairs_in_first > 0
    return (
        ClusterTotals(totals.kinds[first, :2], totals.counts[first]),
        ClusterTotals(totals.kinds[~first, :2], totals.counts[~first]),
    )


def _images_of(images: Labels, groups: Sequence[str], name: str) -> set[Any]:
    return {image for image, group in zip(images, groups, strict=True) if group == name}


def _drop(
    original: Outcomes, counterfactual: Outcomes, images: Labels, *, of_group: npt.NDArray[np.bool_], confidence: float
) -> Interval:
    """The drop of one group."""
    before, after, labels = (np.asarray(values)[of_group] for values in (original, counterfactual, images))
    return paired_drop(before, after, labels, confidence=confidence).interval


def _permutation_p(
    first: ClusterTotals, second: ClusterTotals, resamples: int, generator: np.random.Generator
) -> float:
    """The p-value; the counts of each kind of image in a relabelled first group are multivariate hypergeometric."""
    kinds, place = np.unique(np.concatenate([first.kinds, second.kinds]), axis=0, return_inverse=True)
    counts = np.zeros((2, len(kinds)), dtype=np.int64)  # group x kind
    counts[0, place[: len(first.kinds)]] = first.counts
    counts[1, place[len(first.kinds) :]] = second.counts
    together = counts.sum(axis=0)
    # Rounding must not exclude relabellings that are as extreme as the actual labels.
    threshold = abs(float(_studentised(kinds, counts[0], counts[1]))) * (1 - 1e-9)
    extreme = 0
    for part in parts(resamples, len(kinds)):
        relabelled = generator.multivariate_hypergeometric(together, first.clusters, size=part.stop - part.start)
        extreme += int(np.sum(np.abs(_studentised(kinds, relabelled, together - relabelled)) >= threshold))
    return (1 + extreme) / (1 + resamples)


def _studentised(kinds: Integers, first: Integers, second: Integers) -> Floats:
    """The gap divided by its standard error; if the error is 0, infinite unless the gap is also 0."""
    (mean, variance), (other_mean, other_variance) = mean_and_variance(kinds, first), mean_and_variance(kinds, second)
    gap, error = mean - other_mean, np.sqrt(variance + other_variance)
    gap = np.where(np.abs(gap) < 1e-12, 0.0, gap)
    certain = np.where(gap == 0, 0.0, np.copysign(np.inf, gap))
    return np.where(error < 1e-12, certain, gap / np.where(error < 1e-12, 1.0, error))
