"""Annotators who label at random are found: whose labels do not depend on the items.

The labels of an annotator are compared with the probable true labels of the items, which are estimated from the labels
of all others (`label_model`). Two hypotheses are tested:

1. The annotator labels at random, with any label frequencies. Then every assignment of the annotator's labels to the
   annotator's items is equally likely: a permutation test, which is exact because the annotator's labels are not used
   for the estimate. It also covers annotators who always give the same label.
2. An annotator for whom this is not rejected works like the others: knows the true label as often as the median of
   those annotators who are better than chance, and otherwise guesses. The distribution is simulated.

Both p-values are multiplied by the number of annotators (Bonferroni), so each kind of wrong rejection has at most the
probability 1 - confidence for all annotators together. An annotator labels at random if the first hypothesis is not
rejected and the second one is. If neither is rejected, there are too few labels to tell. The second test is necessary:
with few items, or if nearly all items have the same true label, careful work is not significantly better than chance
either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from whatif.engine.random_streams import stream
from whatif.scoring.statistics.clusters import Floats, Integers
from whatif.scoring.statistics.label_model import labelled, truth_without

BETTER, RANDOM, UNCLEAR = "better than chance", "at random", "too few to tell"
_CELLS = 2_000_000  # labels that are drawn at once
_DRAWN = 2_000_000  # maximum number of labels that are drawn for one annotator and test
_LEAST = 999  # resamples for annotators with very many items
_ROUNDING = 1e-9  # sums of the same numbers in another order may differ by this


@dataclass(frozen=True)
class Competence:
    """One annotator's labels of items that others have labelled, too. The p-values are adjusted (Bonferroni).

    `knows` is the estimated share of items whose label the annotator does not guess: 0 for labels at random, and less
    for labels that are more often wrong than that. It is missing if all items have the same true label.
    """

    items: int
    knows: float | None
    p_chance: float
    p_peers: float | None  # missing for annotators who are better than chance, and if nobody is
    verdict: str  # `BETTER`, `RANDOM` or `UNCLEAR`


@dataclass(frozen=True)
class _Own:
    """The labels of one annotator (items), and the probabilities of the true labels (items x labels)."""

    truth: Floats
    label: Integers

    @property
    def by_chance(self) -> float:
        """The mean agreement over all permutations of the labels."""
        return float(np.bincount(self.label, minlength=self.truth.shape[1]) @ self.truth.sum(axis=0) / len(self.label))

    @property
    def gained(self) -> float:
        """The expected number of true labels, beyond those by chance."""
        return float(self.truth[np.arange(len(self.label)), self.label].sum()) - self.by_chance

    @property
    def possible(self) -> float:
        """`gained`, if every label was the true one."""
        return float((self.truth**2).sum()) - self.by_chance


def competences(
    labels: Mapping[str, Mapping[str, str]], *, confidence: float = 0.95, resamples: int = 9999, seed: int = 0
) -> dict[str, Competence]:
    """Annotator -> competence, from labels as item -> annotator -> label; annotators in ascending order.

    Annotators who share no item with others are absent. A p-value that is smaller than the resamples can show is that
    of the normal distribution with the mean and the variance of the test statistic. For annotators with more items,
    fewer resamples are drawn (two million labels, but at least 999 resamples).

    Raises ValueError when confidence is not within (0, 1).
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence}: must lie between 0 and 1")
    data = labelled(labels)
    number = len(data.annotators)
    own = []
    for place in range(number):
        entries = data.annotator == place
        own.append(_Own(truth_without(data, place)[data.item[entries]], data.label[entries]))
    level = 1 - confidence
    chance = [min(1.0, number * _p_of_chance(one, resamples, seed)) for one in own]
    # Somebody whose labels are the probable true ones gains more than `possible`, which counts all labels of an item.
    shares = [min(1.0, one.gained / one.possible) if one.possible > _ROUNDING * len(one.label) else None for one in own]
    better = [share for share, p in zip(shares, chance, strict=True) if p <= level and share is not None]
    usual = float(np.median(better)) if better else None
    found = {}
    for name, one, share, p in zip(data.annotators, own, shares, chance, strict=True):
        peers = None
        if usual is not None and p > level:
            peers = min(1.0, number * _p_of_peers(one, usual, resamples, seed))
        verdict = BETTER if p <= level else RANDOM if peers is not None and peers <= level else UNCLEAR
        found[name] = Competence(len(one.label), share, p, peers, verdict)
    return found


def _p_of_chance(own: _Own, resamples: int, seed: int) -> float:
    """The probability that randomly permuted labels agree with the truth as much as the annotator's, or more."""
    from scipy.stats import norm

    generator = stream(seed, "annotators by chance")
    items = np.arange(len(own.label))
    drawn = np.concatenate(
        [
            own.truth[items, generator.permuted(np.tile(own.label, (size, 1)), axis=1)].sum(axis=1)
            for size in _parts(resamples, len(items))
        ]
    )
    reached = int(np.count_nonzero(drawn - own.by_chance >= own.gained - _ROUNDING))
    if reached:
        return (reached + 1) / (len(drawn) + 1)
    return min(1 / (len(drawn) + 1), float(norm.sf(own.gained / _deviation(own))))


def _deviation(own: _Own) -> float:
    """The standard deviation of the agreement over all permutations of the labels (Hoeffding 1951).

    With c_ij the probability that label j is the true one of item i, it is the root of the sum of the squares of all
    c_ij - (mean of row i) - (mean of column j) + (mean of all), divided by the number of items minus 1.
    """
    counts = np.bincount(own.label, minlength=own.truth.shape[1])
    weights = counts / len(own.label)
    rows = own.truth @ weights
    centred = own.truth - rows[:, np.newaxis] - own.truth.mean(axis=0) + rows.mean()
    return float(np.sqrt((centred**2 @ counts).sum() / (len(own.label) - 1)))


def _p_of_peers(own: _Own, knows: float, resamples: int, seed: int) -> float:
    """The probability that somebody who knows this share of labels gains as little as the annotator, or less.

    This person guesses the other labels with the annotator's label frequencies.
    """
    from scipy.stats import norm

    generator = stream(seed, "annotators like their peers")
    items, kinds = own.truth.shape
    ends = own.truth.cumsum(axis=1)[:, :-1]
    sums = own.truth.sum(axis=0)
    gained = []
    for size in _parts(resamples, items):
        uniform = generator.random((size, items))
        known = (uniform[:, :, np.newaxis] > ends).sum(axis=2)
        guessed = own.label[generator.integers(items, size=(size, items))]
        label = np.where(generator.random((size, items)) < knows, known, guessed)
        counts = np.stack([np.count_nonzero(label == kind, axis=1) for kind in range(kinds)], axis=1)
        gained.append(own.truth[np.arange(items), label].sum(axis=1) - counts @ sums / items)
    drawn = np.concatenate(gained)
    reached = int(np.count_nonzero(drawn <= own.gained + _ROUNDING))
    if reached:
        return (reached + 1) / (len(drawn) + 1)
    spread = float(drawn.std())
    if spread == 0:  # everybody who knows all labels gives the same ones
        return 0.0
    return min(1 / (len(drawn) + 1), float(norm.cdf((own.gained - drawn.mean()) / spread)))


def _parts(resamples: int, items: int) -> Iterator[int]:
    """The numbers of resamples that are drawn at once; they add up to the resamples for this number of items."""
    left = min(resamples, max(_LEAST, _DRAWN // items))
    while left > 0:
        yield min(left, max(1, _CELLS // items))
        left -= max(1, _CELLS // items)
