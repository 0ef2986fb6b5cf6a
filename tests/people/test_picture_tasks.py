"""Annotation tasks: they do not tell the side, and the same seed gives the same bytes."""

from __future__ import annotations

import csv
import io
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.people.pairs import Pictures, pair, pictures
from whatif.engine.errors import WhatifError
from whatif.people.exports.pairs import OF_PAIRS
from whatif.people.picture_tasks import (
    COLUMNS,
    PictureTask,
    picture_name,
    picture_tasks,
    task_id_of,
    tasks_csv,
    write_picture_tasks,
)

PAIRS = [pair(number) for number in range(200)]
IMAGES = Pictures(pictures(range(200)))


def tasks_of(pairs: list[dict[str, Any]], seed: int) -> list[PictureTask]:
    return picture_tasks(pairs, seed=seed, labelled_three_times=0.1)


def rows_of(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


def test_every_picture_is_asked_about_and_a_tenth_three_times() -> None:
    tasks = tasks_of(PAIRS, 5)
    assert sorted(task.item_id for task in tasks) == sorted(
        f"{row['pair_id']}-{side}" for row in PAIRS for side in (0, 1)
    )
    three = [task for task in tasks if task.annotators == (1, 2, 3)]
    assert len(three) == 40 and all(len(task.annotators) in (1, 3) for task in tasks)
    alone = [task.annotators[0] for task in tasks if len(task.annotators) == 1]
    assert min(alone.count(number) for number in (1, 2, 3)) > 80  # of 360
    rows = rows_of(tasks_csv(tasks, IMAGES))
    assert len(rows) == 360 + 3 * 40
    assert len({(row["task_id"], row["annotator"]) for row in rows}) == len(rows)


@pytest.mark.parametrize(("share", "number"), [(0.0, 0), (0.001, 1), (0.5, 200), (1.0, 400)])
def test_the_share_that_is_labelled_three_times(share: float, number: int) -> None:
    tasks = picture_tasks(PAIRS, seed=5, labelled_three_times=share)
    assert sum(len(task.annotators) == 3 for task in tasks) == number


def test_options_are_both_captions_in_an_order_that_does_not_tell_the_side() -> None:
    tasks = tasks_of(PAIRS, 1)
    by_pair = {row["pair_id"]: row for row in PAIRS}
    own_first = 0
    for task in tasks:
        pair_id, _, side = task.item_id.rpartition("-")
        assert task.options == tuple(by_pair[pair_id][f"caption_{shown}"] for shown in task.sides)
        own_first += task.sides[0] == int(side)
    assert 160 < own_first < 240  # of 400: half, within four standard deviations
    original_first = sum(task.sides[0] == 0 for task in tasks)
    assert 160 < original_first < 240


def test_nothing_in_the_file_tells_the_side() -> None:
    tasks = tasks_of(PAIRS, 1)
    data = tasks_csv(tasks, IMAGES)
    assert b"pair-" not in data and b"original" not in data
    rows = rows_of(data)
    assert tuple(rows[0]) == COLUMNS
    assert {(row["option_3"], row["option_4"], row["label"]) for row in rows} == {("both", "neither", "")}
    # Rows are in order of annotators and of ids that are hashes: the order says nothing of items.
    assert [(row["annotator"], row["task_id"]) for row in rows] == sorted(
        (row["annotator"], row["task_id"]) for row in rows
    )
    sides = [int(task.item_id[-1]) for task in tasks]
    changes = sum(first != second for first, second in pairwise(sides))
    assert 150 < changes < 250


def test_the_same_seed_gives_the_same_bytes_and_a_task_depends_on_its_item_alone() -> None:
    first = tasks_csv(tasks_of(PAIRS, 1), IMAGES)
    assert tasks_csv(tasks_of(PAIRS[::-1], 1), IMAGES) == first
    assert tasks_csv(tasks_of(PAIRS, 2), IMAGES) != first
    assert not {task.task_id for task in tasks_of(PAIRS, 1)} & {task.task_id for task in tasks_of(PAIRS, 2)}

    def options(tasks: list[PictureTask]) -> dict[str, tuple[int, int]]:
        return {task.task_id: task.sides for task in tasks}

    assert options(tasks_of(PAIRS[:50], 1)).items() <= options(tasks_of(PAIRS, 1)).items()


def test_ids_are_no_numbers_for_a_spreadsheet() -> None:
    assert all(task_id_of(f"p{number}-0", 0).startswith("task-") for number in range(5))


def test_the_folder_holds_tasks_images_and_instructions(tmp_path: Path) -> None:
    tasks = picture_tasks(PAIRS[:3], seed=0, labelled_three_times=0)
    assert write_picture_tasks(tasks, IMAGES, tmp_path) == 6
    for row in rows_of((tmp_path / "tasks.csv").read_bytes()):
        assert (tmp_path / row["image"]).read_bytes().startswith(b"\x89PNG")
    assert len(list((tmp_path / "images").iterdir())) == 6
    instructions = (tmp_path / "instructions.txt").read_text(encoding="utf-8")
    assert "Which caption describes the image better?" in instructions
    labels = [answer.value for answer in OF_PAIRS.answers]
    # Every label that is read back is explained, at the beginning of a line, and so is every column that is named.
    assert [line.split()[0] for line in instructions.splitlines() if line.startswith((*labels,))] == labels
    assert {word for word in COLUMNS if word in instructions} >= {"image", "option_1", "option_2", "annotator", "label"}
    with pytest.raises(WhatifError, match=r"tasks\.csv: already exists and may contain labels"):
        write_picture_tasks(tasks, IMAGES, tmp_path)


def test_what_cannot_be_asked_about(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match="there are no images to judge"):
        write_picture_tasks([], IMAGES, tmp_path)
    with pytest.raises(WhatifError, match="pair pair-000: has several candidates"):
        picture_tasks([pair(0), pair(0, candidate=4)], seed=0, labelled_three_times=0.1)
    with pytest.raises(WhatifError, match="give a number between 0 and 1"):
        picture_tasks(PAIRS, seed=0, labelled_three_times=1.5)
    assert picture_name("0" * 64, b"RIFF1234WEBP") == f"{'0' * 64}.webp"
    with pytest.raises(WhatifError, match="is not a SHA-256 hash"):
        picture_name("../../outside", b"")
