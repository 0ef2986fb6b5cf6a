"""Each formula with numbers that follow, that follow within rounding, and that do not."""

from __future__ import annotations

from fractions import Fraction

import pytest

from whatif.results.contradictions import CANNOT_BE_CHECKED, DOES_NOT_HOLD, HOLDS, WITHIN_ROUNDING, exactly, printed
from whatif.results.contradictions.formulas import (
    about,
    at_least,
    at_most,
    equals,
    less_than,
    more_than,
    not_checkable,
    ordered,
    part_of,
    same,
    up_to,
)
from whatif.results.contradictions.quantity import Quantity, mean


def q(text: str) -> Quantity:
    return printed(text).quantity


@pytest.mark.parametrize(
    ("reported", "verdict"),
    [("-12.4", HOLDS), ("-12.5", WITHIN_ROUNDING), ("-12.3", WITHIN_ROUNDING), ("-12.6", DOES_NOT_HOLD)],
)
def test_a_drop_may_differ_by_the_rounding_of_both_accuracies(reported: str, verdict: str) -> None:
    found = equals(printed(reported), q("71.4") - q("83.8"), "the drop")
    assert (found.verdict, found.low, found.high) == (verdict, Fraction(-125, 10), Fraction(-123, 10))


def test_the_edge_of_rounding_is_allowed_and_what_is_beyond_it_is_not() -> None:
    # 50.0 - 40.0 lies within 9.9 to 10.1; 10.2 stands for 10.15 at least, 10.15 with two decimals for 10.145.
    assert equals(printed("10.1"), q("50.0") - q("40.0"), "x").verdict == WITHIN_ROUNDING
    assert equals(printed("10.15"), q("50.0") - q("40.0"), "x").verdict == DOES_NOT_HOLD
    assert equals(printed("10.2"), q("50.0") - q("40.0"), "x").verdict == DOES_NOT_HOLD


def test_exact_inputs_leave_no_room() -> None:
    assert equals(printed("1,198"), exactly(1200), "x").verdict == DOES_NOT_HOLD
    assert equals(printed("1,200"), exactly(1200), "x").verdict == HOLDS
    # 45.28 rounds to 45.3 and to nothing else.
    share = exactly(1864) / 4117 * 100
    assert [equals(printed(text), share, "x").verdict for text in ("45.3", "45.2")] == [HOLDS, DOES_NOT_HOLD]


def test_an_explanation_names_the_value_its_range_and_the_note() -> None:
    found = equals(printed("11.47"), q("77.08") - q("66.58"), "the gain", "so there")
    assert found.explanation == "The gain is 10.50 (10.49 to 10.51 with rounding), not 11.47; so there."


def test_a_mean_of_several_numbers() -> None:
    values = [q(text) for text in ("77.90", "93.79", "97.11", "75.14", "93.72", "96.69")]
    assert equals(printed("89.06"), mean(values), "x").verdict == HOLDS
    assert equals(printed("89.05"), mean(values), "x").verdict == WITHIN_ROUNDING
    assert equals(printed("89.04"), mean(values), "x").verdict == DOES_NOT_HOLD
    assert equals(printed("89.064"), mean(values), "x").verdict == DOES_NOT_HOLD
    assert equals(printed("89.062"), mean(values), "x").verdict == WITHIN_ROUNDING


def test_a_part_of_items_may_be_cut_off() -> None:
    part = exactly(17411) * 80 / 100
    assert part_of(printed("13,929"), part, "x").verdict == HOLDS
    assert part_of(printed("13,928"), part, "x").verdict == WITHIN_ROUNDING
    assert part_of(printed("13,927"), part, "x").verdict == DOES_NOT_HOLD


@pytest.mark.parametrize(
    ("text", "table", "verdict"),
    [
        ("93.21", "93.21", HOLDS),
        ("50.63", "50.65", DOES_NOT_HOLD),
        ("73", "73.18", HOLDS),
        ("75", "75.50", DOES_NOT_HOLD),
        ("76", "75.50", HOLDS),
        ("75.5", "75.50", HOLDS),
    ],
)
def test_the_same_number_in_two_places_may_be_rounded_in_one_of_them(text: str, table: str, verdict: str) -> None:
    assert same(printed(text), printed(table), "table 2").verdict == verdict


def test_limits_are_strict_where_the_words_are() -> None:
    assert more_than("more than 20", 20, q("20.5"), "x").verdict == HOLDS
    assert more_than("more than 20", 20, q("20.0"), "x").verdict == WITHIN_ROUNDING
    assert more_than("more than 20", 20, exactly(20), "x").verdict == DOES_NOT_HOLD
    assert at_least("at least 20", 20, exactly(20), "x").verdict == HOLDS
    assert less_than("less than 20", 20, exactly(20), "x").verdict == DOES_NOT_HOLD
    assert at_most("at most 20", 20, exactly(20), "x").verdict == HOLDS
    assert at_most("at most 20", 20, q("20.1"), "x").verdict == DOES_NOT_HOLD
    assert at_most("at most 20.1", Fraction(201, 10), q("20.1"), "x").verdict == HOLDS
    assert at_most("at most 20", q("20.0"), q("20.1"), "x").verdict == WITHIN_ROUNDING


@pytest.mark.parametrize(
    ("reported", "value", "verdict"),
    [
        ("80", "84.9", HOLDS),
        ("80", "85.00", HOLDS),
        ("80", "85.03", DOES_NOT_HOLD),
        ("80", "71.5", DOES_NOT_HOLD),
        ("2,450,000", "2450800", HOLDS),
        ("5", "5.2", HOLDS),
        ("5", "5.52", DOES_NOT_HOLD),
        ("85", "85.52", DOES_NOT_HOLD),
        ("0", "0.4", HOLDS),
    ],
)
def test_about_is_half_a_unit_of_the_last_digit_that_is_not_zero(reported: str, value: str, verdict: str) -> None:
    assert about(printed(reported), q(value), "x").verdict == verdict


def test_about_within_rounding() -> None:
    assert about(printed("80"), q("85.1"), "x").verdict == DOES_NOT_HOLD
    assert about(printed("80"), Quantity(Fraction(86), Fraction(84), Fraction(88)), "x").verdict == WITHIN_ROUNDING


def test_up_to_is_the_greatest_number_as_far_as_it_is_rounded() -> None:
    assert up_to(printed("40"), q("39.8"), "x").verdict == HOLDS
    assert up_to(printed("40"), q("43.5"), "x").verdict == DOES_NOT_HOLD
    assert up_to(printed("40"), q("39.8"), "x").reported == "up to 40"


def test_an_order_may_hold_within_rounding() -> None:
    assert ordered([q("21.7"), q("46.9"), q("58.6")], "x").verdict == HOLDS
    assert ordered([q("21.7"), q("21.7"), q("58.6")], "x").verdict == HOLDS
    assert ordered([q("21.8"), q("21.7"), q("58.6")], "x").verdict == WITHIN_ROUNDING
    assert ordered([q("22"), q("58.6"), q("46.9")], "x").verdict == DOES_NOT_HOLD


def test_what_cannot_be_checked_has_a_reason_and_no_interval() -> None:
    found = not_checkable("bold", "the table has no bold")
    assert (found.verdict, found.low, found.high) == (CANNOT_BE_CHECKED, None, None)
    assert found.explanation == "The table has no bold."
