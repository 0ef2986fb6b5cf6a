"""Warnings about jobs that can run but whose results would be meaningless."""

from __future__ import annotations

from collections.abc import Iterable

from whatif.engine.files.named_folders import CHECKPOINTS
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.jobs import Job


def cautions(graph: Graph, jobs: Iterable[Job]) -> list[str]:
    """One line for each benchmark whose jobs use embedded checkpoints on inputs from outside the drawn scenes.

    The embedded checkpoints were trained only on drawn scenes. `Benchmark.outside` describes what a benchmark takes
    from outside them.
    """
    used: dict[str, set[str]] = {}
    outside = {name: benchmark.outside(graph.params) for name, benchmark in graph.benchmarks.items()}
    for job in jobs:
        if outside[job.step.benchmark]:
            used.setdefault(job.step.benchmark, set()).update(embedded_checkpoints(job))
    lines = []
    for name, checkpoints in used.items():
        if checkpoints:
            lines.append(
                f"warning: {name}: the embedded checkpoints ({', '.join(sorted(checkpoints))}) were trained on "
                f"drawings alone: their results on {outside[name]} mean nothing; use others, as in "
                "docs/paper-scale.yaml"
            )
    return lines


def embedded_checkpoints(job: Job) -> list[str]:
    """The names of the checkpoints that a job loads from those that ship with the package."""
    return [path.name for path in job.source_paths.values() if path.resolve().parent == CHECKPOINTS]
