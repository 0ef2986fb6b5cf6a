"""A corrected copy of a released C-VQA file: rows without ids, found by their image and their questions."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.people.imports.files import csv_file, read, reasons
from whatif.engine.errors import WhatifError
from whatif.formats.c_vqa import read_released
from whatif.formats.c_vqa_records import COLUMNS
from whatif.people.exports.questions import question_items
from whatif.people.imports.importer import ImportedLabels
from whatif.people.imports.items import Items

Row = dict[str, Any]


def line(image: int, query: str, answer: str = "2", new_query: str = "", new_answer: str = "1") -> Row:
    new_query = new_query or f"{query} If one left?"
    return dict(zip(COLUMNS, (f"{image}.jpg", query, answer, new_query, new_answer, "direct"), strict=True))


LINES = [line(1, "How many cats?"), line(1, "How many dogs?"), line(2, "How many cups?"), line(3, "How many hats?")]


def pieces(tmp_path: Path, copy: list[Row], lines: list[Row] = LINES) -> tuple[Path, Path, Items]:
    parent = csv_file(tmp_path / "released.csv", lines)
    parent.write_text(parent.read_text(encoding="utf-8").replace("\r\n", "\n"), encoding="utf-8", newline="")
    return csv_file(tmp_path / "copy.csv", copy, COLUMNS), parent, question_items(read_released(parent), seed=0)


def labels_of(tmp_path: Path, copy: list[Row], lines: list[Row] = LINES) -> ImportedLabels:
    path, parent, items = pieces(tmp_path, copy, lines)
    return read(path, "corrected-copy", items, annotator="ann", parent=str(parent))


def decided(labels: ImportedLabels) -> dict[str, Any]:
    return {
        row["item_id"]: json.loads(row["corrected"]) if row["decision"] == "accept" else row["decision"]
        for row in labels.judgements
    }


def test_rows_are_found_by_what_was_not_edited(tmp_path: Path) -> None:
    copy = [
        {**LINES[3], "query": "How many hats are there?", "new answer": "7"},
        {**LINES[1], "new query": "How many dogs would be left?"},
        {**LINES[0], "answer": "2.0"},
    ]
    for seed in range(3):
        random.Random(seed).shuffle(copy)
        labels = labels_of(tmp_path, copy)
        assert decided(labels) == {
            "1-0001-original": {},
            "1-0001-counterfactual": {},
            "1-0002-original": {},
            "1-0002-counterfactual": {"question": "How many dogs would be left?"},
            "2-0003-counterfactual": "reject",
            "3-0004-original": {"question": "How many hats are there?"},
            "3-0004-counterfactual": {"answer": "7"},
        }
        assert labels.findings == []


def test_what_is_unclear_is_listed_and_rejects_nothing(tmp_path: Path) -> None:
    copy = [
        {**LINES[0], "query": "A", "new query": "B"},  # both questions of a row
        LINES[1],
        {**LINES[2], "new answer": ""},
        {**LINES[3], "img_path": "9.jpg"},
    ]
    labels = labels_of(tmp_path, copy)
    assert reasons(labels) == {"unknown item": 2, "emptied field": 1}
    assert decided(labels) == {"1-0002-original": {}, "1-0002-counterfactual": {}, "3-0004-counterfactual": "reject"}
    details = [row["detail"] for row in labels.rejections]
    assert "line 2: img_path '1.jpg' with these questions is not one row of" in details[0]
    assert "line 4: new answer is empty, and was '1'; to reject the item" in details[1]


def test_a_row_with_too_many_fields_is_not_a_removed_one(tmp_path: Path) -> None:
    path, parent, items = pieces(tmp_path, [])
    cells = [[*row.values()] for row in LINES]
    cells[3] = ["3.jpg", "How many hats", " and caps?", *cells[3][2:]]
    path.write_text("\n".join(",".join(row) for row in [COLUMNS, *cells]), encoding="utf-8")
    labels = read(path, "corrected-copy", items, annotator="ann", parent=str(parent))
    assert reasons(labels) == {"too many fields": 1}
    assert "reject" not in decided(labels).values() and len(decided(labels)) == 6


def test_a_copy_of_another_file_does_not_reject_everything(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match=r"copy\.csv: none of its rows is in .*released\.csv; give a copy of it"):
        labels_of(tmp_path, [line(7, "How many birds?")])


def test_rows_that_differ_only_in_an_answer(tmp_path: Path) -> None:
    lines = [line(1, "How many?", answer) for answer in ("1", "2")]
    assert set(decided(labels_of(tmp_path, lines, lines))) == {
        f"1-000{n}-{variant}" for n in (1, 2) for variant in ("original", "counterfactual")
    }
    labels = labels_of(tmp_path, [{**lines[0], "answer": "5"}, lines[1]], lines)
    assert decided(labels)["1-0001-original"] == {"answer": "5"}
    labels = labels_of(tmp_path, [{**lines[0], "answer": "5"}, line(2, "What?")], [*lines, line(2, "What?")])
    assert reasons(labels) == {"unknown item": 1}
    assert set(decided(labels)) == {"2-0003-original", "2-0003-counterfactual"}


def test_a_copy_without_ids_needs_its_parent(tmp_path: Path) -> None:
    path, _, items = pieces(tmp_path, LINES)
    with pytest.raises(WhatifError, match=r"copy\.csv: has no ids; give the released file that was copied as parent"):
        read(path, "corrected-copy", items, annotator="ann")
