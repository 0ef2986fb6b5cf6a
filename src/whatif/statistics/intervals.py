"""Confidence intervals of a proportion, and of the difference of two, by formula."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """An estimate and the ends of its confidence interval, all in the unit of the estimate."""

    estimate: float
    low: float
    high: float


def wilson(successes: float, n: float, confidence: float = 0.95) -> Interval:
    """The share successes / n with its Wilson score interval (Wilson 1927; method 3 of Newcombe 1998).

    Shares and ends are fractions; so may be `successes` and n, as `effective_size` is.
    Without observations (n = 0) nothing is known: the estimate is NaN and the interval is all of [0, 1].

    Raises ValueError when `successes` is not within 0..n or `confidence` not within (0, 1).
    """
    from statsmodels.stats.proportion import proportion_confint

    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}: must lie between 0 and the number of observations")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence}: must lie between 0 and 1")
    if n == 0:
        return Interval(math.nan, 0.0, 1.0)
    low, high = proportion_confint(successes, n, alpha=1 - confidence, method="wilson")
    # Rounding can leave the ends a hair off the exact 0 and 1 that the formula gives for none and for all.
    return Interval(
        successes / n,
        0.0 if successes == 0 else float(low),
        1.0 if successes == n else float(high),
    )


def tango(lost: float, gained: float, n: float, confidence: float = 0.95) -> Interval:
    """The difference gained - lost of two shares of n pairs, with its score interval.

    Of n pairs, the share `lost` was right before and wrong after, `gained` the other way round. The interval holds the
    differences that the score test does not reject, with the variance that is most likely at each of them (Tango,
    "Equivalence test and confidence interval for the difference in proportions for the paired-sample design",
    Statistics in Medicine 17, 1998, 891-908). It lies within [-1, 1], leaves out 0 exactly when McNemar's test without
    continuity correction rejects, and has a width even when no pair changed.

    All are fractions; n may be one too, as `effective_size` is. Without pairs (n = 0) the estimate is NaN and the
    interval all of [-1, 1].

    Raises ValueError when the shares are not within 0 and 1 together, or confidence is not within (0, 1).
    """
    from scipy.optimize import brentq
    from scipy.stats import norm

    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence}: must lie between 0 and 1")
    if n == 0:
        return Interval(math.nan, -1.0, 1.0)
    if not (lost >= 0 and gained >= 0 and lost + gained <= 1 + 1e-12):
        raise ValueError(f"{lost} lost and {gained} gained: must be shares of the same pairs")
    difference = float(gained - lost)
    chi_square = float(norm.ppf((1 + confidence) / 2)) ** 2

    def rejected(true: float) -> float:
        """Positive where the test rejects."""
        linear = (2 + lost - gained) * true - lost - gained
        likeliest = (math.sqrt(max(0.0, linear**2 + 8 * lost * true * (1 - true))) - linear) / 4
        return float(n * (difference - true) ** 2 - chi_square * (2 * likeliest + true * (1 - true)))

    def end(bound: float) -> float:
        start = difference + math.copysign(1e-9, bound)  # at the estimate itself the variance may be 0
        return bound if abs(start) >= 1 and start * bound > 0 else float(brentq(rejected, start, bound, xtol=1e-12))

    return Interval(difference, end(-1.0), end(1.0))


def square_and_add(first: Interval, second: Interval) -> Interval:
    """The difference first - second of two estimates, from their own intervals as if they were independent.

    The distances to the ends are squared and added, as in Newcombe's methods (Zou and Donner, "Construction of
    confidence limits about effect measures: a general approach", Statistics in Medicine 27, 2008, 1693-1702). Estimates
    that go together, as those of two models on the same questions do, differ less than it says.
    """
    difference = first.estimate - second.estimate
    below = math.hypot(first.estimate - first.low, second.high - second.estimate)
    above = math.hypot(first.high - first.estimate, second.estimate - second.low)
    return Interval(difference, difference - below, difference + above)
