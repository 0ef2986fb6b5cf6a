"""Percentages that can, and cannot, come from whole numbers of items; shares of pairs; common baselines."""

from __future__ import annotations

import pytest

from whatif.results.contradictions import DOES_NOT_HOLD, HOLDS, WITHIN_ROUNDING, Claim, exactly, printed
from whatif.results.contradictions.counts import (
    both_right,
    counts,
    likeliest_size,
    multiples,
    possible,
    same_baseline,
    sizes_that_fit,
)
from whatif.results.contradictions.formulas import equals


@pytest.mark.parametrize(
    ("percent", "items", "found"),
    [
        ("33.3", 3, [1]),
        ("33.4", 3, []),
        ("50", 200, [99, 100, 101]),  # 49.5 and 50.5 are printed as 50 when half is rounded to even
        ("0.0", 5, [0]),
        ("100.0", 5, [5]),
        ("14.6", 115, []),
        ("50.4", 115, [58]),
        ("38.8", 1150, [446]),
        ("0.05", 1000, []),
    ],
)
def test_the_numbers_of_items_with_a_percentage(percent: str, items: int, found: list[int]) -> None:
    assert list(counts(printed(percent), items)) == found


@pytest.mark.parametrize("items", [1, 7, 86, *(pytest.param(items, marks=pytest.mark.soak) for items in (111, 400))])
def test_the_same_numbers_as_by_trying_all(items: int) -> None:
    for tenths in range(1001):
        percent = printed(f"{tenths // 10}.{tenths % 10}")
        tried = [k for k in range(items + 1) if percent.is_rounded(printed("100").value * k / items)]
        assert list(counts(percent, items)) == tried


@pytest.mark.parametrize(
    ("percent", "items", "verdict"),
    [
        ("46.15", 780, HOLDS),
        ("41.53", 780, WITHIN_ROUNDING),
        ("87.65", 348, WITHIN_ROUNDING),
        ("69.35", 195, DOES_NOT_HOLD),
        ("48.0", 113, DOES_NOT_HOLD),
    ],
)
def test_a_number_that_is_rounded_the_wrong_way_is_within_rounding(percent: str, items: int, verdict: str) -> None:
    assert possible(printed(percent), items, "images").verdict == verdict


def test_an_impossible_percentage_is_explained_by_its_neighbours() -> None:
    found = possible(printed("69.35"), 195, "images")
    assert found.explanation == "No number of 195 images gives 69.35%: 135 are 69.231% and 136 are 69.744%."


def test_sizes_are_found_from_percentages() -> None:
    percents = [printed(text) for text in ("50.4", "14.6")]
    sizes = sizes_that_fit(percents, range(40, 221))
    assert 123 in sizes and 115 not in sizes
    # Thirds of 30 items, and quarters of four questions for each.
    groups = [([printed("33.33"), printed("66.67")], 1), ([printed("2.50")], 4)]
    assert likeliest_size(groups, range(1, 100)) == 30
    with pytest.raises(ValueError, match="no sizes"):
        likeliest_size(groups, [])


@pytest.mark.parametrize(
    ("both", "verdict"),
    [
        ("42.24", HOLDS),
        ("50.65", HOLDS),
        ("50.66", WITHIN_ROUNDING),
        ("50.67", DOES_NOT_HOLD),
        ("37.43", HOLDS),
        ("37.42", WITHIN_ROUNDING),
        ("37.40", DOES_NOT_HOLD),
    ],
)
def test_both_are_right_at_most_as_often_as_one_and_at_least_as_often_as_they_must(both: str, verdict: str) -> None:
    assert both_right(printed("86.78"), printed("50.65"), printed(both)).verdict == verdict


def test_percentages_of_a_sample_are_improbable_for_more_items() -> None:
    quarters = [printed(f"{number / 4:.2f}") for number in range(6)]
    assert multiples(quarters, 400, 4000, "items").verdict == DOES_NOT_HOLD
    assert multiples(quarters[:2], 400, 4000, "items").verdict == HOLDS  # 1 in 100
    found = multiples([*quarters, printed("0.10")], 400, 800, "pairs")
    assert found.verdict == HOLDS and found.reported == "800 pairs"
    assert found.explanation.startswith("6 of 7 scores are multiples of 0.25%, as of 400 items; of 800 pairs, the ")


def test_two_relative_changes_go_back_to_one_baseline_or_not() -> None:
    value, better = (printed("21.72"), printed("-51")), (printed("26.36"), printed("-41"))
    found = same_baseline([value, better])
    assert found.verdict == HOLDS and 43.9 < float(found.low) < float(found.high) < 45.1
    assert same_baseline([value, (printed("26.36"), printed("-45"))]).verdict == DOES_NOT_HOLD


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("4.1, Table 6", "Section 4.1, Table 6: x"),
        ("A.3.2", "Appendix A.3.2: x"),
        ("Table 3", "Table 3: x"),
        ("Abstract", "Abstract: x"),
    ],
)
def test_places_are_written_in_words(place: str, words: str) -> None:
    assert Claim("P", place, "x", "sum", equals(printed("1"), exactly(1), "it")).where == words
