"""Ours beside the reported numbers of the same cell."""

from __future__ import annotations

from typing import Any

from whatif.results.reporting.table import tidy
from whatif.results.site.comparison import DIFFERS, EQUAL, INSIDE, OUTSIDE, Comparison, comparison

Row = dict[str, Any]


def compare(rows: list[Row], *identity: str) -> Comparison:
    found = comparison(tidy(rows, ("source", *identity, "measure", "published")))
    assert found is not None
    return found


def ours(value: float, low: float | None = None, high: float | None = None, **of: str) -> Row:
    return {"source": "ours", "measure": "accuracy", "value": value, "low": low, "high": high, **of}


def paper(published: str, **of: str) -> Row:
    return {"source": "reported", "measure": "accuracy", "published": published, "value": float(published), **of}


def test_a_reported_number_is_inside_or_outside_of_the_interval() -> None:
    found = compare(
        [
            paper("50.0", group="a"),
            ours(52.0, 49.0, 55.0, group="a"),
            paper("50.0", group="b"),
            ours(60, 51, 70, group="b"),
        ],
        "group",
    )
    assert [(*cell.labels, cell.verdict, cell.signed) for cell in found.cells] == [
        ("a", INSIDE, "+2.0"),
        ("b", OUTSIDE, "+10.0"),
    ]
    assert [cell.marked for cell in found.cells] == [False, True]
    assert found.marked == 1


def test_an_end_of_the_interval_is_inside() -> None:
    assert compare([paper("49.0", group="a"), ours(52.0, 49.0, 55.0, group="a")], "group").cells[0].verdict == INSIDE


def test_without_an_interval_only_rounding_is_no_difference() -> None:
    near, far = (
        compare([paper("0.74", group="a"), ours(value, group="a")], "group").cells[0].verdict
        for value in (0.744, 0.746)
    )
    assert (near, far) == (EQUAL, DIFFERS)


def test_recomputed_numbers_are_compared_to_the_last_digit_whatever_their_interval() -> None:
    again = {"source": "recomputed", "measure": "accuracy", "low": 40.0, "high": 60.0}
    found = compare(
        [
            paper("50.0", group="a"),
            paper("50.0", group="b"),
            ours(50.0, 49.0, 51.0, group="a"),
            {**again, "group": "a", "value": 50.04},
            {**again, "group": "b", "value": 50.06},
        ],
        "group",
    )
    assert found.headings == ["Group", "Source"]
    assert [(*cell.labels, cell.verdict) for cell in found.cells] == [
        ("a", "ours", INSIDE),
        ("a", "recomputed", EQUAL),
        ("b", "recomputed", DIFFERS),
    ]


def test_systems_are_compared_by_name_only() -> None:
    rows = [
        paper("50.0", name="ViperGPT"),
        paper("40.0", name="Viper"),
        ours(52.0, 49.0, 55.0, name="ViperGPT (rules)"),
        ours(10.0, 9.0, 11.0, name="Other"),
    ]
    found = compare(rows, "name")
    assert [(cell.labels, cell.reported) for cell in found.cells] == [(["ViperGPT (rules)"], "50.0")]
    assert found.systems == ["Viper"]
    assert (found.reported, found.unmatched) == (2, 1)


def test_nothing_is_compared_with_reported_numbers_of_other_systems() -> None:
    found = compare([paper("50.0", name="Theirs"), ours(50.0, 49.0, 51.0, name="Own")], "name")
    assert (found.cells, found.systems, found.ours) == ([], ["Theirs"], ["Own"])


def test_nothing_is_compared_with_other_cells_of_the_same_system() -> None:
    rows = [
        paper("50.0", name="ViperGPT", strategy="direct"),
        paper("40.0", name="Other", strategy="plain"),
        ours(52.0, name="ViperGPT (rules)", strategy="plain"),
    ]
    found = compare(rows, "name", "strategy")
    assert (found.cells, found.systems, found.shared) == ([], ["Other"], ["ViperGPT"])
    assert found.apart == [("Strategy", ["direct"], ["plain"])]


def test_a_count_that_is_printed_in_words_has_no_decimals() -> None:
    words = {**paper("3482", of="images"), "published": "10% of 34,820"}
    (cell,) = compare([words, ours(5, of="images")], "of").cells
    assert (cell.reported, cell.own, cell.signed) == ("10% of 34,820", "5", "-3477")


def test_a_column_that_only_ours_fill_in_does_not_prevent_a_match() -> None:
    rows = [
        paper("50.0", label="both"),
        ours(52.0, 49.0, 55.0, label="both", made_by="people"),
        ours(30.0, 29.0, 31.0, label="both", made_by="automatic"),
    ]
    found = compare(rows, "label", "made_by")
    assert found.headings == ["Made by"]
    assert [(cell.labels, cell.verdict) for cell in found.cells] == [(["people"], INSIDE), (["automatic"], OUTSIDE)]


def test_a_column_that_follows_from_another_one_describes_it() -> None:
    rows = [
        paper("50.0", name="CLIP", mixture="base", samples="13928"),
        paper("60.0", name="CLIP", mixture="all", samples="41784"),
        ours(52.0, 49.0, 55.0, name="CLIP", mixture="base", samples="256"),
        ours(70.0, 69.0, 71.0, name="CLIP", mixture="all", samples="768"),
    ]
    found = compare(rows, "name", "mixture", "samples")
    assert [cell.verdict for cell in found.cells] == [INSIDE, OUTSIDE]


def test_results_on_other_data_are_not_compared() -> None:
    rows = [
        paper("50.0", name="CLIP", data="Flickr", k="1"),
        paper("60.0", name="CLIP", data="Flickr", k="5"),
        ours(50.0, 49.0, 55.0, name="CLIP", data="scenes", k="1"),
        ours(60.0, 59.0, 71.0, name="CLIP", data="scenes", k="5"),
    ]
    found = compare(rows, "name", "data", "k")
    assert (found.cells, found.unmatched) == ([], 2)


def test_a_table_without_reported_numbers_has_no_comparison() -> None:
    assert comparison(tidy([ours(50.0, group="a")], ("source", "group", "measure"))) is None
    assert comparison(tidy([{"measure": "size", "value": 3}], ("measure",))) is None


def test_rows_of_other_sources_and_missing_numbers_are_left_out() -> None:
    rows = [
        paper("50.0", group="a"),
        {"source": "second reader", "measure": "accuracy", "group": "a", "value": 51.0},
        {"source": "ours", "measure": "accuracy", "group": "a"},
    ]
    found = compare(rows, "group")
    assert (found.cells, found.unmatched) == ([], 1)
