"""Whether the published numbers of a benchmark match the current parameters, inputs and code, and if not, why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from whatif.engine.errors import WhatifError
from whatif.engine.files.dvc_remote import fetches
from whatif.engine.graph.freshness import Condition, State, states
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.jobs import Job

_SHOWN = 5  # maximum number of reasons per heading
_HEADINGS = {
    Condition.STALE: "STALE: today's parameters, inputs and code may give other numbers; `dvc repro` or `snakemake` "
    "makes them:",
    Condition.MISSING: "NOT CHECKED: artifacts behind these numbers are not here; {fetches}`dvc repro` or `snakemake` "
    "makes them:",
}
_UNFINISHED = "UNFINISHED: these numbers count unanswered questions as wrong; `snakemake` asks them again:"


def remarks(graph: Graph, benchmark: str) -> list[str]:
    """Lines to show to users: headings, each with its reasons; none when every job of the benchmark is fresh.

    A job of another benchmark counts if a job of this one depends on it.

    Jobs whose condition is unknown because an earlier job is not fresh have no line. Nothing can be checked where a
    Python package whose files a job reads is not installed, or a setting names none; the only line says so.
    """
    own = [job for job in graph.jobs if job.step.benchmark == benchmark]
    try:
        strict = states(graph, jobs=own)
    except WhatifError as error:
        return [f"NOT CHECKED: {error}"]
    if all(state.condition is Condition.FRESH for state in strict.values()):
        return []
    lenient = states(graph, accept=lambda job: True, jobs=own)
    lines: list[str] = []
    for condition, heading in _HEADINGS.items():
        lines += _section(
            heading.format(fetches=fetches("them")),
            {job: state for job, state in lenient.items() if state.condition is condition},
        )
    given_up = {job: strict[job] for job, state in lenient.items() if _is_unfinished(strict[job], state)}
    return [*lines, *_section(_UNFINISHED, given_up)]


def _is_unfinished(strict: State, lenient: State) -> bool:
    return strict.condition is Condition.STALE and lenient.condition is Condition.FRESH


def _section(heading: str, found: Mapping[Job, State]) -> Iterator[str]:
    """The heading and its reasons, each reason once, with the jobs that it applies to."""
    jobs: dict[str, list[str]] = {}
    for job, state in found.items():
        for reason in state.reasons:
            jobs.setdefault(reason, []).append(job.name)
    if not jobs:
        return
    yield heading
    for reason, names in list(jobs.items())[:_SHOWN]:
        yield f"  {reason} ({_some(names)})"
    if len(jobs) > _SHOWN:
        yield f"  and {len(jobs) - _SHOWN:,} more: whatif status"


def _some(names: Iterable[str]) -> str:
    first, *others = names
    return f"{first} and {len(others):,} more" if others else first
