"""Runs the evaluation of MuCR on the questions of a test: one model with one strategy, from artifacts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tests.benchmarks.mucr.asked import Set
from tests.benchmarks.mucr.rows import Row
from tests.projects import Project
from whatif.benchmarks.mucr.evaluation import write_answers
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.graph.jobs import Job


class Collected:
    """The rows that a step writes, by role."""

    def __init__(self) -> None:
        self.rows: dict[str, list[Row]] = {}

    def writer(self, role: str) -> Collected._Writer:
        return self._Writer(self.rows.setdefault(role, []))

    def write(self, role: str, rows: Iterable[Row]) -> None:
        self.rows.setdefault(role, []).extend(rows)

    class _Writer:
        def __init__(self, rows: list[Row]) -> None:
            self.write = rows.extend


def job_of(project: Project, model: str, strategy: str) -> Job:
    return next(
        job
        for job in project.jobs("evaluate")
        if (job.wildcards.get("model"), job.wildcards.get("strategy")) == (model, strategy)
    )


def write_inputs(job: Job, made: Set) -> None:
    """Writes the artifacts that a job reads; the images are divided among the three inputs."""
    images = [made.images[name] for name in sorted(made.images)]
    tables: dict[str, list[Row]] = {
        "questions": made.questions,
        "training": made.training,
        "items": made.items,
        "pairs": made.pairs,
        "images": images[::3],
        "drawn-images": images[1::3],
        "composites": images[2::3],
    }
    for role, given in job.inputs.items():
        for path in given.paths:
            write_artifact(path, given.table, tables[role])


def evaluated(
    project: Project, made: Set, model: str, strategy: str, stand_in: Callable[[Any], Any] | None = None
) -> list[Row]:
    """The predictions of a model with a strategy; none in a dry run, in which `stand_in` replaces the model."""
    job = job_of(project, model, strategy)
    write_inputs(job, made)
    outputs = Collected()
    write_answers(job.task(outputs, project.messages.append, stand_in=stand_in))  # type: ignore[arg-type]
    return outputs.rows.get("predictions", [])
