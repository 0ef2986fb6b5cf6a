"""A small C-VQA-Synthetic in a folder, for the tests of the benchmark."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.defaults import puzzles_and_baselines
from tests.published import funnel
from whatif import artifacts, benchmarks
from whatif.artifacts.schemas import IMAGES, QUESTIONS, Table
from whatif.benchmarks.cvqa_synthetic.schemas import PUZZLES
from whatif.graph.graph import Graph, Job
from whatif.graph.run import run

NAME = "cvqa-synthetic"
BEFORE_MODELS = ("extract", "generate", "filter", "verify")
FUNNEL = Path(f"metrics/{NAME}/funnel.csv")
Row = dict[str, Any]


class Project:
    """A folder with four puzzles of each template, and parameters that a test may change."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.values: dict[str, Any] = puzzles_and_baselines()
        self.generate = self.values["generate"][NAME]
        self.generate.update(puzzles_per_template=4, shards=2, image_size=192)
        self.values["aggregate"][NAME].update(audit_folds=2)

    @property
    def graph(self) -> Graph:
        return benchmarks.graph(benchmarks.check_params(self.values))

    def jobs(self, *stages: str) -> list[Job]:
        """The jobs of some stages, in the order in which the graph has them."""
        return [job for job in self.graph.jobs if job.step.stage in stages]

    def make(self, *stages: str) -> None:
        """Runs all jobs of some stages, none of which has run before."""
        self.run(self.jobs(*stages))

    def run(self, jobs: Iterable[Job]) -> None:
        """Runs jobs in the order given, from nothing."""
        here = Path.cwd()
        self.folder.mkdir(exist_ok=True)
        os.chdir(self.folder)
        try:
            for job in jobs:
                assert run(job, lambda line: None) == "computed", job.name
        finally:
            os.chdir(here)

    def paths(self, stage: str, role: str) -> list[Path]:
        """The files of an output, part by part."""
        return [self.folder / job.outputs[role] for job in self.jobs(stage) if role in job.outputs]

    def rows(self, stage: str, role: str, table: Table) -> list[Row]:
        """The rows of an output, part after part."""
        return list(artifacts.rows_of(self.paths(stage, role), table))

    def puzzles(self) -> list[Row]:
        return self.rows("generate", "puzzles", PUZZLES)

    def everything(self) -> dict[str, bytes]:
        """Every artifact: path -> bytes."""
        files = sorted((self.folder / "data").rglob("*.parquet"))
        return {str(file.relative_to(self.folder)): file.read_bytes() for file in files}

    def funnel(self) -> dict[str, tuple[str, int, int, int]]:
        """The published funnel: stage -> reasons, in, out, rejected."""
        return funnel(self.folder / FUNNEL)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.chdir(tmp_path)
    yield Project(tmp_path)


def generated(folder: Path, **settings: Any) -> tuple[list[Row], list[Row], list[Row]]:
    """Questions, puzzles and images of a project with other settings; images in order of their ids."""
    project = Project(folder)
    project.generate.update(settings)
    project.make("extract", "generate")
    images = project.rows("generate", "images", IMAGES)
    ids = [row["image_id"] for row in images]
    assert len(set(ids)) == len(ids)
    questions = project.rows("generate", "questions", QUESTIONS)
    return questions, project.puzzles(), sorted(images, key=lambda row: str(row["image_id"]))
