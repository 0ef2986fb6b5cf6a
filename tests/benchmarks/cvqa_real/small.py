"""A small C-VQA-Real, for tests, and its tables."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pandas as pd

from tests.pictures import icon
from tests.projects import Project
from whatif.results.reporting.table import from_csv

NAME = "cvqa-real"
LINES = """img_path,query,answer,new query,new answer,type
COCO_val2014_000000000001.jpg,How many cats are there?,2,How many cats would there be if 1 left?,1,direct
COCO_val2014_000000000001.jpg,How many dogs are there?,3,How many dogs would there be if the TV was off?,0,indirect
COCO_val2014_000000000002.jpg,Is the cat asleep?,yes,Would the cat be asleep if it was woken up?,no,boolean
COCO_val2014_000000000003.jpg,Is it raining?,no,Would it be raining if there were clouds?,yes,boolean
"""


def configure(project: Project, questions: str | Path, folders: list[Path], models: dict[str, Any]) -> Project:
    """A project that reads released questions and folders of photographs."""
    project.select(NAME)
    project.section("extract").update(questions=str(questions), image_folders=[str(folder) for folder in folders])
    project.values["models"] = models
    project.section("evaluate")["strategies"] = ["direct"]
    return project


def small(project: Project) -> Project:
    """A project with four pairs of questions about three photographs, of which one is missing, and two baselines."""
    (project.folder / "released.csv").write_text(LINES, encoding="utf-8")
    folder = project.folder / "val2017"
    folder.mkdir()
    for number in (1, 2):
        (folder / f"00000000000{number}.jpg").write_bytes(icon((200, 60 * number, 60)))
    models = {"majority": {"adapter": "majority"}, "random": {"adapter": "random"}}
    return configure(project, "released.csv", [Path("val2017")], models)


def cases(name: str) -> list[dict[str, str]]:
    """The rows of a CSV file beside the tests, as texts."""
    with (Path(__file__).parent / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def table(name: str) -> pd.DataFrame:
    return from_csv(Path(f"metrics/cvqa-real/{name}.csv").read_text(encoding="utf-8"))


def ours(name: str, measure: str, **of: str) -> pd.DataFrame:
    """Our rows of a measure, in order."""
    frame = table(name)
    wanted = {"source": "ours", "measure": measure, **of}
    return frame[(frame[list(wanted)] == pd.Series(wanted)).all(axis=1)]


def funnel() -> list[tuple[str, str, str, int]]:
    """Stage, measure, reason and number of each row of the funnel."""
    columns = ["stage", "measure", "reason", "value"]
    return list(table("funnel")[columns].itertuples(index=False, name=None))
