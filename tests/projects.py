"""A project folder for tests: parameters that a test may change, and the jobs of one benchmark run in order."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.defaults import OFFLINE_WRITERS, shipped_values
from tests.published import funnel
from whatif import benchmarks
from whatif.benchmarks.site import SITE
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import Table
from whatif.engine.graph.freshness import State, states
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.jobs import Job
from whatif.engine.graph.run import run

Row = dict[str, Any]
FEW = {"audit_folds": 2, "resamples": 199}


@cache
def _shipped() -> dict[str, Any]:
    """The values of the shipped `params.yaml`, with few folds and resamples."""
    values: dict[str, Any] = shipped_values()
    for section in values["aggregate"].values():
        section |= {name: number for name, number in FEW.items() if name in section}
    return values


class Project:
    """A folder with the values of the shipped `params.yaml`, and with artifacts once jobs were run.

    folder: made when it does not exist; values: as read from YAML, with one benchmark selected where one is named, with
    few folds and resamples (`FEW`), and without the chat model that writes questions for cvqa-real; said: what the last
    jobs said.
    """

    def __init__(self, folder: Path, benchmark: str = "") -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.values: dict[str, Any] = copy.deepcopy(_shipped())
        self.values["generate"]["cvqa-real"]["writers"] = dict(OFFLINE_WRITERS)
        self.benchmark = benchmark
        if benchmark:
            self.select(benchmark)
        self.said: list[str] = []
        self._graph: tuple[object, Graph] | None = None

    def select(self, benchmark: str) -> None:
        """Makes one benchmark the only one."""
        self.benchmark = benchmark
        self.values["benchmarks"] = [benchmark]

    def section(self, stage: str) -> dict[str, Any]:
        """The values of a stage of the benchmark."""
        section: dict[str, Any] = self.values[stage][self.benchmark]
        return section

    @property
    def generate(self) -> dict[str, Any]:
        """The values of the stage `generate` of the benchmark."""
        return self.section("generate")

    @property
    def graph(self) -> Graph:
        """The graph of the values, and of the benchmarks in YAML files, as they are now."""
        made_of = repr(self.values), [file.read_bytes() for file in sorted(self.folder.glob("benchmarks/*.yaml"))]
        if self._graph is None or self._graph[0] != made_of:
            with contextlib.chdir(self.folder):
                self._graph = made_of, benchmarks.graph(benchmarks.check_params(self.values))
        return self._graph[1]

    def jobs(self, *stages: str) -> list[Job]:
        """The jobs of some stages, or all, in the order in which the graph has them; without the site."""
        own = [job for job in self.graph.jobs if job.step.benchmark != SITE]
        return [job for job in own if not stages or job.step.stage in stages]

    def states(self) -> dict[Job, State]:
        """The state of each job; without the site, which reads what every other publishes."""
        with contextlib.chdir(self.folder):
            return {job: state for job, state in states(self.graph).items() if job.step.benchmark != SITE}

    def run(self, *stages: str) -> dict[str, str]:
        """Runs the jobs of some stages, or all; what was done for each, by its name: `computed` or another."""
        return self.run_jobs(self.jobs(*stages))

    def make(self, *stages: str) -> list[str]:
        """As `run`, where every job must be computed; returns what the jobs said."""
        return self.make_jobs(self.jobs(*stages))

    def make_jobs(self, jobs: Iterable[Job]) -> list[str]:
        """As `run_jobs`, where every job must be computed; returns what the jobs said."""
        outcomes = self.run_jobs(jobs)
        assert set(outcomes.values()) == {"computed"}, outcomes
        return self.said

    def run_jobs(self, jobs: Iterable[Job]) -> dict[str, str]:
        """Runs jobs in the order given; what was done for each."""
        self.said = []
        with contextlib.chdir(self.folder):
            return {job.name: run(job, self.said.append) for job in jobs}

    def write_params(self) -> Path:
        """Writes the values to `params.yaml`, for a command that reads them; returns its path."""
        path = self.folder / "params.yaml"
        path.write_text(yaml.safe_dump(self.values, sort_keys=False), encoding="utf-8")
        return path

    def paths(self, stage: str, role: str, step: str | None = None) -> list[Path]:
        """The files of an output, part by part; of one step where a stage has several."""
        jobs = [job for job in self.jobs(stage) if role in job.outputs and step in (None, job.step.name)]
        assert jobs, f"{stage} {step or ''}: makes no {role}"
        return [self.folder / job.outputs[role] for job in jobs]

    def rows(self, stage: str, role: str, table: Table, step: str | None = None) -> list[Row]:
        """The rows of an output, part after part."""
        return list(artifacts.rows_of(self.paths(stage, role, step), table))

    def text(self, path: str) -> str:
        """A text file of the project."""
        return (self.folder / path).read_text(encoding="utf-8")

    def published(self, name: str) -> str:
        """A file of the benchmark's folder in `metrics/`."""
        return self.text(f"metrics/{self.benchmark}/{name}")

    @property
    def metrics(self) -> dict[str, Any]:
        """The benchmark's JSON in `metrics/`."""
        found: dict[str, Any] = json.loads(self.text(f"metrics/{self.benchmark}.json"))
        return found

    def funnel(self) -> dict[str, tuple[str, int, int, int]]:
        """The published funnel: stage -> reasons, in, out, rejected."""
        return funnel(self.folder / "metrics" / self.benchmark / "funnel.csv")

    def everything(self) -> dict[str, bytes]:
        """Every artifact: path -> bytes."""
        files = sorted((self.folder / "data").rglob("*.parquet"))
        return {str(file.relative_to(self.folder)): file.read_bytes() for file in files}
