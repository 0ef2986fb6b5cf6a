"""How sure the numbers of tables are and how they are rounded: settings of intervals, and percent."""

from __future__ import annotations

from typing import Any, Protocol

from whatif.statistics import Interval


class Precision(Protocol):
    """How intervals are made; part of every benchmark's `aggregate` settings."""

    @property
    def confidence(self) -> float: ...
    @property
    def resamples(self) -> int: ...


def bootstrap(settings: Precision, seed: int) -> dict[str, Any]:
    """The arguments that every function of `whatif.statistics` with a bootstrap has, by name."""
    return {"confidence": settings.confidence, "resamples": settings.resamples, "seed": seed}


def percent(fraction: float) -> float:
    """A fraction in percent, rounded to the 4 decimals that metrics keep."""
    return round(100 * fraction, 4)


def in_percent(name: str, interval: Interval) -> dict[str, float]:
    """An interval of fractions for JSON: its estimate as `name`, and its ends `low` and `high`."""
    return {name: percent(interval.estimate), "low": percent(interval.low), "high": percent(interval.high)}
