"""A small C-VQA-Synthetic, for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.defaults import BASELINES
from tests.projects import Project, Row

NAME = "cvqa-synthetic"
BEFORE_MODELS = ("extract", "generate", "filter", "verify")


def small(project: Project) -> Project:
    """A project with four puzzles of each template and the baselines."""
    project.select(NAME)
    project.values["models"] = {key: project.values["models"][key] for key in BASELINES}
    project.generate.update(puzzles_per_template=4, shards=2, image_size=192)
    return project


def generated(folder: Path, **settings: Any) -> tuple[list[Row], list[Row], list[Row]]:
    """Questions, puzzles and images of a small set with other settings; images in order of their ids."""
    project = small(Project(folder))
    project.generate.update(settings)
    project.make("extract", "generate")
    images = project.rows("generate", "images")
    ids = [row["image_id"] for row in images]
    assert len(set(ids)) == len(ids)
    questions = project.rows("generate", "questions")
    puzzles = project.rows("generate", "puzzles")
    return questions, puzzles, sorted(images, key=lambda row: str(row["image_id"]))
