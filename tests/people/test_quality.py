"""The work of each annotator, counted by hand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from whatif.engine.errors import WhatifError
from whatif.engine.params.resolution import Resolution
from whatif.people.quality import Work, quality_of_work, without_adjudicator
from whatif.scoring.statistics import wilson

ITEMS = {  # decisions of ann, ben, cat and dan; `-` where somebody did not judge the item
    "p": "AAAB",
    "q": "ABA-",
    "r": "AB--",
    "s": "AABB",
    "t": "B---",
}


def rows(items: dict[str, str] = ITEMS, **columns: Any) -> list[dict[str, Any]]:
    return [
        {
            "item_id": item,
            "annotator": name,
            "decision": decision,
            "corrected": "{}",
            "comment": "",
            "time": None,
            **columns,
        }
        for item, decisions in items.items()
        for name, decision in zip(("ann", "ben", "cat", "dan"), decisions, strict=True)
        if decision != "-"
    ]


def work(judgements: Iterable[dict[str, Any]], **settings: Any) -> dict[str, Work]:
    return {one.annotator: one for one in quality_of_work(judgements, resamples=999, **settings)}


def test_each_is_compared_with_more_than_half_of_the_others() -> None:
    made = work(rows())
    assert list(made) == ["ann", "ben", "cat", "dan"]
    assert {name: one.items for name, one in made.items()} == {"ann": 5, "ben": 4, "cat": 3, "dan": 2}
    # p: the others of ann are A, A, B; of dan A, A, A. q: those of ann are B and A, those of ben A and A.
    # r: each has the other one. s: the others of ann are A, B, B, those of cat A, A, B. t: ann has no others.
    assert {name: one.confusion for name, one in made.items()} == {
        "ann": {("A", "A"): 1, ("B", "A"): 2},
        "ben": {("A", "A"): 1, ("A", "B"): 2, ("B", "A"): 1},
        "cat": {("A", "A"): 1, ("A", "B"): 1},
        "dan": {("A", "B"): 2},
    }
    assert {name: one.compared for name, one in made.items()} == {"ann": 3, "ben": 4, "cat": 2, "dan": 2}
    assert made["ann"].agreement == wilson(1, 3) and made["ben"].agreement == wilson(1, 4)
    assert made["ann"].competence is not None and made["ann"].competence.items == 4
    assert work(rows()[::-1]) == made


def test_gold_items_are_those_with_a_known_decision() -> None:
    made = work(rows(), gold={"p": "A", "t": "A", "unknown": "A"}, confidence=0.9)
    assert [(one.gold_items, one.gold) for one in made.values()] == [
        (2, wilson(1, 2, 0.9)),
        (1, wilson(1, 1, 0.9)),
        (1, wilson(1, 1, 0.9)),
        (1, wilson(0, 1, 0.9)),
    ]
    assert all(one.gold is None and one.gold_items == 0 for one in work(rows()).values())


def test_durations_are_those_that_are_known() -> None:
    timed = rows()
    for row, seconds in zip(timed, (1.0, 5.0, None, 2.0, 1.99, 6.0), strict=False):
        row["seconds"] = seconds
    made = work(timed)  # ann: 1.0 and 1.99; ben: 5.0 and 6.0; cat: one that is not known; dan: 2.0
    assert [(one.timed, one.seconds) for one in made.values()] == [(2, 1.495), (2, 5.5), (0, None), (1, 2.0)]
    assert [one.too_fast for one in made.values()] == [wilson(2, 2), wilson(0, 2), None, wilson(0, 1)]
    assert work(timed, least_seconds=5.5)["ben"].too_fast == wilson(1, 2)
    assert all(one.seconds is None and one.too_fast is None for one in work(rows()).values())


def test_an_adjudicator_is_no_independent_annotator() -> None:
    left = without_adjudicator(rows(), Resolution(rule="adjudicated", adjudicator="ann"))
    assert left == [row for row in rows() if row["annotator"] != "ann"]
    assert without_adjudicator(rows(), Resolution()) == rows()


def test_somebody_alone_is_compared_with_nobody() -> None:
    alone = work(rows({"p": "A---", "q": "B---"}))["ann"]
    assert (alone.items, alone.compared, alone.agreement, alone.competence) == (2, 0, None, None)
    assert quality_of_work([]) == []
    with pytest.raises(WhatifError, match="item p: ann judged it twice"):
        quality_of_work(rows({"p": "A---"}) * 2)
