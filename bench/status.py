"""The state of 1,000 artifacts of one project, against `dvc status` of a folder with the same files."""

from __future__ import annotations

import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.engine.graph.toy import TOY, ToySettings
from whatif.engine.graph.freshness import Condition, states
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.run import run
from whatif.engine.params.whole import check

ROOT = Path(__file__).parents[1]
_ROUNDS = 5
_SHARDS = 997  # with one job before them and two after them
SMALL = {"_ROUNDS": 1, "_SHARDS": 3}


def measure() -> dict[str, Any]:
    """Seconds, median of alternating rounds, after both sides have seen every file once."""
    values = {
        "seed": 2024,
        "benchmarks": ["toy"],
        "generate": {"toy": {"shards": _SHARDS, "image_size": 448}},
        "models": {"first": {"adapter": "random"}},
    }
    graph = Graph(check(values, {"toy": ToySettings}, ["toy"]), [TOY])
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for job in graph.jobs:
            run(job, lambda line: None)
        _dvc("init", "--no-scm", "--quiet")
        _dvc("add", "--quiet", "data")
        seconds: dict[str, list[float]] = {"ours": [], "dvc": []}
        for _ in range(_ROUNDS):
            seconds["ours"].append(_ours(graph))
            seconds["dvc"].append(_dvc("status", "--quiet"))
    ours, peer = (statistics.median(seconds[side]) for side in ("ours", "dvc"))
    return {
        "name": "status-1000-artifacts",
        "ours": ours,
        "peer": peer,
        "unit": "s",
        "ratio": peer / ours,
        "peer_name": "dvc status of the same files in one folder",
    }


def _ours(graph: Graph) -> float:
    started = time.perf_counter()
    found = states(graph)
    seconds = time.perf_counter() - started
    assert len(found) == _SHARDS + 3, len(found)
    assert {state.condition for state in found.values()} == {Condition.FRESH}
    return seconds


def _dvc(*arguments: str) -> float:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    started = time.perf_counter()
    subprocess.run(["dvc", *arguments], env={**os.environ, "PATH": path}, check=True)
    return time.perf_counter() - started
