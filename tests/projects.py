"""A project folder for tests: parameters that a test may change, and the jobs of one benchmark run in order."""

from __future__ import annotations

import contextlib
import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.defaults import OFFLINE_WRITERS, shipped_values
from tests.published import funnel
from whatif.benchmarks.site import SITE
from whatif.benchmarks.trial import Trial
from whatif.engine.graph.freshness import State, states
from whatif.engine.graph.jobs import Job

Row = dict[str, Any]
FEW = {"audit_folds": 2, "resamples": 199}


@cache
def _shipped() -> dict[str, Any]:
    """The values of the shipped `params.yaml`, with few folds and resamples."""
    values: dict[str, Any] = shipped_values()
    for section in values["aggregate"].values():
        section |= {name: number for name, number in FEW.items() if name in section}
    return values


class Project(Trial):
    """A folder with the values of the shipped `params.yaml`, and with artifacts once jobs were run.

    One benchmark is selected where one is named, with few folds and resamples (`FEW`), and without the chat model that
    writes questions for cvqa-real.
    """

    def __init__(self, folder: Path, benchmark: str = "") -> None:
        super().__init__(folder, copy.deepcopy(_shipped()))
        self.values["generate"]["cvqa-real"]["writers"] = dict(OFFLINE_WRITERS)
        self.benchmark = benchmark
        if benchmark:
            self.select(benchmark)

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

    def states(self) -> dict[Job, State]:
        """The state of each job; without the site, which reads what every other publishes."""
        with contextlib.chdir(self.folder):
            return {job: state for job, state in states(self.graph).items() if job.step.benchmark != SITE}

    def write_params(self) -> Path:
        """Writes the values to `params.yaml`, for a command that reads them; returns its path."""
        path = self.folder / "params.yaml"
        path.write_text(yaml.safe_dump(self.values, sort_keys=False), encoding="utf-8")
        return path

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
