"""Freshness: whether the current parameters, inputs and code would produce the same artifact, and if not, why.

The footer of every artifact records what it was made from, and the fingerprint is a hash of that record. File times
never decide freshness. They only show whether a file must be read again to verify that its rows are unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from whatif.engine import artifacts
from whatif.engine.artifacts import verified
from whatif.engine.artifacts.made_from import differences
from whatif.engine.artifacts.reader import fingerprint_of
from whatif.engine.artifacts.writer import CODEC, CODEC_LEVEL, FORMAT_VERSION
from whatif.engine.errors import WhatifError
from whatif.engine.graph import code_index, folders
from whatif.engine.graph.code_index import code_version
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.jobs import Job
from whatif.engine.graph.steps import TEXT_FILES
from whatif.engine.params.base import STAGES

DATA = Path("data")


class Condition(StrEnum):
    """The condition of an artifact, compared with what is wanted now."""

    FRESH = "fresh"
    STALE = "stale"
    UNKNOWN = "unknown"  # an earlier artifact is not fresh; decided once that has been recomputed
    MISSING = "missing"


@dataclass(frozen=True)
class State:
    """The condition of a job's outputs, with the reasons if they are not fresh."""

    condition: Condition
    reasons: tuple[str, ...] = ()
    damaged: Mapping[Path, str] = field(default_factory=dict)  # damaged or edited output -> what is wrong with it
    unfinished: bool = False  # fresh only because unfinished outputs were accepted


@dataclass(frozen=True)
class Provenance:
    """What a job's outputs are made from, identified by `fingerprint`."""

    made_from: dict[str, Any]

    @property
    def fingerprint(self) -> str:
        """The hash of everything that the outputs depend on."""
        return fingerprint_of(self.made_from)


def provenance(job: Job, contents: Mapping[Path, str] | None = None) -> Provenance:
    """What the outputs of a job would be made from now.

    `contents` gives the hashes of inputs that are known to be unchanged; all other inputs are verified. Raises
    WhatifError when an input is missing, is unreadable or was edited.
    """
    known = contents or {}
    inputs = {str(path): known.get(path) or verified.verified_footer(path).content for path in job.input_paths}
    return Provenance(
        {
            "step": f"{job.step.stage} {job.step.benchmark}",
            "wildcards": dict(job.wildcards),
            "parameters": job.plain_parameters,
            "inputs": inputs,
            "sources": {name: verified.source_digest(path) for name, path in job.source_paths.items()},
            "code": code_version(job.code_roots),
            "package files": {name: verified.file_digest(path) for name, path in job.package_files.items()},
            # Absent from the artifacts of other steps.
            **({"declared": dict(job.step.declared)} if job.step.declared else {}),
            "format": {"version": FORMAT_VERSION, "codec": CODEC, "level": CODEC_LEVEL},
            "tables": {role: table.layout for role, table in sorted(job.step.outputs.items())},
        }
    )


def states(
    graph: Graph, accept: Callable[[Job], bool] = lambda job: False, jobs: Iterable[Job] | None = None
) -> dict[Job, State]:
    """The state of every job, decided in the order of the graph, or only of `jobs` and those that they depend on.

    Unfinished outputs are stale, except those of jobs for which `accept` returns true.
    """
    found: dict[Job, State] = {}
    contents: dict[Path, str] = {}
    for job in graph.jobs if jobs is None else graph.needed_for(jobs):
        ready = inputs_fresh(job, found)
        found[job] = state_of(job, contents, ready, accept_unfinished=accept(job))
    code_index.keep()
    return found


def inputs_fresh(job: Job, found: Mapping[Job, State]) -> bool:
    """Whether all inputs of a job are fresh; `found` has the states of the jobs before it."""
    return all(found[before].condition is Condition.FRESH for before in job.before)


