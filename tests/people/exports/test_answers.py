"""Questions to be answered: what people see, and their answers from Label Studio, MTurk and a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.people.imports.files import json_file
from tests.people.imports.test_label_studio import annotation, task, text
from tests.people.pairs import Pictures, pictures
from whatif.people.answers import import_answers
from whatif.people.exports.answers import answer_task_set
from whatif.people.exports.folder import Address
from whatif.people.exports.label_studio import label_studio_files
from whatif.people.exports.mturk import mturk_files
from whatif.people.exports.table import csv_files
from whatif.people.exports.tasks import TaskSet, assigned
from whatif.people.imports.settings import LabelFile

SEED = 5
DRAWN = pictures(range(1))
QUESTIONS: list[dict[str, Any]] = [
    {
        "question_id": f"q{number}",
        "question": "Which is red?",
        "choices": ["cup", "hat"] if number else None,
        "answer": "B" if number else "hat",
        "answer_kind": "choice" if number else "text",
        "image_ids": [row["image_id"] for row in DRAWN[:images]],
    }
    for number, images in enumerate((1, 1, 2))
]
IMAGES = Pictures(DRAWN)


def tasks(questions: Sequence[dict[str, Any]] = QUESTIONS) -> TaskSet:
    return assigned(answer_task_set(questions, SEED), annotators=2, people=2, share=1.0, by_everybody=(), seed=SEED)


def said(path: Path, form: str) -> set[tuple[str, str, bool]]:
    file = LabelFile.model_validate({"path": str(path), "format": form})
    found, refused = import_answers([file], QUESTIONS, SEED)
    assert refused == []
    return {(row["question_id"], row["attempt"], row["correct"]) for row in found}


WANTED = {(f"q{number}", who, who == "1") for number in range(3) for who in "12"}


def given(item: str, who: str) -> str:
    """The first person is always right, with a letter or a text; the second never."""
    return {"1": "hat", "2": "cup"}[who] if item != "q1" else {"1": "b", "2": "A"}[who]


def test_label_studio(tmp_path: Path) -> None:
    made = tasks()
    files = label_studio_files(made, IMAGES, None)
    view = ElementTree.fromstring(files["labelling-interface.xml"])
    (decision,) = (one for one in view.iter() if one.get("name") == "decision")
    assert (decision.tag, decision.get("required")) == ("TextArea", "true")
    assert [one.get("value") for one in view.iter("Header")][:3] == ["What is the right answer?", "Image 1", "Image 2"]
    item_of = {one.task_id: one.item_id for one in made.tasks}
    exported = [
        task(
            number,
            one["data"],
            *(
                annotation(int(who), int(who), text(given(item_of[one["data"]["task_id"]], who), "decision"))
                for who in "12"
            ),
        )
        for number, one in enumerate(json.loads(files["tasks-by-2.json"]), 1)
    ]
    assert all(set(one["data"]) == {"task_id", "question", "choices", "image", "image_2"} for one in exported)
    assert said(json_file(tmp_path / "export.json", exported), "label-studio") == WANTED


def test_mturk(tmp_path: Path) -> None:
    made = tasks()
    files = mturk_files(made, IMAGES, Address("https://lab.org/"))
    assert '<input type="text" name="decision" required>' in files["layout.html"].decode()
    item_of = {one.task_id: one.item_id for one in made.tasks}
    rows = list(csv.DictReader(io.StringIO(files["batch-by-2.csv"].decode())))
    path = tmp_path / "results.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["Input.task_id", "WorkerId", "Answer.decision", "AssignmentStatus", "HITId", "AssignmentId"])
        writer.writerows(
            [row["task_id"], who, given(item_of[row["task_id"]], who), "Approved", "h", "a"]
            for row in rows
            for who in "12"
        )
    assert said(path, "mturk") == WANTED


def test_csv_says_where_the_answer_goes_and_has_no_right_answer() -> None:
    files = csv_files(tasks(), IMAGES)
    assert files["tasks.csv"].decode().partition("\n")[0].split(",") == [
        "task_id", "annotator", "image", "image_2", "question", "choices", "label", "comment",
    ]  # fmt: skip
    assert "Write your answer into the column label." in files["instructions.txt"].decode()
    assert "Choose one" not in label_studio_files(tasks(), IMAGES, None)["instructions.html"].decode()


@pytest.mark.parametrize("number", [1, 2])
def test_images_have_headings_only_where_questions_differ_in_their_number(number: int) -> None:
    assert bool(tasks(QUESTIONS[: 1 + number]).interface.images) == (number == 2)
