"""What the readers of annotation tools make of awkward texts: the same texts, or the export names one and stops."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from tests.awkward_texts import AWKWARD, CONTROL, LONG
from tests.people.exports.filling import Page
from tests.people.pairs import Pictures, pair, pictures
from whatif.engine.errors import WhatifError
from whatif.engine.files.csv_writing import unmarked
from whatif.people.error_categories import write_error_sample
from whatif.people.exports.folder import NO_TEXT, Address
from whatif.people.exports.label_studio import label_studio_files
from whatif.people.exports.mturk import mturk_files
from whatif.people.exports.questions import question_task_set
from whatif.people.exports.table import csv_files
from whatif.people.exports.tasks import TaskSet, assigned
from whatif.people.picture_tasks import picture_tasks, write_picture_tasks

SHOWN = [text for text in AWKWARD if text not in CONTROL]
IMAGES = Pictures(pictures(range(1)))


def tasks_of(texts: list[str]) -> TaskSet:
    """A task for each text, as question and as answer."""
    (first, *_) = pictures(range(1))
    rows = [
        {"question_id": f"q{n}", "question": text, "choices": None, "answer": text, "image_ids": [first["image_id"]]}
        for n, text in enumerate(texts)
    ]
    return assigned(question_task_set(rows, 0), annotators=1, people=1, share=1, by_everybody=[], seed=0)


def to_label_studio(tasks: TaskSet) -> dict[str, bytes]:
    return label_studio_files(tasks, IMAGES, None)


def to_mturk(tasks: TaskSet) -> dict[str, bytes]:
    return mturk_files(tasks, IMAGES, Address("https://lab.org/a?b=1&c="))


def to_csv(tasks: TaskSet) -> dict[str, bytes]:
    return csv_files(tasks, IMAGES)


def test_label_studio() -> None:
    tasks = tasks_of(SHOWN)
    read = {one["data"]["task_id"]: one["data"] for one in json.loads(to_label_studio(tasks)["tasks-by-1.json"])}
    for task in tasks.tasks:
        data = read[task.task_id]
        assert (data["question"], data["answer"]) == tuple(text or NO_TEXT for text in task.texts[::2])


def test_mturk_by_its_own_reader_and_by_that_of_pandas() -> None:
    tasks = tasks_of(SHOWN)
    files = to_mturk(tasks)
    text, layout = files["batch-by-1.csv"].decode("ascii"), files["layout.html"].decode()
    assert text.count("\n") == 1 + len(SHOWN)  # a line for each task
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert pd.read_csv(io.StringIO(text)).to_dict("records") == rows
    by_id = {task.task_id: task.texts for task in tasks.tasks}
    for row in rows:
        page = layout
        for name, value in row.items():
            page = page.replace(f"${{{name}}}", value)
        assert Page(page).bold[1:-1] == [text or NO_TEXT for text in by_id[row["task_id"]][::2]]
    assert layout.count("white-space: pre-wrap") == 2, "spaces and line breaks are shown"


def test_csv() -> None:
    tasks = tasks_of([text for text in SHOWN if text != LONG])
    text = to_csv(tasks)["tasks.csv"].decode()
    rows = {row["task_id"]: row for row in csv.DictReader(io.StringIO(text, newline=""))}
    by_pandas = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
    assert by_pandas.set_index("task_id")["question"].to_dict() == {key: row["question"] for key, row in rows.items()}
    for task in tasks.tasks:
        cells = (unmarked(rows[task.task_id][name]) for name in ("question", "answer"))
        assert tuple(cells) == task.texts[::2]


@pytest.mark.parametrize("export", [to_label_studio, to_mturk, to_csv])
@pytest.mark.parametrize("text", CONTROL)
def test_what_nobody_would_see_is_named(export: Callable[[TaskSet], dict[str, bytes]], text: str) -> None:
    with pytest.raises(WhatifError, match=rf"item q1: question: has U\+{ord(text[1]):04X} at character 2"):
        export(tasks_of(["What?", text]))


def test_what_a_cell_cuts_is_named() -> None:
    with pytest.raises(WhatifError, match=r"item q0: question: has 40,004 characters, of which a spreadsheet shows"):
        to_csv(tasks_of([LONG]))
    assert to_csv(tasks_of([LONG[:32_767]]))
    with pytest.raises(WhatifError, match=r"has 32,768 characters"):
        to_csv(tasks_of(["🐈" * 16_384]))  # two each, as spreadsheets count


@pytest.mark.parametrize(("text", "told"), [("a\x00b", r"has U\+0000"), (LONG, "has 40,004 characters")])
def test_tasks_about_pairs_refuse_them_before_anything_is_written(text: str, told: str, tmp_path: Path) -> None:
    rows = [pair(0, caption_1=text)]
    with pytest.raises(WhatifError, match=f"image pair-000-[01]: caption_1: {told}"):
        write_picture_tasks(picture_tasks(rows, seed=0, labelled_three_times=0), IMAGES, tmp_path)
    with pytest.raises(WhatifError, match=f"pair pair-000: caption_1: {told}"):
        write_error_sample(["pair-000-0"], rows, {"pair-000-0": "both"}, IMAGES, tmp_path)
    assert list(tmp_path.iterdir()) == []
