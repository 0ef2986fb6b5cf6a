"""Printed numbers, and intervals of what they may stand for, in exact fractions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cached_property

from whatif.engine.errors import WhatifError


@dataclass(frozen=True)
class Quantity:
    """A value computed from printed numbers, and the least and the greatest value that their rounding allows.

    Arithmetic is interval arithmetic: bounds are exact when every printed number occurs once in an expression, and too
    wide, never too narrow, otherwise.
    """

    nominal: Fraction
    low: Fraction
    high: Fraction

    def __add__(self, other: Quantity | int | Fraction) -> Quantity:
        by = _quantity(other)
        return Quantity(self.nominal + by.nominal, self.low + by.low, self.high + by.high)

    def __neg__(self) -> Quantity:
        return Quantity(-self.nominal, -self.high, -self.low)

    def __sub__(self, other: Quantity | int | Fraction) -> Quantity:
        return self + -_quantity(other)

    def __mul__(self, other: Quantity | int | Fraction) -> Quantity:
        by = _quantity(other)
        ends = [mine * theirs for mine in (self.low, self.high) for theirs in (by.low, by.high)]
        return Quantity(self.nominal * by.nominal, min(ends), max(ends))

    def __truediv__(self, other: Quantity | int | Fraction) -> Quantity:
        """Raises ZeroDivisionError when the divisor may be 0."""
        by = _quantity(other)
        if by.low <= 0 <= by.high:
            raise ZeroDivisionError("the divisor may be 0")
        return self * Quantity(1 / by.nominal, 1 / by.high, 1 / by.low)

    def __abs__(self) -> Quantity:
        ends = sorted((abs(self.low), abs(self.high)))
        return Quantity(abs(self.nominal), Fraction(0) if self.low <= 0 <= self.high else ends[0], ends[1])


@dataclass(frozen=True)
class Printed:
    """A number as printed: its text, its value, and the unit of its last digit."""

    text: str
    value: Fraction
    unit: Fraction

    @property
    def places(self) -> int:
        """The number of decimals that are printed."""
        return len(str(self.unit.denominator)) - 1

    @cached_property
    def quantity(self) -> Quantity:
        """What the number may stand for: everything within half a unit of its last digit."""
        return Quantity(self.value, self.value - self.unit / 2, self.value + self.unit / 2)

    def is_rounded(self, value: Fraction) -> bool:
        """Whether `value` is printed like this; in the middle of two, half up and half to even are both right."""
        size, mine = abs(value) / self.unit, abs(self.value) / self.unit
        if mine and value and (value < 0) != (self.value < 0):
            return False
        half_up = (size + Fraction(1, 2)).__floor__()
        return mine in (half_up, round(size))


def printed(text: str) -> Printed:
    """A printed number: `-12.4`, `+1.8`, `3,144`, `45%`, `5e-7`. Raises WhatifError for anything else."""
    plain = text.strip().removesuffix("%").replace(",", "").replace("\N{MINUS SIGN}", "-")
    try:
        value = Decimal(plain)
    except InvalidOperation:
        raise WhatifError(f"{text!r}: is not a number as papers print it, such as -12.4, 3,144 or 45%") from None
    if not value.is_finite():
        raise WhatifError(f"{text!r}: is not a finite number")
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)  # of finite numbers
    return Printed(text, Fraction(value), Fraction(10) ** exponent)


def exactly(value: Fraction | int | str) -> Quantity:
    """A number without rounding, such as a count. Text is read as `printed` reads it."""
    number = printed(value).value if isinstance(value, str) else Fraction(value)
    return Quantity(number, number, number)


def total(parts: Iterable[Quantity]) -> Quantity:
    """The sum of quantities."""
    result = exactly(0)
    for part in parts:
        result += part
    return result


def mean(parts: Iterable[Quantity]) -> Quantity:
    """The mean of quantities. Raises ValueError when there is none."""
    found = list(parts)
    if not found:
        raise ValueError("no numbers: a mean needs at least one")
    return total(found) / len(found)


def largest(parts: Iterable[Quantity]) -> Quantity:
    """The greatest of quantities. Raises ValueError when there is none."""
    found = list(parts)
    return Quantity(max(q.nominal for q in found), max(q.low for q in found), max(q.high for q in found))


def shown(value: Fraction, places: int) -> str:
    """A value with this number of decimals, and one more where it is not exact."""
    scaled = value * 10**places
    decimals = places if scaled.denominator == 1 else places + 1
    whole = round(value * 10**decimals)
    return f"{Decimal(whole).scaleb(-decimals):,.{decimals}f}"


def _quantity(value: Quantity | int | Fraction) -> Quantity:
    return value if isinstance(value, Quantity) else exactly(value)
