"""How likely a paired test finds a drop, how many pairs it needs, and the smallest drop that it finds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from whatif.scoring.statistics.clusters import Labels, Outcomes, cluster_totals, mean_and_variance, outcomes

_MOST_PAIRS = 10_000_000  # more are not looked for
_TAIL = 1e-12  # numbers of changed pairs that are less likely than this on either side are left out


@dataclass(frozen=True)
class Design:
    """What decides the power of the test of a drop besides the drop and the number of pairs.

    gained: share of pairs whose counterfactual answer alone is right. design_effect: variance of the drop divided by
    what it would be if pairs were independent. pairs_per_image: mean over pairs of the number of pairs about their
    image, 1 if each pair has an image of its own.
    """

    gained: float
    design_effect: float = 1.0
    pairs_per_image: float = 1.0

    @classmethod
    def with_correlation(cls, gained: float, pairs_per_image: float, correlation: float) -> Design:
        """Of images with the same number of pairs, and a correlation of changes of answers within an image.

        Raises ValueError when the design effect would not be positive.
        """
        effect = 1 + (pairs_per_image - 1) * correlation
        if effect <= 0:
            raise ValueError(
                f"a correlation of {correlation:g} is not possible with {pairs_per_image:g} pairs an image"
            )
        return cls(gained, effect, pairs_per_image)

    @classmethod
    def of(cls, original: Outcomes, counterfactual: Outcomes, images: Labels | None = None) -> Design:
        """Of the answers to pairs; `images` names the image of each, None gives each pair one of its own.

        If all images have the same drop, there is no variance to estimate: an image counts as one pair, as in
        `effective_size`. Raises ValueError as `paired_drop` does, and without pairs.
        """
        before, after = outcomes("original", original), outcomes("counterfactual", counterfactual)
        if not before.size or before.size != after.size:
            raise ValueError(f"{before.size} original and {after.size} counterfactual answers: pairs need both")
        gained = float(np.mean(after > before))
        totals = cluster_totals([before - after], images)
        pairs, sizes = before.size, totals.kinds[:, 0]
        if totals.clusters == pairs:
            return cls(gained)
        if totals.agree():
            effect = pairs / totals.clusters
        else:
            _, variance = mean_and_variance(totals.kinds, totals.counts)
            effect = float(variance) * pairs / float(np.var(before - after, ddof=1))
        return cls(gained, effect, float(totals.counts @ sizes**2) / pairs)

    @property
    def largest_drop(self) -> float:
        """The largest drop that is possible with so many gained answers."""
        return 1 - 2 * self.gained

    def power(self, pairs: int, drop: float, alpha: float = 0.05) -> float:
        """The probability that the two-sided test of `paired_drop` finds a drop (a fraction) at this level.

        With one pair an image, it is that of McNemar's exact test, summed over the number of changed pairs. Otherwise,
        it is the normal approximation for the sum of the changes of images, whose critical value is that of the test
        that flips signs of images: the root of the sum of their squares (`sign_flip_p`). The former formula, with its
        two variances, is that of Connor ("Sample size for testing differences in proportions for the paired-sample
        design", Biometrics 43, 1987, 207-211) for images in place of pairs.

        Raises ValueError when so large a drop is not possible with so many gained answers.
        """
        if not 0 <= drop <= self.largest_drop:
            raise ValueError(
                f"a drop of {100 * drop:g} points is not possible where {100 * self.gained:g}% of pairs are gained; "
                f"at most {100 * self.largest_drop:g} is"
            )
        if self.pairs_per_image == 1:
            return _exact(pairs, self.gained + drop, self.gained, alpha)
        from scipy.special import ndtr, ndtri

        variance = pairs * (2 * self.gained + drop - drop**2) * self.design_effect
        if variance <= 0:
            return 0.0 if drop == 0 else 1.0
        under_null = variance + pairs * self.pairs_per_image * drop**2
        critical = float(ndtri(1 - alpha / 2)) * math.sqrt(under_null)
        spread = math.sqrt(variance)
        return float(ndtr((pairs * drop - critical) / spread) + ndtr((-pairs * drop - critical) / spread))

    def pairs_needed(self, drop: float, power: float, alpha: float = 0.05) -> int | None:
        """The number of pairs with which a drop is found with this probability; None for more than ten million.

        Raises ValueError as `power` does.
        """
        if drop <= 0 or self.power(_MOST_PAIRS, drop, alpha) < power:
            return None
        return _first(lambda pairs: self.power(pairs, drop, alpha) >= power, _MOST_PAIRS)

    def smallest_drop(self, pairs: int, power: float, alpha: float = 0.05) -> float | None:
        """The smallest drop that so many pairs find with this probability, a multiple of 0.0001; None if none is."""
        steps = math.floor(self.largest_drop * 10_000)
        if steps < 1 or self.power(pairs, steps / 10_000, alpha) < power:
            return None
        return _first(lambda step: self.power(pairs, step / 10_000, alpha) >= power, steps) / 10_000


def _exact(pairs: int, lost: float, gained: float, alpha: float) -> float:
    """The power of McNemar's exact test: lost, gained are the probabilities that a pair changes in each direction."""
    from scipy.special import bdtr, bdtrc
    from scipy.stats import binom

    changed = lost + gained
    if changed <= 0:
        return 0.0
    low, high = (int(binom.ppf(tail, pairs, min(1.0, changed))) for tail in (_TAIL, 1 - _TAIL))
    numbers = np.arange(max(low, 1), high + 1)
    # The test rejects if at most `critical` of the changed pairs are of one direction.
    critical = np.asarray(binom.ppf(alpha / 2, numbers, 0.5)).astype(int)
    critical -= bdtr(critical, numbers, 0.5) > alpha / 2
    share = gained / changed
    rejects = np.where(critical >= 0, bdtr(critical, numbers, share) + bdtrc(numbers - critical - 1, numbers, share), 0)
    return float(np.sum(binom.pmf(numbers, pairs, min(1.0, changed)) * rejects))


def _first(holds: Callable[[int], bool], last: int) -> int:
    """The first number from 1 to `last` from which on a condition holds; it must hold for `last`."""
    failing, holding = 0, 1
    while holding < last and not holds(holding):
        failing, holding = holding, min(2 * holding, last)
    while holding - failing > 1:
        middle = (failing + holding) // 2
        failing, holding = (failing, middle) if holds(middle) else (middle, holding)
    return holding
