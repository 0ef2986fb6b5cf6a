"""Confidence intervals of a proportion, and of the difference of two, by formula."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """An estimate and the ends of its confidence interval, all in the unit of the estimate."""

    estimate: float
    low: float
    high: float


def wilson(successes: float, n: float, confidence: float = 0.95) -> Interval:
    """The share successes / n with its Wilson score interval (Wilson 1927; method 3 of Newcombe 1998).

    Shares and ends are fractions. `successes` and n need not be whole numbers, because `effective_size` is not.
    Without observations (n = 0) nothing is known: the estimate is NaN and the interval is all of [0, 1].

    Raises ValueError when `successes` is not within 0..n or `confidence` not within (0, 1).
    """
    from scipy.special import ndtri  # statsmodels, which has this formula too, takes two seconds to import

    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}: must lie between 0 and the number of observations")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence}: must lie between 0 and 1")
    if n == 0:
        return Interval(math.nan, 0.0, 1.0)
    share, squared = successes / n, float(ndtri((1 + confidence) / 2)) ** 2
    middle = (share + squared / (2 * n)) / (1 + squared / n)
    reach = math.sqrt(squared * (share * (1 - share) / n + squared / (4 * n * n))) / (1 + squared / n)
    # The formula gives exactly 0 for no successes and 1 for n of n, but rounding can move the ends slightly.
    return Interval(share, 0.0 if successes == 0 else middle - reach, 1.0 if successes == n else middle + reach)


def tango(lost: float, gained: float, n: float, confidence: float = 0.95) -> Interval:
    """The difference gained - lost of two shares of n pairs, with its score interval.

    `lost` is the share of the n pairs that were right before and wrong after; `gained` is the share that were wrong
    before and right after. The interval contains the differences that the score test does not reject, with the maximum
    likelihood variance at each of them (Tango, "Equivalence test and confidence interval for the difference in
    proportions for the paired-sample design", Statistics in Medicine 17, 1998, 891-908). It lies within [-1, 1],
    excludes 0 exactly when McNemar's test without continuity correction rejects, and has a positive width even if no
    pair changed.

    The shares are fractions. n need not be a whole number, because `effective_size` is not. Without pairs (n = 0) the
    estimate is NaN and the interval is all of [-1, 1].

    Raises ValueError when a share or their sum is not within [0, 1], or when confidence is not within (0, 1).
    """
    from scipy.optimize import brentq
    from scipy.special import ndtri  # scipy.stats takes a second to import

    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence}: must lie between 0 and 1")
    if n == 0:
        return Interval(math.nan, -1.0, 1.0)
    if not (lost >= 0 and gained >= 0 and lost + gained <= 1 + 1e-12):
        raise ValueError(f"{lost} lost and {gained} gained: must be shares of the same pairs")
    difference = float(gained - lost)
    chi_square = float(ndtri((1 + confidence) / 2)) ** 2

    def rejected(true: float) -> float:
        """Positive if the test rejects this difference."""
        linear = (2 + lost - gained) * true - lost - gained
        likeliest = (math.sqrt(max(0.0, linear**2 + 8 * lost * true * (1 - true))) - linear) / 4
        return float(n * (difference - true) ** 2 - chi_square * (2 * likeliest + true * (1 - true)))

    def end(bound: float) -> float:
        start = difference + math.copysign(1e-9, bound)  # at the estimate itself the variance may be 0
        return bound if abs(start) >= 1 and start * bound > 0 else float(brentq(rejected, start, bound, xtol=1e-12))

    return Interval(difference, end(-1.0), end(1.0))


def square_and_add(first: Interval, second: Interval) -> Interval:
    """The difference first - second of two estimates, computed from their own intervals as if they were independent.

    The distances to the ends are combined as the root of the sum of their squares, as in Newcombe's methods (Zou and
    Donner, "Construction of confidence limits about effect measures: a general approach", Statistics in Medicine 27,
    2008, 1693-1702). The interval is too wide for positively correlated estimates, such as those of two models on the
    same questions.
    """
    difference = first.estimate - second.estimate
    below = math.hypot(first.estimate - first.low, second.high - second.estimate)
    above = math.hypot(first.high - first.estimate, second.estimate - second.low)
    return Interval(difference, difference - below, difference + above)


def added(parts: Sequence[Interval]) -> Interval:
    """The sum of independent estimates, computed from their own intervals as in `square_and_add`."""
    total = sum(part.estimate for part in parts)
    below = math.hypot(*(part.estimate - part.low for part in parts))
    above = math.hypot(*(part.high - part.estimate for part in parts))
    return Interval(total, total - below, total + above)
