"""A small released C-VQA-Synthetic: the files are written from puzzles of our own, for tests."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.benchmarks.cvqa_synthetic.small import generated
from tests.defaults import puzzles_and_baselines
from tests.projects import Project, Row
from whatif.formats.c_vqa import write_released

NAME = "cvqa-synthetic-released"
OURS = "cvqa-synthetic"
BEFORE_MODELS = ("extract", "filter", "verify")


@cache
def _puzzles() -> tuple[list[Row], dict[str, bytes]]:
    """The questions of four puzzles of each template, and the encoded image of each pair."""
    with TemporaryDirectory() as folder:
        questions, _, images = generated(Path(folder) / "theirs", options="released")
    encoded = {row["image_id"]: row["image"]["bytes"] for row in images}
    return questions, {row["pair_id"]: encoded[row["image_ids"][0]] for row in questions}


def puzzles() -> list[Row]:
    """The questions, to be changed."""
    return copy.deepcopy(_puzzles()[0])


def pictures() -> dict[str, bytes]:
    """The encoded image of each pair."""
    return dict(_puzzles()[1])


def write(folder: Path, questions: list[Row], change: Callable[[str], str] = lambda text: text) -> Path:
    """The question file of the released form; `change` is given its text."""
    path = folder / "C-VQA-Synthetic_questions.csv"
    write_released(questions, path)
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
    return path


def small(project: Project, *benchmarks: str) -> Project:
    """A project with the released set, its images in a folder, and the baselines; further benchmarks are small."""
    project.values = puzzles_and_baselines()
    project.benchmark = NAME
    project.values["benchmarks"] = [NAME, *benchmarks]
    folder = project.folder / "C-VQA-Synthetic"
    folder.mkdir()
    for pair_id, data in pictures().items():
        (folder / f"{pair_id}.png").write_bytes(data)
    project.section("extract").update(questions=write(project.folder, puzzles()).name, image_folder=folder.name)
    project.section("evaluate")["shards"] = 2
    values: dict[str, Any] = project.values
    values["generate"][OURS].update(puzzles_per_template=4, shards=2, image_size=192)
    return project
