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


def wilson(successes: float, n: int, confidence: float = 0.95) -> Interval:
    """The share successes / n with its Wilson score interval (Wilson 1927; method 3 of Newcombe 1998).

    Shares and ends are fractions; `successes` may be one too, where n clusters share a mean.
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


def newcombe(original: float, counterfactual: float, both: float, n: int, confidence: float = 0.95) -> Interval:
    """The difference counterfactual - original of two paired shares, by method 10 of Newcombe.

    `both` is the share of the n pairs that are right in both. The distances from both shares to their Wilson limits
    are squared and added, less what they have in common (Newcombe, "Improved confidence intervals for the difference
    between binomial proportions based on paired data", Statistics in Medicine 17, 1998, 2635-2650). It needs no spread
    of the data: where a bootstrap of n pairs that are all alike is a point, this still says how few they are.

    All are fractions. Without pairs (n = 0) the estimate is NaN and the interval all of [-1, 1].
    """
    if n == 0:
        return Interval(math.nan, -1.0, 1.0)
    before, after = (wilson(share * n, n, confidence) for share in (original, counterfactual))
    common = _correlation(both, original - both, counterfactual - both, n)
    ends = [
        math.sqrt(max(0.0, later**2 - 2 * common * later * earlier + earlier**2))
        for later, earlier in (
            (counterfactual - after.low, before.high - original),
            (after.high - counterfactual, original - before.low),
        )
    ]
    difference = counterfactual - original
    return Interval(difference, max(-1.0, difference - ends[0]), min(1.0, difference + ends[1]))


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


def _correlation(both: float, lost: float, gained: float, n: int) -> float:
    """Of the two answers to a pair, with Newcombe's continuity correction; 0 where either is the same throughout."""
    neither = 1 - both - lost - gained
    margins = (both + lost) * (gained + neither) * (both + gained) * (lost + neither)
    if margins <= 1e-12:
        return 0.0
    covariance = both * neither - lost * gained
    return (max(0.0, covariance - 1 / (2 * n)) if covariance > 0 else covariance) / math.sqrt(margins)
