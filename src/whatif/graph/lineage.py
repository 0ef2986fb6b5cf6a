"""Lineage: the parameters and sources behind some artifacts and all artifacts before them, read from footers alone.

A footer names only the parameters and inputs of its own job. The seed or checkpoint in a data card may belong to an
earlier job, so the inputs are followed back to the sources.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whatif.artifacts.reader import footer_of
from whatif.artifacts.schemas import Table
from whatif.errors import WhatifError
from whatif.graph.freshness import DATA


@dataclass(frozen=True)
class Lineage:
    """The parameters of all steps, by dotted path; the digests of files outside the graph, by path.

    unknown: inputs that have since been removed or changed, so their own lineage is not known.
    """

    parameters: dict[str, Any]
    sources: dict[str, str]
    unknown: tuple[str, ...]


def lineage(paths: Iterable[Path]) -> Lineage:
    """The lineage of artifacts. Raises WhatifError when one of them is unreadable."""
    parameters: dict[str, Any] = {}
    sources: dict[str, str] = {}
    unknown: set[str] = set()
    waiting = [footer_of(path).made_from for path in paths]
    seen: set[str] = set()
    while waiting:
        made_from = waiting.pop()
        parameters.update(made_from.get("parameters", {}))
        sources.update(made_from.get("sources", {}))
        for path, content in made_from.get("inputs", {}).items():
            if path in seen:
                continue
            seen.add(path)
            try:
                footer = footer_of(Path(path))
            except WhatifError:
                unknown.add(path)
                continue
            if footer.content == content:
                waiting.append(footer.made_from)
            else:
                unknown.add(path)
    return Lineage(dict(sorted(parameters.items())), dict(sorted(sources.items())), tuple(sorted(unknown)))


def tables_of(benchmark: str, table: Table, stages: Sequence[str]) -> tuple[Path, ...]:
    """The artifacts of one table that the given stages of a benchmark have produced in this checkout."""
    found = [path for stage in stages for path in sorted((DATA / stage / benchmark).rglob("[!.]*.parquet"))]
    return tuple(path for path in found if footer_of(path).table == table.label)


def last_tables_of(benchmark: str, table: Table) -> tuple[Path, ...]:
    """The artifacts of one table as models see them: those of the last stage before evaluation that has any.

    A stage may have other outputs of this table: questions before the last check, or those for fine-tuning. Where one
    has the name of the table, such as `questions`, only that one counts.
    """
    for stage in ("verify", "filter", "generate", "extract"):
        if found := tables_of(benchmark, table, [stage]):
            return tuple(path for path in found if footer_of(path).role == table.name) or found
    return ()
