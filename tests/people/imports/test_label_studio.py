"""Exports of Label Studio 1.x in its three forms: JSON, JSON-MIN and CSV."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.people.imports.files import QUESTIONS, TASKS, decisions, json_file, read, reasons
from whatif.engine.errors import WhatifError
from whatif.people.imports.importer import ImportedLabels

ANN = {"id": 1, "email": "ann@lab.org", "first_name": "Ann", "last_name": "A"}


def choice(value: str | list[str], control: str = "decision") -> dict[str, Any]:
    chosen = [value] if isinstance(value, str) else value
    return {
        "value": {"choices": chosen},
        "id": "CJIqR5nmdF",
        "from_name": control,
        "to_name": "image",
        "type": "choices",
        "origin": "manual",
    }


def text(value: str, control: str = "comment") -> dict[str, Any]:
    return {
        "value": {"text": [value]},
        "id": "x7",
        "from_name": control,
        "to_name": "image",
        "type": "textarea",
        "origin": "manual",
    }


def annotation(number: int, who: Any, *result: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """An annotation as the JSON export writes it."""
    return {
        "id": number,
        "completed_by": who,
        "result": list(result),
        "was_cancelled": False,
        "ground_truth": False,
        "created_at": f"2024-03-05T10:{number % 60:02d}:27.480432Z",
        "updated_at": f"2024-03-05T10:{number % 60:02d}:29.480432Z",
        "draft_created_at": None,
        "lead_time": 16.135 + number,
        "prediction": {},
        "result_count": len(result),
        "unique_id": "4be41e98-2176-4ba2-b23c-512eeb09e8b9",
        "last_action": None,
        "task": 1,
        "project": 6,
        "updated_by": 1,
        "parent_prediction": None,
        "parent_annotation": None,
        **changes,
    }


def task(number: int, data: dict[str, Any], *annotations: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": number,
        "annotations": list(annotations),
        "file_upload": "fde6c3c6-tasks.json",
        "drafts": [],
        "predictions": [],
        "data": data,
        "meta": {},
        "created_at": "2024-03-01T17:04:38.137386Z",
        "updated_at": "2024-03-05T09:12:27.545691Z",
        "inner_id": number,
        "total_annotations": len(annotations),
        "cancelled_annotations": 0,
        "total_predictions": 0,
        "comment_count": 0,
        "project": 6,
        "comment_authors": [],
    }


def minimal(tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same annotations as JSON-MIN: cancelled ones are left out, a single choice or text is a string."""
    rows = []
    for one in tasks:
        for given in one["annotations"]:
            if given["was_cancelled"]:
                continue
            values = {}
            for result in given["result"]:
                (listed,) = [result["value"][key] for key in ("choices", "text") if key in result["value"]]
                values[result["from_name"]] = listed[0] if len(listed) == 1 else result["value"]
            who = given["completed_by"]
            about = {
                "id": one["id"],
                "annotator": who["email"] if isinstance(who, dict) else who,
                "annotation_id": given["id"],
                "created_at": given["created_at"],
                "updated_at": given["updated_at"],
                "lead_time": given["lead_time"],
            }
            rows.append({**one["data"], **values, **about})
    return rows


def as_csv(path: Path, rows: list[dict[str, Any]]) -> Path:
    """The CSV export: sorted columns, strings in quotes, objects as JSON."""
    columns = sorted({key for row in rows for key in row})
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, columns, quoting=csv.QUOTE_NONNUMERIC)
    writer.writeheader()
    for row in rows:
        cells = {key: json.dumps(value) if isinstance(value, dict) else value for key, value in row.items()}
        writer.writerow({**cells, "annotator": str(row["annotator"])})
    path.write_text(out.getvalue(), encoding="utf-8", newline="")
    return path


def project() -> list[dict[str, Any]]:
    """Tasks of pairs, annotated by three people."""
    tasks = []
    for number, one in enumerate(TASKS[:8]):
        data = {"task_id": one.task_id, "image": f"/data/upload/6/{number}.png", "option_1": one.options[0]}
        given = [
            annotation(10 * number + 1, ANN, choice(("1", "2", "both", "neither")[number % 4]), text("sure")),
            annotation(10 * number + 2, 2, choice(one.options[1])),
        ]
        if number % 2:
            given.append(annotation(10 * number + 3, {"id": 3}, choice("2"), lead_time=None, created_at=None))
            given[-1]["completed_by"] = 3
        tasks.append(task(number + 1, data, *given))
    tasks[3]["annotations"].append(annotation(99, 4, was_cancelled=True))
    return tasks


def three_forms(tmp_path: Path, tasks: list[dict[str, Any]], **settings: Any) -> list[ImportedLabels]:
    paths = (
        json_file(tmp_path / "project.json", tasks),
        json_file(tmp_path / "project-min.json", minimal(tasks)),
        as_csv(tmp_path / "project.csv", minimal(tasks)),
    )
    return [read(path, "label-studio", **settings) for path in paths]


