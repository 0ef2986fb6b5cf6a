"""Items of the site as rows of their tables."""

from __future__ import annotations

from dataclasses import asdict

import pyarrow as pa

from whatif.engine.artifacts.site_schemas import ITEM_VIEWS, ITEMS
from whatif.results.reporting.items import (
    Item,
    ItemAnswer,
    ItemPicture,
    ItemProgram,
    ItemQuestion,
    ItemView,
    item_rows,
    view_rows,
)

PROGRAM = ItemProgram("return 1 < 2", "wrong tool", ("find: [1]", "count: 1"))
ANSWERS = (
    ItemAnswer("Model A", "2", correct=True, why="ranked", response="Two.", turns=("First,",), samples=("2", "3")),
    ItemAnswer("Model B", None, correct=False, status="none", program=PROGRAM, prompt_tokens=5, cost=0.5),
)
QUESTIONS = (
    ItemQuestion("p1-original", "How many?", "2", "original", choices=("2", "3"), answers=ANSWERS),
    ItemQuestion("p1-counterfactual", "How many if?", "3", "counterfactual", "added"),
)
EVERYTHING = Item("p1", "Pair 1", "direct", ("A note.",), ("figure-9",), (ItemPicture("i", "cats", ""),), QUESTIONS)


def test_rows_have_every_field_and_fit_their_table() -> None:
    rows = list(item_rows([EVERYTHING, Item("p2", "Pair 2")]))
    copied = [{"position": 0, **asdict(EVERYTHING)}, {"position": 1, **asdict(Item("p2", "Pair 2"))}]
    read = pa.Table.from_pylist(rows, schema=ITEMS.schema).to_pylist()
    assert read == pa.Table.from_pylist(copied, schema=ITEMS.schema).to_pylist()
    assert read[0]["questions"][0]["answers"][1]["program"]["calls"] == ["find: [1]", "count: 1"]
    assert read[0]["questions"][0]["answers"][0]["program"] is None and read[1]["questions"] == []


def test_items_are_not_changed_by_making_rows() -> None:
    before = asdict(EVERYTHING)
    (row,) = item_rows([EVERYTHING])
    row["title"] = "another"
    assert asdict(EVERYTHING) == before


def test_views_are_numbered() -> None:
    rows = list(view_rows([ItemView("figure-6", "Figure 6", "A text."), ItemView("table-2", "Table 2", "Another.")]))
    assert [(row["position"], row["view"]) for row in rows] == [(0, "figure-6"), (1, "table-2")]
    assert pa.Table.from_pylist(rows, schema=ITEM_VIEWS.schema).num_rows == 2
