"""A run of a benchmark for its tests: settings as values, jobs one after the other in this process, rows read back."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from whatif.benchmarks.discovery import check_params
from whatif.benchmarks.discovery import graph as graph_of
from whatif.benchmarks.site import SITE
from whatif.engine import artifacts
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.jobs import Job
from whatif.engine.graph.run import run


class Trial:
    """A folder in which the steps of a project run, without DVC and Snakemake.

        trial = Trial(tmp_path, Path("params.yaml"))
        trial.values["extract"]["my-benchmark"]["pictures"] = 3
        trial.make()
        assert len(trial.rows("extract", "images")) == 3

    folder: made if it does not exist.
    values: those of a file like `params.yaml`; a test may change them, before and between runs.
    messages: what the last jobs printed, such as warnings of a step that loses most of its rows.
    """

    def __init__(self, folder: Path, params: Path | dict[str, Any]) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        read = yaml.safe_load(params.read_text(encoding="utf-8")) if isinstance(params, Path) else params
        self.values: dict[str, Any] = read
        self.messages: list[str] = []
        self._graph: tuple[object, Graph] | None = None

    @property
    def graph(self) -> Graph:
        """The graph of the values, and of the benchmarks in YAML files of the folder, as they are now.

        Raises WhatifError with a line for each value that is wrong.
        """
        made_of = repr(self.values), [file.read_bytes() for file in sorted(self.folder.glob("benchmarks/*.yaml"))]
        if self._graph is None or self._graph[0] != made_of:
            with contextlib.chdir(self.folder):
                self._graph = made_of, graph_of(check_params(self.values))
        return self._graph[1]

    def jobs(self, *stages: str) -> list[Job]:
        """The jobs of some stages, or all, in the order in which the graph has them; without the site."""
        own = [job for job in self.graph.jobs if job.step.benchmark != SITE]
        return [job for job in own if not stages or job.step.stage in stages]

    def run(self, *stages: str) -> dict[str, str]:
        """Runs the jobs of some stages, or all; what was done for each, by its name: `computed` or another."""
        return self.run_jobs(self.jobs(*stages))

    def run_jobs(self, jobs: Iterable[Job]) -> dict[str, str]:
        """Runs jobs in the order given; what was done for each. Raises what a step raises."""
        self.messages = []
        with contextlib.chdir(self.folder):
            return {job.name: run(job, self.messages.append) for job in jobs}

    def make(self, *stages: str) -> list[str]:
        """As `run`, where every job must be computed; returns their messages."""
        return self.make_jobs(self.jobs(*stages))

    def make_jobs(self, jobs: Iterable[Job]) -> list[str]:
        """As `run_jobs`, where every job must be computed; returns their messages."""
        outcomes = self.run_jobs(jobs)
        assert set(outcomes.values()) == {"computed"}, outcomes
        return self.messages

    def outputs(self, stage: str, role: str, step: str | None = None) -> list[Job]:
        """The jobs of a stage that make an output, part by part; of one step where a stage has several."""
        jobs = [job for job in self.jobs(stage) if role in job.outputs and step in (None, job.step.name)]
        assert jobs, f"{stage} {step or ''}: makes no {role}"
        return jobs

    def paths(self, stage: str, role: str, step: str | None = None) -> list[Path]:
        """The files of an output, part by part."""
        return [self.folder / job.outputs[role] for job in self.outputs(stage, role, step)]

    def rows(self, stage: str, role: str, step: str | None = None) -> list[dict[str, Any]]:
        """The rows of an output, part after part."""
        tables = {job.step.outputs[role] for job in self.outputs(stage, role, step)}
        assert len(tables) == 1, f"{stage}: several steps make {role}; name one"
        return list(artifacts.rows_of(self.paths(stage, role, step), tables.pop()))

    def text(self, path: str) -> str:
        """A text file of the folder, such as a published table."""
        return (self.folder / path).read_text(encoding="utf-8")
