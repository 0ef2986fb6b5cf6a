"""Made-up inputs of a job that writes a report, and the report of them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.outputs import Published
from tests.projects import Project, Row
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.graph.jobs import Job

WRITER = {"adapter": "api", "model": "w", "base_url": "http://127.0.0.1:9/v1", "max_new_tokens": 9, "benchmarks": []}
SAMPLED = {**WRITER, "benchmarks": None, "decoding": {"temperature": 1.0, "samples": 3}}
Whole = tuple[Project, Job, Published]


def rejection(item_id: str, reason: str) -> Row:
    return {"item_id": item_id, "reason": reason, "detail": "d"}


def judgement(item_id: str, annotator: str, decision: str) -> Row:
    named = {"item_id": item_id, "annotator": annotator, "decision": decision}
    return {**named, "corrected": "{}", "comment": "", "time": None, "seconds": None}


def full(row: Row) -> Row:
    """A prediction with all columns."""
    return {**dict.fromkeys(PREDICTIONS.schema.names), **row}


def write_inputs(
    project: Project,
    tables: Mapping[str, Sequence[Any]],
    parts: Mapping[str, Callable[[Mapping[str, str]], Sequence[Any]]],
) -> Job:
    """Writes the artifacts that the last job reads, and returns it.

    tables: role -> rows, none where it is missing; parts: role -> the rows for the wildcards of each of its files.
    """
    job = project.jobs("aggregate")[-1]
    for role, given in job.inputs.items():
        for path, wildcards in zip(given.paths, given.wildcards, strict=True):
            content = parts[role](wildcards) if role in parts else tables.get(role, [])
            keys = given.table.key
            ordered = sorted(content, key=lambda row: tuple(str(row[key]) for key in keys))
            write_artifact(project.folder / path, given.table, ordered)
    return job


def report_of(project: Project, job: Job, publish: Callable[[Any], None]) -> Published:
    """The other outputs of a job whose report is written in the folder of the project."""
    outputs: Any = Published()
    with contextlib.chdir(project.folder):
        publish(job.task(outputs, project.messages.append))
    published: Published = outputs
    return published


def repeated(row: Row) -> Row:
    """A prediction as the majority of three samples, of which one gives another answer."""
    other = "B" if row["answer"] == "A" else "A"
    given = [row["answer"], other, row["answer"]]
    samples = [{"response": one, "answer": one, "status": "ok", "request_key": None} for one in given]
    return {**row, "choice_scores": None, "samples": samples}
