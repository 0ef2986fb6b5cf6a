"""What a benchmark has to publish: the rows of its last stage before evaluation, from fresh artifacts alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import IMAGES, JUDGEMENTS, PAIRS, QUESTIONS, Table
from whatif.engine.artifacts.stored_rows import StoredRows
from whatif.engine.errors import WhatifError
from whatif.engine.graph.freshness import Condition, states
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.jobs import Job

Row = Mapping[str, Any]
AUTOMATIC = "automatic:"  # before the name of a check among the annotators
_JUDGED = ("item_id", "annotator", "decision")
BEFORE_EVALUATION = ("verify", "filter", "generate", "extract")  # the stages, the last one first


@dataclass(frozen=True)
class Contents:
    """The rows of a benchmark, and the artifacts that they and their images are in.

    judgements: whose labels are behind the rows, of people and of automatic checks. people: the names of the people
    who gave labels.
    """

    questions: StoredRows
    pairs: StoredRows
    tables: tuple[Path, ...]
    images: tuple[Path, ...]
    judgements: StoredRows
    people: frozenset[str]


def refuse_stale(graph: Graph, benchmarks: Iterable[str]) -> None:
    """Raises WhatifError unless every artifact and table of the benchmarks is what the parameters and the code say.

    Answers that models left out for a transient reason do not matter: they are no part of what is published.
    """
    wanted = set(benchmarks)
    own = [job for job in graph.jobs if job.step.benchmark in wanted]
    for job, state in states(graph, accept=lambda one: True, jobs=own).items():
        if state.condition is not Condition.FRESH:
            reason = state.reasons[0] if state.reasons else "not made from today's parameters, inputs and code"
            raise WhatifError(
                f"{job.name}: is {state.condition} ({reason}); `dvc repro` or `snakemake --cores 2` makes it, "
                "`whatif status` lists what else is due"
            )


def contents(graph: Graph, benchmark: str) -> Contents:
    """The rows that models are evaluated on, with their artifacts. Raises WhatifError when one is unreadable."""
    jobs = [job for job in graph.jobs if job.step.benchmark == benchmark]
    questions, pairs = (_last(jobs, table) for table in (QUESTIONS, PAIRS))
    judged = [path for stage in BEFORE_EVALUATION[::-1] for path in _paths(jobs, JUDGEMENTS, stage)]
    return Contents(
        questions=StoredRows(questions, QUESTIONS),
        pairs=StoredRows(pairs, PAIRS),
        tables=(*questions, *pairs),
        images=tuple(path for stage in BEFORE_EVALUATION for path in _paths(jobs, IMAGES, stage)),
        judgements=StoredRows(judged, JUDGEMENTS, _JUDGED),
        people=frozenset(_people(jobs)),
    )


def _last(jobs: Sequence[Job], table: Table) -> tuple[Path, ...]:
    """The artifacts of a table of the last stage that has any.

    A stage may have other outputs of this table: questions before the last check, or those for fine-tuning. Where one
    has the name of the table, only that one counts.
    """
    for stage in BEFORE_EVALUATION:
        if found := tuple(_paths(jobs, table, stage)):
            return tuple(path for path in found if artifacts.footer_of(path).role == table.name) or found
    return ()


def _paths(jobs: Iterable[Job], table: Table, stage: str) -> Iterator[Path]:
    for job in jobs:
        if job.step.stage == stage:
            yield from (path for role, path in job.outputs.items() if job.step.outputs[role] == table)


def _people(jobs: Sequence[Job]) -> set[str]:
    """The names of annotators in any table of the benchmark; automatic checks are no people."""
    found: set[str] = set()
    for job in jobs:
        for role, table in job.step.outputs.items():
            if "annotator" in table.schema.names and job.step.stage in BEFORE_EVALUATION:
                found |= {row["annotator"] for row in artifacts.rows_of(job.outputs[role], table, ["annotator"])}
    return {name for name in found if name and not name.startswith(AUTOMATIC)}
