"""Long tables with one row for each label: CSV and JSONL, any column names, durations and corrections."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.people.imports.files import (
    PAIRS,
    QUESTIONS,
    SEED,
    TASKS,
    csv_file,
    decisions,
    json_file,
    jsonl_file,
    read,
    reasons,
)
from whatif.engine.artifacts.schemas import JUDGEMENTS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError
from whatif.people.picture_labels import read_picture_labels

ROWS: list[dict[str, Any]] = [
    {
        "item_id": "q1",
        "annotator": "ann",
        "decision": "Accept",
        "comment": "fine",
        "time": "2024-05-01T10:00:00Z",
        "seconds": "12.5",
    },
    {"item_id": "q1", "annotator": "bob", "decision": "reject", "comment": "", "time": "", "seconds": ""},
    {"item_id": "q2", "annotator": "ann", "decision": "", "comment": "", "time": "", "seconds": ""},
    {"item_id": "q9", "annotator": "ann", "decision": "accept", "comment": "", "time": "", "seconds": ""},
]


def test_csv_jsonl_and_json_say_the_same(tmp_path: Path) -> None:
    numbers = [{**row, "seconds": float(row["seconds"]) if row["seconds"] else None} for row in ROWS]
    files = (
        csv_file(tmp_path / "long.csv", ROWS),
        jsonl_file(tmp_path / "long.jsonl", numbers),
        json_file(tmp_path / "long.json", numbers),
    )
    found = [read(path, "long", QUESTIONS) for path in files]
    assert found[0].judgements == found[1].judgements == found[2].judgements
    assert found[0].counts == found[1].counts == {"counted": 2, "unlabelled": 1, "unknown item": 1}
    first, second = found[0].judgements
    assert first == {
        "item_id": "q1",
        "annotator": "ann",
        "decision": "accept",
        "corrected": "{}",
        "comment": "fine",
        "time": "2024-05-01T10:00:00Z",
        "seconds": 12.5,
    }
    assert (second["decision"], second["time"], second["seconds"]) == ("reject", None, None)
    assert [one.findings[0].place.row for one in found] == ["line 5", "line 4", "row 4"]
    write_artifact(tmp_path / "judgements.parquet", JUDGEMENTS, found[0].judgements)


def test_columns_of_any_name(tmp_path: Path) -> None:
    rows = [
        {"Question ID": "q1", "Rater": "r1", "OK?": "yes", "Fixed answer": "7", "ms": "1500", "Note": "x"},
        {"Question ID": "q2", "Rater": "r1", "OK?": "no", "Fixed answer": "2", "ms": "soon", "Note": ""},
    ]
    settings = {
        "columns": {
            "item": "question id",
            "annotator": "RATER",
            "decision": "OK?",
            "corrected": {"answer": "Fixed answer"},
            "duration": "ms",
            "comment": "Note",
        },
        "values": {"yes": "accept", "no": "reject"},
        "duration_unit": "milliseconds",
    }
    labels = read(csv_file(tmp_path / "any.csv", rows), "columns", QUESTIONS, **settings)
    one, two = labels.judgements
    assert (one["decision"], one["corrected"], one["seconds"]) == ("accept", '{"answer":"7"}', 1.5)
    assert (two["decision"], two["corrected"], two["seconds"]) == ("reject", "{}", None)  # 2 is the answer that it has
    assert (one["comment"], two["comment"]) == ("x", "(ms: soon)")


def test_corrections_without_a_column_of_decisions_accept_the_item(tmp_path: Path) -> None:
    rows = [{"id": "q1", "new": "7"}, {"id": "q2", "new": "2"}, {"id": "q3", "new": ""}]
    columns = {"item": "id", "corrected": {"answer": "new"}}
    labels = read(csv_file(tmp_path / "x.csv", rows), "columns", QUESTIONS, columns=columns, annotator="ann")
    assert [(row["item_id"], row["decision"], row["corrected"]) for row in labels.judgements] == [
        ("q1", "accept", '{"answer":"7"}'),
        ("q2", "accept", "{}"),
    ]
    assert len(labels.unlabelled) == 1


def test_cells_without_a_value_are_empty(tmp_path: Path) -> None:
    """As pandas, R and databases write them; `na` is a label where the settings say so."""
    row = {
        "item_id": "q1",
        "annotator": "NA",
        "decision": "accept",
        "corrected_answer": "7",
        "corrected_question": "nan",
    }
    rows = [
        row,
        *({**row, "item_id": f"q{n}", "decision": cell} for n, cell in enumerate(["NaN", "null"], 2)),
        {**row, "item_id": "q4", "decision": "<NA>", "corrected_answer": "NA"},
    ]
    path = csv_file(tmp_path / "x.csv", rows)
    labels = read(path, "long", QUESTIONS)
    assert [(row["annotator"], json.loads(row["corrected"])) for row in labels.judgements] == [("NA", {"answer": "7"})]
    assert reasons(labels) == {"correction without decision": 2} and len(labels.unlabelled) == 1
    labels = read(path, "long", QUESTIONS, values={"accept": "accept", "<na>": "reject"})
    assert decisions(labels) == {("q1", "NA"): "accept", ("q4", "NA"): "reject"}


def test_a_cell_that_a_spreadsheet_changed_matters_where_it_is_read(tmp_path: Path) -> None:
    good = {"item_id": "q1", "annotator": "ann", "decision": "accept", "comment": "fine", "lookup": "7"}
    rows = [{**good, "lookup": "#N/A"}, {**good, "item_id": "#REF!"}, {**good, "annotator": "#NAME?"}]
    rows.append({**good, "item_id": "q2", "comment": "#REF!"})
    labels = read(csv_file(tmp_path / "x.csv", rows), "long", QUESTIONS)
    assert decisions(labels) == {("q1", "ann"): "accept", ("q2", "ann"): "accept"}
    assert [one["comment"] for one in labels.judgements] == ["fine", "#REF!"]
    assert [(one["reason"], one["detail"]) for one in labels.rejections] == [
        ("damaged cell", "x.csv: line 3: item_id holds the error #REF! of a spreadsheet"),
        ("damaged cell", "x.csv: line 4: annotator holds the error #NAME? of a spreadsheet"),
    ]
    path = csv_file(tmp_path / "y.csv", [good, {**good, "item_id": "q2", "decision": "#N/A"}])
    with pytest.raises(WhatifError, match=r"y\.csv: line 3: decision holds the error #N/A of a spreadsheet; format"):
        read(path, "long", QUESTIONS)


def test_columns_of_corrections_by_their_usual_names(tmp_path: Path) -> None:
    rows = [
        {"item_id": "q1", "annotator": "a", "decision": "accept", "corrected_answer": "7", "corrected_question": ""},
        {"item_id": "q2", "annotator": "a", "decision": "", "corrected_answer": "7", "corrected_question": ""},
    ]
    labels = read(csv_file(tmp_path / "x.csv", rows), "long", QUESTIONS)
    assert [json.loads(row["corrected"]) for row in labels.judgements] == [{"answer": "7"}]
    assert reasons(labels) == {"correction without decision": 1}
    assert labels.rejections[0]["detail"] == "x.csv: line 3: answer has a new value, but decision is empty"


def test_the_format_columns_reads_only_the_columns_that_are_named(tmp_path: Path) -> None:
    rows = [{"id": "q1", "vote_1": "accept", "vote_2": "reject", "corrected_answer_1": "7", "label": "reject"}]
    columns = {"item": "id", "decision": "vote_{n}"}
    labels = read(csv_file(tmp_path / "x.csv", rows), "columns", QUESTIONS, columns=columns)
    assert decisions(labels) == {("q1", "vote_1"): "accept", ("q1", "vote_2"): "reject"}
    assert {row["corrected"] for row in labels.judgements} == {"{}"}


def test_a_correction_that_is_not_allowed_is_one_line(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "x.csv", ROWS)
    with pytest.raises(WhatifError, match="corrected: colour is no field of these items; use answer, image, question"):
        read(path, "long", QUESTIONS, columns={"corrected": {"colour": "comment"}})


def test_sides_and_pair_ids(tmp_path: Path) -> None:
    rows = [
        {"item_id": "1000_0", "side": side, "annotator": side, "decision": decision}
        for side, decision in (("original", "caption_1"), ("counterfactual", "both"), ("1", "caption_0"), ("?", "both"))
    ]
    labels = read(csv_file(tmp_path / "x.csv", rows), "long")
    assert decisions(labels) == {
        ("1000_0-0", "original"): "caption_1",
        ("1000_0-1", "counterfactual"): "both",
        ("1000_0-1", "1"): "caption_0",
    }
    assert reasons(labels) == {"unknown side": 1}
    mapped = read(tmp_path / "x.csv", "long", sides={"?": 0, "1": 1, "original": 1, "counterfactual": 0})
    assert ("1000_0-0", "?") in decisions(mapped) and ("1000_0-1", "original") in decisions(mapped)


def test_a_mapped_column_must_exist(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "x.csv", ROWS)
    with pytest.raises(WhatifError, match=r"x\.csv: has no column Remarks; .* found: item_id, annotator, decision"):
        read(path, "long", QUESTIONS, columns={"comment": "Remarks"})
    with pytest.raises(WhatifError, match="has no column verdict"):
        read(jsonl_file(tmp_path / "x.jsonl", ROWS), "long", QUESTIONS, columns={"decision": "verdict"})


def test_somebody_must_have_made_the_labels(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "x.csv", [{"item_id": "q1", "decision": "accept"}])
    with pytest.raises(
        WhatifError, match=r"no column says who made the labels; name it as columns\.annotator, or give"
    ):
        read(path, "long", QUESTIONS)
    assert decisions(read(path, "long", QUESTIONS, annotator="ann")) == {("q1", "ann"): "accept"}


def test_a_word_for_a_decision_that_does_not_exist_is_one_line(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "x.csv", ROWS)
    with pytest.raises(WhatifError, match=r"values: 'ok' stands for 'first'; use one of accept, reject, unlabelled"):
        read(path, "long", QUESTIONS, values={"ok": "first"})
    with pytest.raises(WhatifError, match="two words that differ only in capitals or spaces"):
        read(path, "long", QUESTIONS, values={"ok": "accept", "OK ": "reject"})


def test_our_own_export_has_the_same_labels_by_either_reader(tmp_path: Path) -> None:
    words = ("1", "2", "both", "neither", "", "?")
    rows: list[dict[str, Any]] = [
        {"task_id": task.task_id, "annotator": "ann", "label": words[number % 6]} for number, task in enumerate(TASKS)
    ]
    path = csv_file(tmp_path / "tasks.csv", [*rows, {"task_id": "task-0", "annotator": "ann", "label": "1"}])
    ours, before = read(path, "whatif"), read_picture_labels(path, PAIRS, seed=SEED)
    assert ours.judgements == before.judgements and len(ours.judgements) == 16
    assert (
        (len(ours.unlabelled), ours.items_without_label) == (before.unlabelled, before.pictures_without_label) == (4, 8)
    )
    assert [(row["item_id"], row["reason"]) for row in ours.rejections] == [
        (row["item_id"], row["reason"]) for row in before.rejections
    ]
    by_id = {task.task_id: task for task in TASKS}
    task = by_id[rows[0]["task_id"]]
    assert decisions(ours)[task.item_id, "ann"] == f"caption_{task.sides[0]}"


def test_tasks_of_another_seed_are_one_line(tmp_path: Path) -> None:
    rows = [{"task_id": f"task-{number:016x}", "annotator": "a", "label": "1"} for number in range(3)]
    with pytest.raises(
        WhatifError, match=r"none of its 3 tasks belongs to these pairs; .* the seed that .*; line 2: task_id is"
    ):
        read(csv_file(tmp_path / "tasks.csv", rows), "whatif")


def test_our_own_export_records_time_and_seconds(tmp_path: Path) -> None:
    row = {"task_id": TASKS[0].task_id, "annotator": "a", "label": "both", "time": "2024-05-01", "seconds": "8"}
    (judgement,) = read(csv_file(tmp_path / "tasks.csv", [row]), "whatif").judgements
    assert (judgement["time"], judgement["seconds"]) == ("2024-05-01", 8.0)
