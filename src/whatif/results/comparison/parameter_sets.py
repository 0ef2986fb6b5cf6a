"""The run of a set of parameters, as far as its artifacts are in the project: in place or in the stash."""

from __future__ import annotations

from pathlib import Path

from whatif.engine.artifacts.reader import Footer, footer_of
from whatif.engine.errors import WhatifError
from whatif.engine.graph.freshness import provenance
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.jobs import Job
from whatif.engine.graph.stash import STASH
from whatif.results.comparison.runs import Run, is_metrics, is_table

_FILES = "files"  # the artifact that stores the text files


def of_graph(graph: Graph, name: str) -> Run:
    """The run of the graph's parameters with the code and the sources of now, in the working directory.

    A job's artifacts are found by its fingerprint. Artifacts that are neither in place nor in the stash are `lacking`,
    and so is everything made from them. The result tables are those that the artifacts `files` store.
    """
    import pyarrow.parquet as pq

    files: dict[str, Path] = {}
    contents: dict[Path, str] = {}
    lacking: list[str] = []
    tables: dict[str, bytes] = {}
    metrics: dict[str, bytes] = {}
    for job in graph.jobs:
        found = _artifacts(job, contents)
        if found is None:
            lacking += map(str, job.outputs.values())
            continue
        for role, path in job.outputs.items():
            place, footer = found[role]
            files[str(path)] = place
            contents[path] = footer.content
        if _FILES in found:
            rows = pq.read_table(found[_FILES][0], columns=["path", "bytes"]).to_pylist()
            tables |= {row["path"]: row["bytes"] for row in rows if is_table(row["path"])}
            metrics |= {row["path"]: row["bytes"] for row in rows if is_metrics(row["path"])}
    remedy = "they are neither in data/ nor in the stash for these parameters and the code of now"
    made = dict(sorted(files.items())), dict(sorted(tables.items()))
    return Run(name, *made, tuple(sorted(lacking)), remedy, dict(sorted(metrics.items())))


def _artifacts(job: Job, contents: dict[Path, str]) -> dict[str, tuple[Path, Footer]] | None:
    """Where each output of a job is (role -> file), or None if one of them is nowhere."""
    if any(path not in contents for path in job.input_paths):
        return None
    fingerprint = provenance(job, contents).fingerprint
    found = {}
    for role, path in job.outputs.items():
        for place in (path, STASH / fingerprint / f"{role}.parquet"):
            try:
                footer = footer_of(place)
            except (OSError, WhatifError):
                continue
            if (footer.role, footer.fingerprint) == (role, fingerprint):
                found[role] = (place, footer)
                break
    return found if len(found) == len(job.outputs) else None