def test_the_three_forms_give_equal_judgements(tmp_path: Path) -> None:
    whole, small, table = three_forms(tmp_path, project())
    assert whole.judgements == small.judgements == table.judgements
    assert len(whole.judgements) == 8 + 8 + 4
    assert {row["annotator"] for row in whole.judgements} == {"ann@lab.org", "2", "3"}
    first = TASKS[0]
    (row,) = [one for one in whole.judgements if (one["item_id"], one["annotator"]) == (first.item_id, "ann@lab.org")]
    assert (row["decision"], row["comment"]) == (f"caption_{first.sides[0]}", "sure")
    assert (row["time"], row["seconds"]) == ("2024-03-05T10:01:27.480432Z", 17.135)
    assert decisions(whole)[first.item_id, "2"] == f"caption_{first.sides[1]}"
    assert reasons(whole) == {"cancelled": 1} and reasons(small) == reasons(table) == {}
    assert whole.rejections[0]["item_id"] == "labels-task-000004-annotation-99"
    assert whole.rejections[0]["detail"] == "project.json: task 4, annotation 99: 4 skipped the task"


def test_ground_truth_is_counted_and_returned_apart(tmp_path: Path) -> None:
    tasks = project()
    tasks[2]["annotations"][0]["ground_truth"] = True
    whole, small, _ = three_forms(tmp_path, tasks)
    assert whole.judgements == small.judgements
    assert [(row["item_id"], row["annotator"]) for row in whole.gold] == [(TASKS[2].item_id, "ann@lab.org")]
    assert small.gold == []


def test_an_annotator_who_annotates_a_task_twice(tmp_path: Path) -> None:
    tasks = [
        task(1, {"task_id": TASKS[0].task_id}, annotation(1, 7, choice("1")), annotation(2, 7, choice("1"))),
        task(2, {"task_id": TASKS[1].task_id}, annotation(3, 7, choice("1")), annotation(4, 7, choice("2"))),
    ]
    for labels in three_forms(tmp_path, tasks):
        assert [row["item_id"] for row in labels.judgements] == [TASKS[0].item_id]
        assert reasons(labels) == {"given twice, alike": 1, "given twice, differently": 2}


def test_several_choices_are_no_label(tmp_path: Path) -> None:
    given = (annotation(1, 7, choice(["1", "2"])), annotation(2, 8, choice("1")))
    for labels in three_forms(tmp_path, [task(1, {"task_id": TASKS[0].task_id}, *given)]):
        assert reasons(labels) == {"unknown label": 1} and len(labels.judgements) == 1
        assert """'["1", "2"]' is not one of 1, 2, both, neither""" in labels.rejections[0]["detail"]


@pytest.mark.parametrize("comment", ["[sic] wrong", "[1]", '{"a": 2}', '["x"]', "{", 'both "dogs", and\na cat'])
def test_comments_in_brackets_are_comments(tmp_path: Path, comment: str) -> None:
    tasks = [task(1, {"task_id": TASKS[0].task_id}, annotation(1, ANN, choice("1"), text(comment)))]
    assert [labels.judgements[0]["comment"] for labels in three_forms(tmp_path, tasks)] == [comment] * 3


def test_texts_of_several_lines_are_kept_together(tmp_path: Path) -> None:
    several = {**text("x"), "value": {"text": ["one", "two"]}}
    tasks = [task(1, {"task_id": TASKS[0].task_id}, annotation(1, ANN, choice("1"), several))]
    assert [labels.judgements[0]["comment"] for labels in three_forms(tmp_path, tasks)] == ['["one", "two"]'] * 3


def test_tasks_without_annotations_are_unlabelled(tmp_path: Path) -> None:
    tasks = [task(1, {"task_id": TASKS[0].task_id}), task(2, {"task_id": TASKS[1].task_id}, annotation(1, 7))]
    labels = read(json_file(tmp_path / "p.json", tasks), "label-studio")
    assert labels.counts == {"counted": 0, "unlabelled": 2}
    assert [place.row for place in labels.unlabelled] == ["task 1", "task 2, annotation 1"]


def test_corrections_of_questions(tmp_path: Path) -> None:
    given = (
        choice("accept"),
        text("7", "corrected_answer"),
        text("How many dogs are in image 1?", "corrected_question"),
    )
    tasks = [task(1, {"task_id": "q1"}, annotation(1, ANN, *given))]
    for labels in three_forms(tmp_path, tasks, items=QUESTIONS):
        assert [row["corrected"] for row in labels.judgements] == ['{"answer":"7"}']


def test_another_interface_can_be_mapped(tmp_path: Path) -> None:
    tasks = [task(1, {"key": "q1"}, annotation(1, ANN, choice("Good", "verdict")))]
    settings = {"columns": {"item": "key", "decision": "verdict"}, "values": {"good": "accept", "bad": "reject"}}
    for labels in three_forms(tmp_path, tasks, items=QUESTIONS, **settings):
        assert decisions(labels) == {("q1", "ann@lab.org"): "accept"}


