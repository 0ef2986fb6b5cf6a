"""Numbers as text, for tables and figures: decimals, signs, intervals and p-values."""

from __future__ import annotations

from collections.abc import Callable

from whatif.engine.params.prices import money
from whatif.results.reporting.precision import SMALLEST_P

Write = Callable[[float], str]

__all__ = ["Write", "count", "decimal", "interval_text", "money", "p_value", "signed"]


def decimal(places: int) -> Write:
    """Writes a number with the given number of decimals; -0.0 is written as 0.0."""
    return lambda value: f"{round(value, places) + 0.0:.{places}f}"


def signed(places: int) -> Write:
    """Writes a difference with its sign and the given number of decimals; -0.0 is written as +0.0."""
    return lambda value: f"{round(value, places) + 0.0:+.{places}f}"


def count(value: float) -> str:
    """Writes a whole number."""
    return str(int(value))


def p_value(p: float) -> str:
    """Writes a p-value with 2 digits, or `< 1e-300` if it is only known to be smaller than that."""
    return f"< {SMALLEST_P:g}" if p <= SMALLEST_P else f"{p:.2g}"


def interval_text(low: float, high: float, write: Write) -> str:
    """Writes the ends of an interval: `low to high`."""
    return f"{write(low)} to {write(high)}"
