"""Items of the site as rows of their tables."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import pyarrow as pa

from whatif.engine.artifacts.site_schemas import ITEM_VIEWS, ITEMS
from whatif.results.reporting.items import (
    Item,
    ItemAnswer,
    ItemPicture,
    ItemProgram,
    ItemQuestion,
    ItemView,
    item_tables,
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
    (made,) = item_tables([EVERYTHING, Item("p2", "Pair 2")])
    copied = [_row(0, EVERYTHING), _row(1, Item("p2", "Pair 2"))]
    read = made.to_pylist()
    assert made.schema == ITEMS.schema
    assert read == pa.Table.from_pylist(copied, schema=ITEMS.schema).to_pylist()
    assert read[0]["questions"][0]["answers"][1]["program"]["calls"] == ["find: [1]", "count: 1"]
    assert read[0]["questions"][0]["answers"][0]["program"] is None and read[1]["questions"] == []


def test_pieces_are_row_groups_and_positions_go_on() -> None:
    assert list(item_tables([])) == []
    made = list(item_tables(replace(EVERYTHING, item_id=f"p{place}") for place in range(ITEMS.row_group_rows + 2)))
    assert [piece.num_rows for piece in made] == [ITEMS.row_group_rows, 2]
    assert made[1]["position"].to_pylist() == [ITEMS.row_group_rows, ITEMS.row_group_rows + 1]
    assert made[1]["item_id"][1].as_py() == f"p{ITEMS.row_group_rows + 1}"


def _row(position: int, item: Item) -> dict[str, Any]:
    row = {"position": position, **asdict(item)}
    for question, made in zip(row["questions"], item.questions, strict=True):
        programs = [answer.program and asdict(answer.program) for answer in made.answers]
        question["answers"] = [
            {**answer._asdict(), "program": program} for answer, program in zip(made.answers, programs, strict=True)
        ]
    return row


def test_views_are_numbered() -> None:
    rows = list(view_rows([ItemView("figure-6", "Figure 6", "A text."), ItemView("table-2", "Table 2", "Another.")]))
    assert [(row["position"], row["view"]) for row in rows] == [(0, "figure-6"), (1, "table-2")]
    assert pa.Table.from_pylist(rows, schema=ITEM_VIEWS.schema).num_rows == 2
