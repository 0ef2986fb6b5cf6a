"""Checks of reported numbers against values that are recomputed from printed ones."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from whatif.results.contradictions.claim import (
    CANNOT_BE_CHECKED,
    DOES_NOT_HOLD,
    HOLDS,
    WITHIN_ROUNDING,
    Outcome,
    Verdict,
)
from whatif.results.contradictions.quantity import Printed, Quantity, shown

_DECIMALS = 2  # of limits and orders, which have no reported number with decimals of its own


def equals(reported: Printed, recomputed: Quantity, what: str, note: str = "") -> Outcome:
    """Whether a reported number is the recomputed value; `what` names that value, and `note` ends the explanation."""
    span = reported.quantity
    places = reported.places
    value = shown(recomputed.nominal, places)
    low, high = shown(recomputed.low, places), shown(recomputed.high, places)
    verdict: Verdict
    if reported.is_rounded(recomputed.nominal):
        verdict, text = HOLDS, f"{_begin(what)} is {value}, as reported"
    elif _overlap(span, recomputed) and recomputed.low != recomputed.high:
        verdict = WITHIN_ROUNDING
        text = f"{_begin(what)} is {value}, and {low} to {high} with rounding, which allows {reported.text}"
    else:
        between = f" ({low} to {high} with rounding)" if low != high else ""
        verdict, text = DOES_NOT_HOLD, f"{_begin(what)} is {value}{between}, not {reported.text}"
    return Outcome(verdict, reported.text, recomputed.low, recomputed.high, _sentence(text, note))


def part_of(reported: Printed, recomputed: Quantity, what: str, note: str = "") -> Outcome:
    """Whether a number of items is a share of others; a part may be rounded up, too, or down."""
    found = equals(reported, recomputed, what, note)
    if found.verdict != DOES_NOT_HOLD or abs(recomputed.nominal - reported.value) >= 1:
        return found
    text = f"{_begin(what)} is {shown(recomputed.nominal, 0)}, which may be cut off to {reported.text}"
    return Outcome(WITHIN_ROUNDING, reported.text, found.low, found.high, _sentence(text, note))


def same(reported: Printed, other: Printed, where: str, note: str = "") -> Outcome:
    """Whether a number that is printed in two places is the same; the coarser of the two is the rounded finer one."""
    coarse, fine = (reported, other) if reported.unit >= other.unit else (other, reported)
    exact = Quantity(fine.value, fine.value, fine.value)
    verdict = HOLDS if coarse.is_rounded(fine.value) else DOES_NOT_HOLD
    text = f"{where} has {other.text}" + (", the same" if verdict == HOLDS else f", not {reported.text}")
    return Outcome(verdict, reported.text, exact.low, exact.high, _sentence(_begin(text), note))


def more_than(limit: str, least: Quantity | Fraction | int, value: Quantity, what: str, note: str = "") -> Outcome:
    """Whether a value is above another one. `limit` is what the claim says, such as `more than 20`."""
    by = value - least
    return _signed(limit, by, value, what, allows_equal=False, note=note)


def at_least(limit: str, least: Quantity | Fraction | int, value: Quantity, what: str, note: str = "") -> Outcome:
    """Whether a value is not below another one."""
    return _signed(limit, value - least, value, what, allows_equal=True, note=note)


def less_than(limit: str, most: Quantity | Fraction | int, value: Quantity, what: str, note: str = "") -> Outcome:
    """Whether a value is below another one."""
    return _signed(limit, -(value - most), value, what, allows_equal=False, note=note)


def at_most(limit: str, most: Quantity | Fraction | int, value: Quantity, what: str, note: str = "") -> Outcome:
    """Whether a value is not above another one."""
    return _signed(limit, -(value - most), value, what, allows_equal=True, note=note)


def about(reported: Printed, recomputed: Quantity, what: str, note: str = "") -> Outcome:
    """Whether a number that is said to be approximate is the recomputed one in its digits that are not zero.

    Of 80, everything from 75 to 85 is right; of 2,450,000, everything within 5,000.
    """
    unit = reported.unit
    while reported.value and (reported.value / (unit * 10)).denominator == 1:
        unit *= 10
    rough = Printed(reported.text, reported.value, unit)
    places = max(reported.places, 1)
    value = shown(recomputed.nominal, places)
    inside = abs(recomputed.nominal - reported.value) <= unit / 2
    if inside:
        return Outcome(
            HOLDS,
            f"about {reported.text}",
            recomputed.low,
            recomputed.high,
            _sentence(f"{_begin(what)} is {value}", note),
        )
    verdict = WITHIN_ROUNDING if _overlap(rough.quantity, recomputed) else DOES_NOT_HOLD
    text = f"{_begin(what)} is {value}, more than {shown(unit / 2, 0)} away from {reported.text}"
    return Outcome(verdict, f"about {reported.text}", recomputed.low, recomputed.high, _sentence(text, note))


def up_to(reported: Printed, recomputed: Quantity, what: str, note: str = "") -> Outcome:
    """Whether a number that is said to be the greatest is the greatest of the printed ones, as far as it is rounded."""
    found = equals(reported, recomputed, what, note)
    return Outcome(found.verdict, f"up to {reported.text}", found.low, found.high, found.explanation)


def ordered(values: Sequence[Quantity], what: str) -> Outcome:
    """Whether values never fall from one to the next, such as recall at 1, 5 and 10."""
    steps = [after - before for before, after in pairwise(values)]
    worst = min(steps, key=lambda step: step.nominal)
    verdict: Verdict = HOLDS if worst.nominal >= 0 else WITHIN_ROUNDING if worst.high >= 0 else DOES_NOT_HOLD
    listed = ", ".join(_brief(value.nominal) for value in values)
    text = f"{_begin(what)} {'rise' if verdict == HOLDS else 'do not rise'}: {listed}"
    return Outcome(verdict, "in rising order", worst.low, worst.high, _sentence(text, ""))


def not_checkable(reported: str, reason: str) -> Outcome:
    """A claim for which the paper does not print what is needed; `reason` is a sentence."""
    return Outcome(CANNOT_BE_CHECKED, reported, None, None, _sentence(_begin(reason), ""))


def _signed(limit: str, by: Quantity, value: Quantity, what: str, *, allows_equal: bool, note: str) -> Outcome:
    verdict: Verdict
    if by.nominal > 0 or (allows_equal and by.nominal == 0):
        verdict = HOLDS
    elif by.high > 0 or (allows_equal and by.high == 0):
        verdict = WITHIN_ROUNDING
    else:
        verdict = DOES_NOT_HOLD
    joined = {
        HOLDS: "as claimed",
        WITHIN_ROUNDING: "and rounding allows the claim",
        DOES_NOT_HOLD: "against the claim",
    }[verdict]
    text = f"{_begin(what)} is {_brief(value.nominal)}, {joined}: {limit}"
    return Outcome(verdict, limit, value.low, value.high, _sentence(text, note))


def _overlap(one: Quantity, other: Quantity) -> bool:
    return one.low <= other.high and other.low <= one.high


def _brief(value: Fraction) -> str:
    text = shown(round(value, _DECIMALS), _DECIMALS)
    return text.rstrip("0").removesuffix(".")


def _begin(text: str) -> str:
    return text[:1].upper() + text[1:]


def _sentence(text: str, note: str) -> str:
    return f"{text}; {note}." if note else f"{text}."
