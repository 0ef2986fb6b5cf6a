"""The table of programs: counts, shares with intervals, and programs that are right with failing tools."""

from __future__ import annotations

from typing import Any

import pytest

from tests.frames import check, has, printed, row, value
from whatif.results.reporting.programs import programs
from whatif.scoring.statistics import wilson

Row = dict[str, Any]


class Settings:
    """Settings of intervals."""

    confidence = 0.95


NAMES = {"viper": "ViperGPT", "none": "No findings"}
QUESTIONS: list[Row] = [
    {"question_id": f"{number}-{variant}", "group": "direct" if number < 3 else "boolean", "variant": variant}
    for number in range(4)
    for variant in ("original", "counterfactual")
]


def finding(question_id: str, category: str, *, right: bool | None = None, fallback: bool = False) -> Row:
    return {
        "question_id": question_id,
        "model": "viper",
        "category": category,
        "program_right": right,
        "fallback": fallback,
    }


FINDINGS = [
    finding("0-counterfactual", "right", right=True),
    finding("1-counterfactual", "right", right=False),  # by luck
    finding("2-counterfactual", "failing tool", right=True),
    finding("3-counterfactual", "ignored presupposition", right=False),
    finding("0-original", "right", right=True),
    finding("1-original", "time", right=False),
    finding("2-original", "no program", right=False, fallback=True),
    finding("3-original", "not classified"),
]


def made(findings: list[Row] = FINDINGS) -> Any:
    return programs(findings, QUESTIONS, NAMES, Settings(), ["direct", "boolean"])


def test_shares_have_wilson_intervals_in_percent() -> None:
    of = {"model": "viper", "group": "all", "variant": "counterfactual", "category": "right"}
    share = row(made(), measure="share", **of)
    expected = wilson(2, 4)
    assert (share["value"], share["n"]) == (50.0, 4)
    assert share["low"] == pytest.approx(100 * expected.low, abs=1e-4)
    assert share["high"] == pytest.approx(100 * expected.high, abs=1e-4)
    assert value(made(), measure="count", **of) == 2


def test_categories_of_a_group_and_variant_add_up_to_all_programs() -> None:
    frame = made().frame
    counts = frame[frame["measure"] == "count"]
    for place, of_place in counts.groupby(["group", "variant"]):
        assert of_place["value"].sum() == {"direct": 3, "boolean": 1, "all": 4}[place[0]]


def test_right_programs_with_failing_tools_are_counted_among_programs_about_drawn_images() -> None:
    of = {"model": "viper", "group": "all", "variant": "counterfactual"}
    assert [
        value(made(), measure=name, **of) for name in ("program right", "tools right", "right program, failing tool")
    ] == [50.0, 25.0, 25.0]
    assert row(made(), measure="program right", model="viper", group="all", variant="original")["n"] == 3
    assert not has(made(), measure="program right", group="boolean", variant="original")


def test_the_printed_table_counts_runs_that_did_not_end_and_fallbacks() -> None:
    rows = printed(made())
    (original,) = [one for one in rows if (one["Group"], one["Variant"]) == ("all", "original")]
    assert (original["Did not end"], original["No program"], original["Fallbacks"]) == ("1", "1", "1")
    assert (original["Not classified"], original["Right"], original["Programs"]) == ("1", "1", "4")
    check(made())


def test_without_program_models_the_table_is_empty() -> None:
    assert not len(made([]).frame)
    assert printed(made([])) == []
