"""What a step rejected: nothing left is an error, most of it lost one line, anything else nothing."""

from __future__ import annotations

import pytest

from whatif.engine.errors import WhatifError
from whatif.engine.graph.losses import check_losses


def rejected(**reasons: int) -> list[dict[str, str]]:
    return [
        {"item_id": f"{reason}-{number}", "reason": reason, "detail": f"it is\n{reason}"}
        for reason, count in reasons.items()
        for number in range(count)
    ]


def said(kept: int, needed: bool = True, usual: float = 0.5, **reasons: int) -> list[str]:
    lines: list[str] = []
    lost = rejected(**reasons)
    check_losses("filter x", "pairs", kept, lost, remedy="lower y", needed=needed, usual=usual, say=lines.append)
    return lines


@pytest.mark.parametrize(("kept", "reasons"), [(1, {}), (5, {"torn": 5}), (2, {"torn": 1, "wet": 1})])
def test_when_half_or_more_is_left_nothing_is_said(kept: int, reasons: dict[str, int]) -> None:
    assert said(kept, **reasons) == []


def test_when_most_is_lost_one_line_counts_and_names_the_most_frequent_reason() -> None:
    assert said(1200, wet=7, torn=1500) == [
        "warning: filter x: only 1,200 of 2,707 pairs are left; most frequent reason: torn (1,500), for example "
        "torn-0: it is torn"
    ]
    assert said(1, torn=1, wet=1)[0].startswith(
        "warning: filter x: only 1 of 3 pairs is left; most frequent reason: to"
    )


def test_where_no_loss_is_usual_any_is_said() -> None:
    assert said(9, usual=0) == []
    assert said(9, usual=0, torn=1)[0].startswith(
        "warning: filter x: 9 of 10 pairs are left; most frequent reason: torn"
    )


def test_nothing_left_is_an_error_that_says_why_and_what_to_do() -> None:
    with pytest.raises(WhatifError) as raised:
        said(0, a=1, b=3, c=2, d=1)
    told = "filter x: none of 7 pairs is left: b (3), c (2), a (1); for example b-0: it is b; lower y"
    assert str(raised.value) == told


def test_nothing_at_all_is_an_error() -> None:
    with pytest.raises(WhatifError, match=r"^filter x: there are no pairs; lower y$"):
        said(0)


def test_what_is_not_needed_may_be_lost_with_a_line() -> None:
    assert said(0, needed=False) == []
    (line,) = said(0, needed=False, torn=2)
    assert line.startswith("warning: filter x: none of 2 pairs is left; most frequent reason: torn (2)")


def test_a_long_example_is_cut_short() -> None:
    lines: list[str] = []
    row = {"item_id": "a", "reason": "torn", "detail": "x" * 5000}
    check_losses("filter x", "pairs", 0, [row], remedy="", needed=False, usual=0.5, say=lines.append)
    assert len(lines[0]) < 400
