"""The printed numbers that come with the package."""

from __future__ import annotations

from pathlib import Path

import pytest

import whatif
from whatif.engine.errors import WhatifError
from whatif.results.reporting.published_numbers import published

BENCHMARKS = Path(whatif.__file__).parent / "benchmarks"
TABLES = {
    "cvqa_synthetic": {"table7"},
    "cvqa_real": {"table3", "table4", "table5", "table6", "text", "statements"},
    "cfmm": {"table1", "table2", "table3", "text"},
    "mucr": {*(f"table{number}" for number in (1, 2, 3, 4, 6, 7)), "text"},
    "coco_counterfactuals": {*(f"table{number}" for number in (1, 2, 7, 10, 13)), "text"},
    "coco_counterfactuals_training": {f"table{number}" for number in (3, 4, 5, 6, 11, 12)},
}
PAPERS = {
    "cvqa_synthetic": "c-vqa",
    "cvqa_real": "c-vqa",
    "coco_counterfactuals": "coco-cf",
    "coco_counterfactuals_training": "coco-cf",
}
FOUND = sorted((path.parts[-3], path.stem) for path in BENCHMARKS.glob("*/published/*.csv"))


def of(benchmark: str, table: str) -> list[dict[str, str]]:
    return published(f"whatif.benchmarks.{benchmark}", table)


def test_table_7_of_c_vqa_as_printed() -> None:
    rows = of("cvqa_synthetic", "table7")
    assert [(row["system"], row["variant"], row["value"]) for row in rows] == [
        ("InstructBLIP (Vicuna-7B)", "original", "26.9"),
        ("InstructBLIP (Vicuna-7B)", "counterfactual", "25.7"),
        ("InstructBLIP (FlanT5 XXL)", "original", "16.7"),
        ("InstructBLIP (FlanT5 XXL)", "counterfactual", "19.9"),
        ("BLIP2 (FlanT5 XXL)", "original", "17.5"),
        ("BLIP2 (FlanT5 XXL)", "counterfactual", "20.2"),
    ]
    assert {row["unit"] for row in rows} == {"percent"}


def test_every_transcribed_table_is_there() -> None:
    assert sorted((benchmark, table) for benchmark, tables in TABLES.items() for table in tables) == FOUND


@pytest.mark.parametrize(("benchmark", "table"), FOUND)
def test_every_transcribed_table_can_be_read(benchmark: str, table: str) -> None:
    rows = of(benchmark, table)
    assert rows
    for row in rows:
        assert (row["paper"], row["table"]) == (PAPERS.get(benchmark, benchmark), table.removeprefix("table"))
        assert all(value is not None for value in row.values())
        float(row["value"])


def test_printed_drops_are_the_differences_of_printed_accuracies() -> None:
    by_cell = {(row["system"], row["group"], row["variant"]): row for row in of("cvqa_real", "table3")}
    drops = [(key, row) for key, row in by_cell.items() if row["printed_delta"]]
    assert len(drops) == 42
    for (system, group, _), row in drops:
        difference = float(row["value"]) - float(by_cell[system, group, "original"]["value"])
        assert difference == pytest.approx(float(row["printed_delta"]), abs=0.051)


def test_a_table_that_was_not_transcribed_is_refused_with_the_known_ones() -> None:
    with pytest.raises(WhatifError, match=r"table2 was not transcribed; published/ has .*table3, .*text"):
        of("cvqa_real", "table2")
