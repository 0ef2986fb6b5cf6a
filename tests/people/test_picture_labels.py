"""Labels read from what annotators send back: every row is a judgement, a rejection or unlabelled."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.people.pairs import Pictures, pair, pictures
from whatif.engine.artifacts.schemas import JUDGEMENTS, REJECTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError
from whatif.people.picture_labels import PictureLabels, read_picture_labels
from whatif.people.picture_tasks import PictureTask, picture_tasks, tasks_csv

PAIRS = [pair(number) for number in range(20)]
IMAGES = Pictures(pictures(range(20)))
SEED = 7
TASKS = {task.item_id: task for task in picture_tasks(PAIRS, seed=SEED, labelled_three_times=0.1)}
FIRST = TASKS["pair-000-1"]


def labels(tmp_path: Path, text: str, pairs: list[dict[str, Any]] | None = None) -> PictureLabels:
    path = tmp_path / "labels.csv"
    path.write_text(text, encoding="utf-8", newline="")
    return read_picture_labels(path, PAIRS if pairs is None else pairs, seed=SEED)


def one(tmp_path: Path, label: str, task: PictureTask = FIRST) -> PictureLabels:
    text = io.StringIO(newline="")
    csv.writer(text).writerows([("task_id", "annotator", "label"), (task.task_id, "ann", label)])
    return labels(tmp_path, text.getvalue())


def test_what_was_exported_comes_back_as_it_was_meant(tmp_path: Path) -> None:
    """Annotators who know the truth: every label becomes the caption that the picture was made from."""
    by_task = {task.task_id: task for task in TASKS.values()}
    rows = list(csv.DictReader(io.StringIO(tasks_csv(list(TASKS.values()), IMAGES).decode(), newline="")))
    for number, row in enumerate(rows):
        task = by_task[row["task_id"]]
        right = task.sides.index(int(task.item_id[-1]))
        row["label"] = (str(right + 1), task.options[right], f" {task.options[right].upper()} ")[number % 3]
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, rows[0].keys())
    writer.writeheader()
    writer.writerows(rows)
    found = labels(tmp_path, text.getvalue())
    assert (found.rejections, found.unlabelled, found.pictures_without_label) == ([], 0, 0)
    assert len(found.judgements) == len(rows) == 36 + 3 * 4
    assert all(row["decision"] == f"caption_{row['item_id'][-1]}" for row in found.judgements)
    write_artifact(tmp_path / "judgements.parquet", JUDGEMENTS, found.judgements)


def test_an_empty_export_is_all_unlabelled(tmp_path: Path) -> None:
    data = tasks_csv(list(TASKS.values()), IMAGES).decode()
    found = labels(tmp_path, data)
    assert (found.judgements, found.rejections, found.unlabelled) == ([], [], 48)
    assert found.pictures_without_label == 40


@pytest.mark.parametrize(
    ("label", "decision"),
    [
        ("1", f"caption_{FIRST.sides[0]}"),
        (" 2 ", f"caption_{FIRST.sides[1]}"),
        ("Both", "both"),
        ("  NEITHER", "neither"),
        (FIRST.options[0].lower().replace(" ", "   "), f"caption_{FIRST.sides[0]}"),
    ],
)
def test_labels_in_any_spelling(tmp_path: Path, label: str, decision: str) -> None:
    (row,) = one(tmp_path, label).judgements
    assert (row["item_id"], row["annotator"], row["decision"], row["time"]) == ("pair-000-1", "ann", decision, None)


@pytest.mark.parametrize("label", ["3", "yes", "1,2", "bothh", "option_1", "=1", "¹"])
def test_an_unknown_label_is_a_rejected_row(tmp_path: Path, label: str) -> None:
    found = one(tmp_path, label)
    (row,) = found.rejections
    assert not found.judgements and row["reason"] == "unknown label"
    assert row["item_id"] == "labels-line-000002" and repr(label) in row["detail"]


def test_a_text_that_is_both_options_is_no_label(tmp_path: Path) -> None:
    alike = [pair(0, caption_1="a MAN on horse 0")]
    task = picture_tasks(alike, seed=SEED, labelled_three_times=0.1)[0]
    found = labels(tmp_path, f"task_id,annotator,label\n{task.task_id},ann,a man on horse 0\n", alike)
    assert [row["reason"] for row in found.rejections] == ["unknown label"]


def test_a_caption_that_was_marked_as_text_is_still_its_option(tmp_path: Path) -> None:
    pairs = [pair(0, caption_0="=1+1")]
    for label in ("=1+1", "'=1+1"):
        task = picture_tasks(pairs, seed=SEED, labelled_three_times=0.1)[0]
        found = labels(tmp_path, f"task_id,annotator,label\n{task.task_id},ann,{label}\n", pairs)
        assert [row["decision"] for row in found.judgements] == ["caption_0"]


def test_every_row_is_accounted_for(tmp_path: Path) -> None:
    known = [task.task_id for task in TASKS.values()]
    lines = [
        "task_id,annotator,label,time,comment",
        f"{known[0]},a,1,2024-05-01T10:00:00,clear",
        f"{known[0]},a,2,,",  # another label of the same
        f"{known[0]},b,both,,",
        f"{known[1]},a,neither,yesterday,",
        f'{known[1]},a,"neither",,',  # the same again
        "../../etc/passwd,a,1,,",
        f"{known[2]},,1,,",
        f"{known[2]},automatic:x,1,,",
        f"{known[2]},a,,,",
        "",
        f"{known[3]},a,1,,,x,y",
        f"{known[4]},a,what,,",
        f"{known[5]},a",
    ]
    found = labels(tmp_path, "\n".join(lines))
    assert len(found.judgements) + len(found.rejections) + found.unlabelled == 12
    assert Counter(row["reason"] for row in found.rejections) == {
        "given twice, differently": 2,
        "given twice, alike": 1,
        "unknown task": 1,
        "no annotator": 1,
        "annotator": 1,
        "too many fields": 1,
        "unknown label": 1,
    }
    assert found.unlabelled == 2
    kept = {(row["annotator"], row["decision"]): row for row in found.judgements}
    assert set(kept) == {("b", "both"), ("a", "neither")}
    assert kept["a", "neither"]["time"] is None and kept["a", "neither"]["comment"] == "(time: yesterday)"
    assert found.pictures_without_label == 38
    details = {row["item_id"]: row["detail"] for row in found.rejections}
    assert "labels-line-000002" in details and "lines 2, 3" in details["labels-line-000003"]
    write_artifact(tmp_path / "rejections.parquet", REJECTIONS, found.rejections)


def test_a_record_of_several_lines_is_named_by_its_first(tmp_path: Path) -> None:
    text = f'task_id,annotator,comment,label\n{FIRST.task_id},a,"two\nlines",1\nnone,a,,1\n'
    assert [row["item_id"] for row in labels(tmp_path, text).rejections] == ["labels-line-000004"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty; give a CSV of labels of images"),
        (b"a,b\n1,2\n", "has no column task_id; a file of labels of images needs it; found: a, b"),
        (b"task_id,annotator\nx,y\n", "has no column label; a file of labels of images needs it; found: task_id"),
        (b"task_id,annotator,label\ntask-1,a,1\n", "none of its 1 tasks belongs to these pairs"),
    ],
)
def test_a_file_that_holds_no_labels_is_one_line(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "labels.csv"
    path.write_bytes(data)
    with pytest.raises(WhatifError, match=message) as raised:
        read_picture_labels(path, PAIRS, seed=SEED)
    assert str(raised.value).startswith(str(path)) and "\n" not in str(raised.value)


def test_labels_of_another_seed_are_not_taken_for_these(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(f"task_id,annotator,label\n{FIRST.task_id},a,1\n", encoding="utf-8")
    with pytest.raises(WhatifError, match="give the pairs and the seed that the tasks were made with"):
        read_picture_labels(path, PAIRS, seed=SEED + 1)
