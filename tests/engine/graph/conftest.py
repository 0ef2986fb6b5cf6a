"""An empty project folder with parameters that a test may change."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.graph import toy
from whatif.engine.graph.freshness import Condition, states
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.prologue import prepare
from whatif.engine.graph.run import run
from whatif.engine.params.whole import check

ALL = [
    "extract",
    "generate part-000-of-002",
    "generate part-001-of-002",
    "evaluate first",
    "evaluate second",
    "aggregate",
]


DOWNSTREAM = ["evaluate first", "evaluate second", "aggregate"]
PART = Path("data/generate/toy/rows/part-001-of-002.parquet")


class Project:
    """A project folder that runs the toy benchmark as Snakemake would: the prologue, then what is missing."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {
            "seed": 2024,
            "benchmarks": ["toy"],
            "generate": {"toy": {"shards": 2, "image_size": 448}},
            "models": {"first": {"adapter": "random"}, "second": {"adapter": "majority"}},
        }
        self.messages: list[str] = []

    @property
    def graph(self) -> Graph:
        return Graph(check(self.values, {"toy": toy.ToySettings}, ["toy"]), [toy.TOY])

    def run(self) -> list[str]:
        """Makes everything that is due; returns what was really computed."""
        toy.CALLS.clear()
        graph = self.graph
        prologue = prepare(graph, self.messages.append)
        try:
            for job in graph.jobs:
                if not all(path.exists() for path in (*job.outputs.values(), *job.published)):
                    run(job, self.messages.append)
        finally:
            prologue.end()
        return list(toy.CALLS)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.chdir(tmp_path)
    yield Project()


@pytest.fixture
def shuffle_times() -> Callable[[], None]:
    """Gives all artifacts times in the wrong order, as a checkout does."""

    def shuffle() -> None:
        for number, path in enumerate(sorted(Path("data").rglob("*.parquet"), reverse=True)):
            os.utime(path, (1_000_000 + number, 1_000_000 + number))

    return shuffle


def conditions(project: Project) -> dict[str, Condition]:
    return {job.name: state.condition for job, state in states(project.graph).items()}


def reasons(project: Project) -> list[str]:
    return [reason for state in states(project.graph).values() for reason in state.reasons]