BOX = {
    "from_name": "label",
    "to_name": "image",
    "type": "rectanglelabels",
    "value": {"rectanglelabels": ["Dog"], "x": 1},
}
DATA = {"task_id": TASKS[0].task_id}
MISMATCHES: list[tuple[str, Any, str]] = [
    ("boxes", [task(1, DATA, annotation(5, 1, BOX))], "task 1, annotation 5: has results of control 'label' of type"),
    (
        "boxes called decision",
        [task(1, DATA, annotation(5, 1, {**BOX, "from_name": "decision"}))],
        "task 1, annotation 5: control decision is of type rectanglelabels, not choices or textarea",
    ),
    ("other data", [task(1, {"text": "x"}, annotation(5, 1, choice("1")))], "task 1: data: there is no task_id"),
    ("minimal with other data", [{"text": "x", "annotation_id": 1}], "task 1: there is no task_id; found: text"),
    (
        "minimal with another control",
        [{"task_id": "t", "sentiment": "x", "annotation_id": 1, "annotator": 1}],
        "no task has `decision`; found: task_id, sentiment",
    ),
    ("tasks to be imported", [{"data": DATA}], "task 1: has neither annotations nor annotation_id"),
    ("an object", {"annotations": []}, "is not a JSON list"),
    ("list of numbers", [1, 2], "task 1: is not an object"),
    ("annotations of a number", [{"data": {}, "annotations": 5}], "task 1: data: there is no task_id"),
    ("annotation of a text", [task(1, DATA, "x")], "task 1: annotation 1 has no list `result`"),
    (
        "result without value",
        [task(1, DATA, annotation(5, 1, {**BOX, "from_name": "decision", "type": "choices"}))],
        "has no",
    ),
    (
        "another seed",
        [task(1, {"task_id": "task-0123456789abcdef"}, annotation(5, 1, choice("1")))],
        "and the seed that",
    ),
]


@pytest.mark.parametrize(("tasks", "told"), [pytest.param(*rest, id=name) for name, *rest in MISMATCHES])
def test_an_export_that_is_not_ours_is_one_line(tmp_path: Path, tasks: Any, told: str) -> None:
    path = json_file(tmp_path / "project.json", tasks)
    with pytest.raises(WhatifError) as raised:
        read(path, "label-studio")
    assert str(raised.value).startswith(f"{path}: ") and told in str(raised.value) and "\n" not in str(raised.value)


def test_a_csv_that_is_not_ours_is_one_line(tmp_path: Path) -> None:
    path = as_csv(tmp_path / "p.csv", [{"text": "x", "annotator": 1, "annotation_id": 1, "sentiment": "good"}])
    with pytest.raises(WhatifError, match=r"p\.csv: line 1: there is no task_id; found: annotation_id, annotator"):
        read(path, "label-studio")
    rows = [{"task_id": TASKS[0].task_id, "annotator": 1, "annotation_id": 1, "sentiment": "good"}]
    with pytest.raises(WhatifError, match=r"p\.csv: has no column decision"):
        read(as_csv(tmp_path / "p.csv", rows), "label-studio")


def test_one_annotation_with_other_controls_is_a_listed_row(tmp_path: Path) -> None:
    tasks = [task(1, DATA, annotation(5, 1, BOX), annotation(6, 2, choice("1")))]
    labels = read(json_file(tmp_path / "p.json", tasks), "label-studio")
    assert reasons(labels) == {"other interface": 1} and len(labels.judgements) == 1


def test_broken_text_in_a_comment_does_not_stop_the_import(tmp_path: Path) -> None:
    from whatif.engine.artifacts.schemas import JUDGEMENTS
    from whatif.engine.artifacts.writer import write_artifact

    tasks = [task(1, DATA, annotation(5, 1, choice("1"), text("a\ud83d\0b")))]
    labels = read(json_file(tmp_path / "p.json", tasks), "label-studio")
    write_artifact(tmp_path / "j.parquet", JUDGEMENTS, labels.judgements)
    assert labels.judgements[0]["comment"] == "a\ufffd\0b"


def test_tasks_with_their_images_in_them(tmp_path: Path) -> None:
    """A data URL in a CSV is longer than the limit that the csv module has by default."""
    limit = csv.field_size_limit()
    tasks = project()
    for one in tasks:
        one["data"]["image"] = "data:image/png;base64," + "A" * 400_000
    labels = read(as_csv(tmp_path / "large.csv", minimal(tasks)), "label-studio")
    assert decisions(labels) == decisions(read(json_file(tmp_path / "large.json", minimal(tasks)), "label-studio"))
    assert len(labels.judgements) > 8 and csv.field_size_limit() == limit
