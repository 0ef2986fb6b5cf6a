"""Uncertainty and rounding of the numbers in tables: settings of intervals, percent and p-values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from whatif.scoring.statistics import Interval, holm

SMALLEST_P = 1e-300  # near the smallest float; a p-value below it is only known to be smaller


class Precision(Protocol):
    """Settings of intervals; part of every benchmark's `aggregate` settings."""

    @property
    def confidence(self) -> float: ...


class Resampling(Precision, Protocol):
    """The same settings with those of resampling: permutation tests, and the bootstrap of an agreement."""

    @property
    def resamples(self) -> int: ...


def resampling(settings: Resampling, seed: int) -> dict[str, Any]:
    """The keyword arguments of every function of `whatif.scoring.statistics` that resamples."""
    return {"confidence": settings.confidence, "resamples": settings.resamples, "seed": seed}


def percent(fraction: float) -> float:
    """A fraction in percent, rounded to the 4 decimals that metrics store."""
    return round(100 * fraction, 4)


def in_percent(name: str, interval: Interval) -> dict[str, float]:
    """An interval of fractions in percent for JSON: its estimate as `name`, and its ends as `low` and `high`."""
    return {name: percent(interval.estimate), "low": percent(interval.low), "high": percent(interval.high)}


def as_measured(interval: Interval | None) -> dict[str, float]:
    """An interval for JSON in its own unit, as `value`, `low` and `high`; empty if there is none."""
    if interval is None:
        return {}
    return {"value": round(interval.estimate, 4), "low": round(interval.low, 4), "high": round(interval.high, 4)}


def p_number(p: float) -> float:
    """A p-value for JSON, to 4 digits. A p-value that is too small for a float becomes `SMALLEST_P`, never 0."""
    return max(SMALLEST_P, float(f"{p:.4g}"))


def corrected(
    rows: Iterable[Mapping[str, Any]], counts: Callable[[Mapping[str, Any]], bool] = lambda row: True
) -> list[dict[str, Any]]:
    """Rows of a table with `p` as in tables, and `p_holm`: Holm's correction over the rows with a `p` that count."""
    found = [dict(row) for row in rows]
    tested = [row for row in found if "p" in row and counts(row)]
    for row, p in zip(tested, holm([row["p"] for row in tested]).p_values, strict=True):
        if p is not None:
            row["p_holm"] = p_number(p)
    return [{**row, "p": p_number(row["p"])} if "p" in row else row for row in found]