def state_of(job: Job, contents: dict[Path, str], ready: bool, *, accept_unfinished: bool = False) -> State:
    """The state of one job; `ready` means that its inputs are fresh.

    `contents` holds the hashes of fresh artifacts; the hashes of this job's outputs are added if they are fresh.
    """
    lacking = [path for path in (*job.outputs.values(), *job.published) if not path.exists()]
    footers: dict[Path, artifacts.Footer] = {}
    damage: dict[Path, str] = {}
    for role, path in job.outputs.items():
        if path not in lacking:
            reason = _read(job, role, path, footers)
            if reason:
                damage[path] = reason
    damage.update(_damaged_texts(job, footers))
    unknown = _not_stored(job, footers)
    missing = tuple(f"{path} is missing" for path in lacking if path not in unknown)
    if missing:
        return State(Condition.MISSING, missing, damage)
    if damage:
        return State(Condition.STALE, tuple(damage.values()), damage)
    if not ready:
        return State(Condition.UNKNOWN, ("something before it is not fresh",))
    wanted = provenance(job, contents)
    reasons: dict[str, None] = {}
    for footer in footers.values():
        if footer.fingerprint != wanted.fingerprint:
            reasons.update(dict.fromkeys(differences(footer.made_from, wanted.made_from)))
        elif footer.unfinished and not accept_unfinished:
            reasons[footer.unfinished] = None
    if reasons:
        return State(Condition.STALE, tuple(reasons))
    if lacking:
        return State(Condition.MISSING, tuple(f"{path} is missing" for path in lacking))
    contents.update({path: footer.content for path, footer in footers.items()})
    return State(Condition.FRESH, unfinished=any(footer.unfinished for footer in footers.values()))


def _read(job: Job, role: str, path: Path, footers: dict[Path, artifacts.Footer]) -> str | None:
    """Reads a footer into `footers`; returns what is wrong with the file, or None."""
    table = job.step.outputs[role]
    try:
        footer = verified.verified_footer(path)
    except WhatifError as error:
        return str(error)
    if (footer.table, footer.role) != (table.label, role):
        return f"{path} holds {footer.role} ({footer.table}), asked for are {role} ({table.label})"
    footers[path] = footer
    return None


def _not_stored(job: Job, footers: Mapping[Path, artifacts.Footer]) -> set[Path]:
    """The files of models that a job's artifact was made without, so that the models are the reason to make it."""
    if not job.step.summary or job.outputs[TEXT_FILES] not in footers:
        return set()
    return set(filter(job.is_summary, job.published)) - set(map(Path, footers[job.outputs[TEXT_FILES]].files))


def _damaged_texts(job: Job, footers: Mapping[Path, artifacts.Footer]) -> Iterator[tuple[Path, str]]:
    if not (job.published or job.step.folder) or job.outputs[TEXT_FILES] not in footers:
        return
    written = footers[job.outputs[TEXT_FILES]].files
    if job.step.folder:
        yield from folders.edited(job, written)
    for path in job.published:
        if path.exists() and verified.file_digest(path) != written.get(str(path)):
            yield path, f"{path} was edited"


def by_step(paths: Iterable[Path]) -> Iterator[str]:
    """Artifacts counted by the stage and benchmark that made them, as their footers say: `filter scenes: 3 files`."""
    counts: dict[str, int] = {}
    for path in paths:
        try:
            made_by = artifacts.footer_of(path).made_from.get("step")
        except WhatifError:
            made_by = None
        name = str(made_by or f"{path.parent}/")
        counts[name] = counts.get(name, 0) + 1
    return (f"{name}: {number:,} file{'s' if number > 1 else ''}" for name, number in sorted(counts.items()))


def leftovers(graph: Graph) -> list[Path]:
    """Artifacts that no job makes any more, for example those of a removed model or of a different number of parts."""
    stages = (DATA / stage for stage in STAGES)
    found: Iterable[Path] = (path for stage in stages for path in stage.rglob("*.parquet"))
    return sorted(path for path in found if path not in graph.producer and not path.name.startswith("."))
