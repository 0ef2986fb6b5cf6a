"""Confidence intervals of a proportion."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """An estimate and the ends of its confidence interval, all in the unit of the estimate."""

    estimate: float
    low: float
    high: float


def wilson(successes: int, n: int, confidence: float = 0.95) -> Interval:
    """The share successes / n with its Wilson score interval (Wilson 1927; method 3 of Newcombe 1998).

    Shares and ends are fractions. Without observations (n = 0) nothing is known: the estimate is NaN and the
    interval is all of [0, 1].

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
