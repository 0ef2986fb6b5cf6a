"""The items of a table: kinds, clusters, pairs, and what is left out."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.results.auditing.benchmarks import choices, pairs
from whatif.engine.errors import WhatifError
from whatif.formats.benchmark_columns import named_columns
from whatif.results.auditing.benchmark import read_rows
from whatif.results.auditing.items import BOTH_CAPTIONS, SINGLE_CAPTION


def test_choices_with_pairs_and_variants() -> None:
    items = read_rows("rows", pairs(3, share=0)).items
    assert Counter(item.section for item in items) == {("original", "choice"): 3, ("counterfactual", "choice"): 3}
    assert [item.item_id for item in items] == sorted(item.item_id for item in items)
    assert {item.unit for item in items} == {"p0000", "p0001", "p0002"}


def test_a_pair_in_a_row_are_two_items_of_one_pair() -> None:
    rows = [
        {"img": "a.png", "query": "How many?", "answer": 3, "new query": "How many if 1 left?", "new answer": 2},
        {"img": "a.png", "query": "Is it red?", "answer": "Yes", "new query": "Is it red if ...?", "new answer": False},
        {"img": "b.png", "query": "How many?", "answer": "", "new query": "How many if?", "new answer": None},
    ]
    items = read_rows("rows", rows).items
    assert [(item.variant, item.kind, item.answer) for item in items] == [
        ("counterfactual", "number", "2"),
        ("original", "number", "3"),
        ("counterfactual", "yes-no", "no"),
        ("original", "yes-no", "yes"),
    ]
    assert len({item.cluster for item in items}) == 1 and len({item.unit for item in items}) == 2


def test_a_cluster_joins_what_shares_a_picture_over_pairs() -> None:
    rows = [
        {"id": str(place), "question": "?", "answer": "yes", "pair_id": pair, "image": image}
        for place, (pair, image) in enumerate([("p", "1"), ("p", "2"), ("q", "2"), ("r", "3"), ("s", "")])
    ]
    clusters = [item.cluster for item in read_rows("rows", rows).items]
    assert clusters == ["p", "p", "p", "r", "s"]
    alone = [item.cluster for item in read_rows("rows", rows, named_columns({"picture": "-"})).items]
    assert alone == ["p", "p", "q", "r", "s"]


def test_variants_and_pairs_follow_from_ids_of_the_pipeline() -> None:
    rows = [{"question_id": f"x-{place}-{v}", "question": "?", "answer": place} for place in (1, 2) for v in VARIANTS]
    items = read_rows("rows", rows).items
    assert {(item.unit, item.variant) for item in items} == {(f"x-{place}", v) for place in (1, 2) for v in VARIANTS}


VARIANTS = ("original", "counterfactual")


def test_two_captions_in_random_order_and_single_ones() -> None:
    rows = [
        {"id": f"{image}_{k}", "caption_0": f"a {image}", "caption_1": f"b {k}"} for image in range(50) for k in (0, 1)
    ]
    benchmark = read_rows("rows", rows)
    both = [item for item in benchmark.items if item.variant == BOTH_CAPTIONS]
    single = [item for item in benchmark.items if item.variant == SINGLE_CAPTION]
    assert (len(both), len(single)) == (100, 200)
    assert 30 < sum(item.right for item in both) < 70
    assert all(item.options[item.right].startswith("b ") and item.answer == item.options[item.right] for item in both)
    assert len({item.cluster for item in benchmark.items}) == 50 and len({item.unit for item in benchmark.items}) == 100
    assert "one picture" in benchmark.notes[0]


def test_a_kind_can_be_given() -> None:
    rows = [{"question": "?", "A": "x", "B": "y", "answer": str(place % 2)} for place in range(4)]
    assert {item.kind for item in read_rows("rows", rows).items} == {"choice"}
    assert {item.kind for item in read_rows("rows", rows, kind="number").items} == {"number"}


def test_the_most_frequent_of_several_annotators_is_the_answer() -> None:
    rows = [{"question": "?", "answers": [{"answer": "Red."}, {"answer": "blue"}, {"answer": "red"}]}] * 4
    assert {item.answer for item in read_rows("rows", rows).items} == {"red"}


def test_rows_that_cannot_be_read_are_left_out_with_the_first_reason() -> None:
    rows = choices(5)
    rows[3]["answer"] = "Z"
    benchmark = read_rows("rows", rows)
    assert len(benchmark.items) == 4
    assert "1 questions are left out: the first is in row 4, its answer `Z` is none of its options" in benchmark.notes


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "rows: no rows"),
        ([{"question": "?", "answer": ""}], "row 1: has no answer"),
        ([{"question": "?", "A": "1", "B": "2", "answer": "no"}], "its answer `no` is none of its options"),
        ([{"question": f"{p}?", "answer": f"text {p}"} for p in range(9)], "have 9 different answers, too many"),
        ([{"caption_0": "a", "caption_1": ""}], "row 1: a caption is empty"),
    ],
)
def test_what_is_no_benchmark_is_refused(rows: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(WhatifError, match=message):
        read_rows("rows", rows)


def test_a_column_of_options_without_options_is_noted() -> None:
    rows = [{"question": f"{row}?", "options": "red, blue", "answer": "red"} for row in range(20)]
    found = read_rows("file", rows)
    assert [item.kind for item in found.items] == ["open"] * 20
    assert any("20 cells of `options` hold no list of options, the first `red, blue`" in note for note in found.notes)


def test_yes_and_no_may_be_1_and_0_where_the_user_says_so() -> None:
    rows = [{"question": f"{row}?", "answer": str(row % 2), "image": str(row)} for row in range(20)]
    assert {item.kind for item in read_rows("file", rows).items} == {"number"}
    found = read_rows("file", rows, kind="yes-no")
    assert {item.answer for item in found.items} == {"yes", "no"} and found.notes == []
