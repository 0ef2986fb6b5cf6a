"""The funnel adds up at every stage, or says at which one something was lost."""

from __future__ import annotations

import pytest

from whatif.engine.errors import WhatifError
from whatif.results.reporting.funnel import FunnelStage, funnel, reasons
from whatif.results.reporting.rendering import grid
from whatif.results.reporting.table import to_csv


def rejection(item: int, reason: str) -> dict[str, str]:
    return {"item_id": f"{item:03d}", "reason": reason, "detail": f"detail {item}"}


def test_reasons_are_counted_in_order_of_their_names() -> None:
    rows = [rejection(1, "narrow-gap"), rejection(2, "duplicate"), rejection(3, "narrow-gap")]
    assert list(reasons(rows).items()) == [("duplicate", 1), ("narrow-gap", 2)]
    assert reasons([]) == {}


def test_a_stage_is_a_row_with_its_reasons_and_counts() -> None:
    stages = [
        FunnelStage("generate", "pairs", 24, 24),
        FunnelStage("filter", "pairs", 24, 19, {"duplicate": 2, "narrow-gap": 3}),
        FunnelStage("evaluate random", "questions", 38, 0, {"error": 38}),
    ]
    table = funnel(stages)
    assert to_csv(table.frame).splitlines() == [
        "stage,unit,measure,reason,value",
        "generate,pairs,in,,24",
        "generate,pairs,out,,24",
        "generate,pairs,rejected,,0",
        "filter,pairs,in,,24",
        "filter,pairs,out,,19",
        "filter,pairs,rejected,,5",
        "filter,pairs,rejected because,duplicate,2",
        "filter,pairs,rejected because,narrow-gap,3",
        "evaluate random,questions,in,,38",
        "evaluate random,questions,out,,0",
        "evaluate random,questions,rejected,,38",
        "evaluate random,questions,rejected because,error,38",
    ]
    counts, why = (grid(view, table.frame).rows for view in table.views)
    assert counts == (
        ("generate", "pairs", "24", "24", "0"),
        ("filter", "pairs", "24", "19", "5"),
        ("evaluate random", "questions", "38", "0", "38"),
    )
    assert why == (
        ("filter", "pairs", "duplicate", "2"),
        ("filter", "pairs", "narrow-gap", "3"),
        ("evaluate random", "questions", "error", "38"),
    )


@pytest.mark.parametrize(
    ("came_in", "went_on", "rejected"),
    [(24, 19, {"narrow-gap": 4}), (24, 20, {"narrow-gap": 5}), (24, 23, {}), (0, 1, {})],
)
def test_a_stage_that_does_not_add_up_is_named_with_its_counts(
    came_in: int, went_on: int, rejected: dict[str, int]
) -> None:
    sound = FunnelStage("generate", "pairs", 24, 24)
    with pytest.raises(WhatifError) as caught:
        funnel([sound, FunnelStage("filter", "pairs", came_in, went_on, rejected), sound])
    message = str(caught.value)
    assert message.startswith(f"filter: {came_in} pairs came in, {went_on} went on and {sum(rejected.values())} were")
    assert "\n" not in message


def test_the_first_stage_that_lost_something_is_the_one_that_is_named() -> None:
    with pytest.raises(WhatifError, match=r"^verify: 5 pairs came in, 4 went on and 0 were rejected"):
        funnel([FunnelStage("verify", "pairs", 5, 4), FunnelStage("evaluate random", "questions", 8, 7)])
