"""The printed numbers that come with the package."""

from __future__ import annotations

import pytest

from whatif.errors import WhatifError
from whatif.reporting.published_numbers import known_tables, published

SCORING = {("c-vqa", n) for n in "34567"} | {("cfmm", n) for n in "123"} | {("mucr", n) for n in "123467"}
COCO = {("coco-cf", n) for n in ("1", "2", "3", "4", "5", "6", "7", "10", "11", "12", "13")}
TEXT = {(paper, "text") for paper in ("c-vqa", "cfmm", "mucr", "coco-cf")}


def test_table_7_of_c_vqa_as_printed() -> None:
    rows = published("c-vqa", "7")
    assert [(row["system"], row["variant"], row["value"]) for row in rows] == [
        ("InstructBLIP (Vicuna-7B)", "original", "26.9"),
        ("InstructBLIP (Vicuna-7B)", "counterfactual", "25.7"),
        ("InstructBLIP (FlanT5 XXL)", "original", "16.7"),
        ("InstructBLIP (FlanT5 XXL)", "counterfactual", "19.9"),
        ("BLIP2 (FlanT5 XXL)", "original", "17.5"),
        ("BLIP2 (FlanT5 XXL)", "counterfactual", "20.2"),
    ]
    assert {row["unit"] for row in rows} == {"percent"}


def test_every_transcribed_table_can_be_read() -> None:
    tables = SCORING | COCO | TEXT
    assert len(tables) == len(known_tables()) == 29
    for paper, table in tables:
        rows = published(paper, table)
        assert rows
        for row in rows:
            assert (row["paper"], row["table"]) == (paper, table)
            assert all(value is not None for value in row.values())
            float(row["value"])


def test_printed_drops_are_the_differences_of_printed_accuracies() -> None:
    by_cell = {(row["system"], row["group"], row["variant"]): row for row in published("c-vqa", "3")}
    drops = [(key, row) for key, row in by_cell.items() if row["printed_delta"]]
    assert len(drops) == 42
    for (system, group, _), row in drops:
        difference = float(row["value"]) - float(by_cell[system, group, "original"]["value"])
        assert difference == pytest.approx(float(row["printed_delta"]), abs=0.051)


def test_a_table_that_was_not_transcribed_is_refused_with_the_known_ones() -> None:
    with pytest.raises(WhatifError, match=r"published table c-vqa 2: not transcribed; known are .*c-vqa_table7.csv"):
        published("c-vqa", "2")
