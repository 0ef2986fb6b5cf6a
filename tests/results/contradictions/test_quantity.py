"""Printed numbers, their rounding, and interval arithmetic in exact fractions."""

from __future__ import annotations

from fractions import Fraction

import pytest

from whatif.engine.errors import WhatifError
from whatif.results.contradictions.quantity import Quantity, exactly, largest, mean, printed, shown, total


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("-12.4", Fraction(-124, 10), Fraction(1, 10)),
        ("+1.8", Fraction(18, 10), Fraction(1, 10)),
        ("3,144", Fraction(3144), Fraction(1)),
        ("45%", Fraction(45), Fraction(1)),
        ("87.50", Fraction(875, 10), Fraction(1, 100)),
        ("5e-7", Fraction(5, 10**7), Fraction(1, 10**7)),
        ("\N{MINUS SIGN}3", Fraction(-3), Fraction(1)),
    ],
)
def test_a_printed_number_has_a_value_and_a_unit(text: str, value: Fraction, unit: Fraction) -> None:
    number = printed(text)
    assert (number.value, number.unit) == (value, unit)
    assert number.quantity == Quantity(value, value - unit / 2, value + unit / 2)


@pytest.mark.parametrize("text", ["", "-", "about 5", "nan", "inf", "1.2.3"])
def test_what_is_not_a_number_is_refused(text: str) -> None:
    with pytest.raises(WhatifError, match=r"is not a"):
        printed(text)


@pytest.mark.parametrize(
    ("value", "text", "right"),
    [
        ("12.44", "12.4", True),
        ("12.46", "12.4", False),
        ("12.45", "12.5", True),  # half up
        ("12.45", "12.4", True),  # half to even
        ("12.55", "12.5", False),  # neither
        ("12.55", "12.6", True),
        ("-12.45", "-12.4", True),
        ("-12.45", "-12.5", True),
        ("-12.55", "-12.5", False),
        ("-0.04", "0.0", True),
        ("75.50", "75", False),
        ("75.50", "76", True),
        ("74.50", "74", True),
        ("1.8", "-1.8", False),
    ],
)
def test_ties_may_be_rounded_up_or_to_even_and_no_other_way(value: str, text: str, right: bool) -> None:
    assert printed(text).is_rounded(printed(value).value) is right


def test_places_are_the_decimals() -> None:
    assert [printed(text).places for text in ("3,144", "0.5", "87.50")] == [0, 1, 2]


def test_intervals_grow_with_each_operation() -> None:
    one, other = printed("1.0").quantity, printed("2.0").quantity
    assert one + other == Quantity(Fraction(3), Fraction(29, 10), Fraction(31, 10))
    assert one - other == Quantity(Fraction(-1), Fraction(-11, 10), Fraction(-9, 10))
    assert (one * other).low == Fraction(95, 100) * Fraction(195, 100)
    assert (one / other).high == Fraction(105, 195)
    assert -one == Quantity(Fraction(-1), Fraction(-105, 100), Fraction(-95, 100))
    assert abs(one - one) == Quantity(Fraction(0), Fraction(0), Fraction(1, 10))
    assert abs(one - other) == Quantity(Fraction(1), Fraction(9, 10), Fraction(11, 10))


def test_a_divisor_that_may_be_0_is_refused() -> None:
    with pytest.raises(ZeroDivisionError, match="may be 0"):
        exactly(1) / printed("0.0").quantity


def test_sums_means_and_the_largest() -> None:
    parts = [printed(text).quantity for text in ("1.0", "2.0", "4.5")]
    assert total(parts) == Quantity(Fraction(15, 2), Fraction(735, 100), Fraction(765, 100))
    assert mean(parts) == Quantity(Fraction(5, 2), Fraction(245, 100), Fraction(255, 100))
    assert largest(parts) == parts[2]
    with pytest.raises(ValueError, match="at least one"):
        mean([])


def test_values_are_shown_with_a_further_decimal_where_they_are_not_exact() -> None:
    assert [shown(Fraction(x, 8), 1) for x in (4, 5, 80_000)] == ["0.5", "0.62", "10,000.0"]
