"""How sure the numbers of tables are and how they are rounded: settings of intervals, percent and p-values."""

from __future__ import annotations

from typing import Any, Protocol

from whatif.statistics import Interval

SMALLEST_P = 1e-300  # near the end of what a float holds; a p-value below it is known as smaller and no more


class Precision(Protocol):
    """How intervals are made; part of every benchmark's `aggregate` settings."""

    @property
    def confidence(self) -> float: ...


class Resampling(Precision, Protocol):
    """Settings of what is resampled, too: permutation tests, and the bootstrap of an agreement."""

    @property
    def resamples(self) -> int: ...


def resampling(settings: Resampling, seed: int) -> dict[str, Any]:
    """The arguments of every function of `whatif.statistics` that resamples, by name."""
    return {"confidence": settings.confidence, "resamples": settings.resamples, "seed": seed}


def percent(fraction: float) -> float:
    """A fraction in percent, rounded to the 4 decimals that metrics keep."""
    return round(100 * fraction, 4)


def in_percent(name: str, interval: Interval) -> dict[str, float]:
    """An interval of fractions for JSON: its estimate as `name`, and its ends `low` and `high`."""
    return {name: percent(interval.estimate), "low": percent(interval.low), "high": percent(interval.high)}


def p_number(p: float) -> float:
    """A p-value for JSON, to 4 digits. One that is too small for a float is `SMALLEST_P`, never 0."""
    return max(SMALLEST_P, float(f"{p:.4g}"))
