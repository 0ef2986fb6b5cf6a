"""Lineage: the parameters and sources behind some artifacts and all artifacts before them, read from footers alone.

A footer names only the parameters and inputs of its own job. The seed or checkpoint in a data card may belong to an
earlier job, so the inputs are followed back to the sources.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from whatif.engine.artifacts.reader import Footer, footer_of
from whatif.engine.artifacts.schemas import Table
from whatif.engine.errors import WhatifError
from whatif.engine.graph.freshness import DATA
from whatif.engine.params.base import STAGES


@dataclass
class MadeBy:
    """A stage of a benchmark that made some of the artifacts.

    rows: role of an output -> its rows in all parts. parameters: by dotted path; sources: digests by path.
    """

    stage: str
    benchmark: str
    rows: dict[str, int] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The stage and the benchmark, for example `generate scenes`."""
        return f"{self.stage} {self.benchmark}"


@dataclass(frozen=True)
class Lineage:
    """The parameters of all steps, by dotted path; the digests of files outside the graph, by path.

    unknown: inputs that have since been removed or changed, so their own lineage is not known. steps: what made the
    artifacts, in the order of the stages.
    """

    parameters: dict[str, Any]
    sources: dict[str, str]
    unknown: tuple[str, ...]
    steps: tuple[MadeBy, ...] = ()

    @property
    def checkpoints(self) -> dict[str, str]:
        """Place of a checkpoint in the parameters -> its name."""
        return {place: str(name) for place, name in self.parameters.items() if place.endswith(".checkpoint") and name}

    @property
    def outside(self) -> dict[str, str]:
        """Digests of the sources that are not checkpoints, by path."""
        checkpoints = set(self.checkpoints.values())
        return {path: digest for path, digest in self.sources.items() if path not in checkpoints}


def lineage(paths: Iterable[Path]) -> Lineage:
    """The lineage of artifacts. Raises WhatifError when one of them is unreadable."""
    unknown: set[str] = set()
    steps: dict[str, MadeBy] = {}
    seen = {str(path) for path in paths}
    waiting = [footer_of(Path(path)) for path in sorted(seen)]
    while waiting:
        footer = waiting.pop()
        _add(steps, footer)
        for path, content in footer.made_from.get("inputs", {}).items():
            if path in seen:
                continue
            seen.add(path)
            try:
                found = footer_of(Path(path))
            except WhatifError:
                unknown.add(path)
                continue
            if found.content == content:
                waiting.append(found)
            else:
                unknown.add(path)
    made = sorted(steps.values(), key=lambda one: (_place(one.stage), one.benchmark))
    return Lineage(
        parameters=dict(sorted({place: value for one in made for place, value in one.parameters.items()}.items())),
        sources=dict(sorted({path: digest for one in made for path, digest in one.sources.items()}.items())),
        unknown=tuple(sorted(unknown)),
        steps=tuple(made),
    )


def _add(steps: dict[str, MadeBy], footer: Footer) -> None:
    name = str(footer.made_from.get("step", ""))
    stage, _, benchmark = name.partition(" ")
    made = steps.setdefault(name, MadeBy(stage, benchmark))
    made.rows[footer.role] = made.rows.get(footer.role, 0) + footer.rows
    for mine, theirs in ((made.parameters, "parameters"), (made.sources, "sources")):
        values: Mapping[str, Any] = footer.made_from.get(theirs, {})
        mine.update(values)


def _place(stage: str) -> int:
    return STAGES.index(stage) if stage in STAGES else len(STAGES)


def tables_of(benchmark: str, table: Table, stages: Sequence[str]) -> tuple[Path, ...]:
    """The artifacts of one table that the given stages of a benchmark have produced in this checkout."""
    found = [path for stage in stages for path in sorted((DATA / stage / benchmark).rglob("[!.]*.parquet"))]
    return tuple(path for path in found if footer_of(path).table == table.label)
