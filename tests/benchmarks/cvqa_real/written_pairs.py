"""Written pairs and the steps on them, run without the steps that come before."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.benchmarks.cvqa_real.rows import a_pair, source_row, written
from tests.projects import Project
from whatif.benchmarks.cvqa_real.schemas import BOOLEAN
from whatif.engine.artifacts.writer import write_artifact

Row = dict[str, Any]


def pair(
    written_id: str,
    question: str,
    answer: str,
    new_question: str,
    new_answer: str,
    *,
    group: str = "direct",
    image: str = "image-1",
    **steps: str | None,
) -> tuple[list[Row], Row]:
    """The two rows of `questions` of a pair, and its row of `written-questions`."""
    row = written("7", group, "rules", new_answer, new_question, steps.get("step1"), steps.get("step2"))
    row["written_id"] = written_id
    kind = "boolean" if group == BOOLEAN else "number"
    return a_pair({**source_row("7", question, answer, image), "answer_kind": kind}, row, img_path="one.jpg"), row


def run_step(project: Project, stage: str, step: str, **inputs: Iterable[Row]) -> list[str]:
    """Runs the only job of a step, after its inputs were written by role; returns what it said."""
    (job,) = [job for job in project.jobs(stage) if job.step.name == step]
    for role, given in job.inputs.items():
        for path in given.paths:
            (project.folder / path).parent.mkdir(parents=True, exist_ok=True)
            footer = {"role": path.stem, "made_from": {}}
            rows = sorted(inputs[role.replace("-", "_")], key=lambda row: str(row[given.table.key[0]]))
            write_artifact(project.folder / path, given.table, rows, **footer)
    assert project.run_jobs([job]) == {job.name: "computed"}
    return project.messages
