"""Whether percentages can come from whole numbers of items at all, and what several of them say about each other.

The first is the GRIM test of Brown and Heathers (2017): a mean of n whole numbers is a multiple of 1/n.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import ceil, floor

from whatif.results.contradictions.claim import DOES_NOT_HOLD, HOLDS, WITHIN_ROUNDING, Outcome, Verdict
from whatif.results.contradictions.quantity import Printed, Quantity, exactly, shown


def counts(percent: Printed, items: int) -> range:
    """The numbers of items out of `items` whose percentage is printed like this; empty where there is none."""
    span = percent.quantity
    low = max(0, ceil(span.low * items / 100))
    high = min(items, floor(span.high * items / 100))
    while low <= high and not percent.is_rounded(Fraction(100 * low, items)):
        low += 1
    while low <= high and not percent.is_rounded(Fraction(100 * high, items)):
        high -= 1
    return range(low, high + 1)


def possible(percent: Printed, items: int, what: str) -> Outcome:
    """Whether a percentage can come from `items` items.

    It is within rounding where it is less than a unit of the last digit away, as if it had been rounded the wrong way.
    """
    found = counts(percent, items)
    below = floor(percent.value * items / 100)
    nearest = min((below, below + 1), key=lambda k: (abs(Fraction(100 * k, items) - percent.value), k))
    value = Fraction(100 * nearest, items)
    verdict: Verdict
    if found:
        verdict, says = HOLDS, f"{found[0]:,} of {items:,} {what} give {percent.text}"
    elif abs(value - percent.value) < percent.unit:
        verdict = WITHIN_ROUNDING
        says = (
            f"{nearest:,} of {items:,} {what} are {shown(value, percent.places)}%; {percent.text} is less than a unit "
            "of the last digit away"
        )
    else:
        around = " and ".join(
            f"{k:,} are {shown(Fraction(100 * k, items), percent.places)}%" for k in (below, below + 1)
        )
        verdict, says = DOES_NOT_HOLD, f"No number of {items:,} {what} gives {percent.text}%: {around}"
    return Outcome(verdict, percent.text, value, value, f"{says}.")


def sizes_that_fit(percents: Iterable[Printed], sizes: Iterable[int]) -> list[int]:
    """The numbers of items from which all these percentages can come."""
    wanted = list(percents)
    return [size for size in sizes if all(counts(percent, size) for percent in wanted)]


def likeliest_size(groups: Sequence[tuple[Sequence[Printed], int]], sizes: Iterable[int]) -> int:
    """The number of items from which the fewest percentages cannot come; of several, the first.

    groups: percentages, and how many things each of the items counts for in them. Raises ValueError without sizes.
    """
    found, fewest = None, 0
    for size in sizes:
        misfits = 0
        for percents, times in groups:
            for percent in percents:
                misfits += not counts(percent, size * times)
                if found is not None and misfits >= fewest:
                    break
            else:
                continue
            break
        else:
            found, fewest = size, misfits
    if found is None:
        raise ValueError("no sizes: at least one is needed")
    return found


def both_right(first: Printed, second: Printed, both: Printed) -> Outcome:
    """Whether the share of items with two things right is possible: neither above a share of one, nor too low.

    At most the smaller of both shares, at least their sum minus 100.
    """
    one, other = first.quantity, second.quantity
    most = Quantity(
        min(one.nominal, other.nominal),
        min(one.low, other.low),
        min(one.high, other.high),
    )
    least = one + other - 100
    least = Quantity(max(least.nominal, Fraction(0)), max(least.low, Fraction(0)), max(least.high, Fraction(0)))
    value = both.quantity
    verdict: Verdict
    if least.nominal <= value.nominal <= most.nominal:
        verdict = HOLDS
    elif least.low <= value.high and value.low <= most.high:
        verdict = WITHIN_ROUNDING
    else:
        verdict = DOES_NOT_HOLD
    places = both.places
    says = f"With {first.text}% and {second.text}% right, both can be right for {shown(least.nominal, places)}% to "
    return Outcome(
        verdict,
        both.text,
        least.low,
        most.high,
        f"{says}{shown(most.nominal, places)}%, and {both.text}% are reported.",
    )


def same_baseline(pairs: Iterable[tuple[Printed, Printed]]) -> Outcome:
    """Whether several values and their relative changes in percent (both printed) go back to one baseline."""
    found = list(pairs)
    implied = [value.quantity / (exactly(1) + change.quantity / 100) for value, change in found]
    low, high = max(each.low for each in implied), min(each.high for each in implied)
    listed = " and ".join(f"{value.text} ({change.text}%)" for value, change in found)
    changes = " and ".join(f"{change.text}%" for _, change in found)
    if low <= high:
        return Outcome(
            HOLDS, changes, low, high, f"{listed} go back to a baseline of {shown(low, 1)} to {shown(high, 1)}."
        )
    return Outcome(DOES_NOT_HOLD, changes, low, high, f"{listed} cannot go back to one baseline.")


def multiples(percents: Sequence[Printed], sample: int, items: int, what: str) -> Outcome:
    """Whether percentages that are all of a sample may be of more items: then only some would be such multiples."""
    fitting = sum((percent.value * sample / 100).denominator == 1 for percent in percents)
    chance = Fraction(sample, items) ** fitting
    size = len(str(chance.denominator // chance.numerator)) - 1
    verdict = DOES_NOT_HOLD if chance < Fraction(1, 1000) else HOLDS
    text = (
        f"{fitting} of {len(percents)} scores are multiples of {100 / sample:g}%, as of {sample} items; of {items:,} "
        f"{what}, the probability of that is 10^-{size}."
    )
    return Outcome(verdict, f"{items:,} {what}", Fraction(sample), Fraction(sample), text)
