"""Written pairs and the steps on them, run without the steps that come before."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tests.projects import Project
from whatif.artifacts.writer import write_artifact
from whatif.benchmarks.cvqa_real.schemas import BOOLEAN

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
    shared = {
        "pair_id": written_id,
        "group": group,
        "choices": None,
        "answer_kind": "boolean" if group == BOOLEAN else "number",
        "image_ids": [image] if image else [],
        "provenance": json.dumps({"img_path": "one.jpg", "source_id": "7", "writer": "rules"}),
    }
    rows = [
        {**shared, "question_id": f"{written_id}-{variant}", "variant": variant, "question": text, "answer": said}
        for variant, text, said in (
            ("counterfactual", new_question, new_answer),
            ("original", question, answer),
        )
    ]
    written = {
        "written_id": written_id,
        "source_id": "7",
        "group": group,
        "writer": "rules",
        "question": new_question,
        "answer": new_answer,
        "step1": steps.get("step1"),
        "step2": steps.get("step2"),
        "examples": [],
        "attempt": None,
        "request_key": None,
        "provenance": "{}",
    }
    return rows, written


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
    return project.said
