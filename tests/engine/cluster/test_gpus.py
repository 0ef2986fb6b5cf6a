"""Jobs of one machine take its GPUs in turn. The GPUs are names: no job here computes on one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.defaults import ROOT
from whatif.engine.cluster.gpus import VISIBLE, visible

# Takes the GPUs of one job, says so, and ends when its standard input does.
JOB = """
import os, sys
from whatif import benchmarks
from whatif.engine.cluster.gpus import take_gpus
from whatif.engine.errors import WhatifError
graph = benchmarks.graph(benchmarks.load_params())
job = next(job for job in graph.jobs if job.name.startswith(f"evaluate cvqa-synthetic {sys.argv[1]} "))
try:
    take_gpus(job, lambda line: print(line, flush=True))
except WhatifError as error:
    print(error)
print("has", os.environ.get("CUDA_VISIBLE_DEVICES"), flush=True)
sys.stdin.read()
"""
PARAMS = """
seed: 1
benchmarks: [cvqa-synthetic]
models:
  any: {adapter: hf-chat, checkpoint: some/model, device: cuda}
  second: {adapter: hf-chat, checkpoint: some/model, device: "cuda:1"}
  on-cpu: {adapter: hf-chat, checkpoint: some/model}
  none: {adapter: random}
"""


class Jobs:
    """Processes of jobs in a project, with two GPUs by the names 2 and 5."""

    def __init__(self) -> None:
        self.started: list[subprocess.Popen[str]] = []

    def start(self, model: str, **variables: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), VISIBLE: "2,5", **variables}
        job = subprocess.Popen(
            [sys.executable, "-c", JOB, model],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.started.append(job)
        return job


@pytest.fixture
def jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Jobs]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    Path("params.yaml").write_text(PARAMS)
    jobs = Jobs()
    yield jobs
    for job in jobs.started:
        job.communicate()


def line_of(job: subprocess.Popen[str]) -> str:
    assert job.stdout is not None
    return job.stdout.readline().strip()


def end(job: subprocess.Popen[str]) -> None:
    job.communicate()


@pytest.mark.process
def test_each_job_has_a_gpu_of_its_own_and_a_third_waits_for_the_first_that_is_free(jobs: Jobs) -> None:
    first = jobs.start("any")
    assert line_of(first) == "has 2"
    second = jobs.start("any")
    assert line_of(second) == "has 5"
    third = jobs.start("any")
    waits = line_of(third)
    assert waits.startswith("evaluate cvqa-synthetic any part-000-of-002: waiting for a GPU: 2 is used by process ")
    assert f"process {first.pid} on " in waits
    assert f"5 is used by process {second.pid} on " in waits
    second.kill()  # whatever ends a job
    assert line_of(third) == "has 5"


@pytest.mark.process
def test_a_model_that_names_its_gpu_waits_for_that_one(jobs: Jobs) -> None:
    named = jobs.start("second")
    assert line_of(named) == "has 2,5"  # it chooses by its own place
    other = jobs.start("any")
    assert line_of(other) == "has 2"
    again = jobs.start("second")
    assert "waiting for a GPU: 5 is used by process " in line_of(again)
    end(named)
    assert line_of(again) == "has 2,5"


@pytest.mark.process
def test_others_take_none(jobs: Jobs) -> None:
    for model, variables, wanted in [
        ("on-cpu", {}, "has 2,5"),
        ("none", {}, "has 2,5"),
        ("any", {VISIBLE: ""}, "has"),
        ("any", {"SLURM_JOB_ID": "7"}, "has 2,5"),
    ]:
        assert line_of(jobs.start(model, **variables)) == wanted


@pytest.mark.process
def test_several_gpus_for_one_job(jobs: Jobs) -> None:
    Path("slurm").mkdir()
    resources = Path("slurm/resources.yaml")
    resources.write_text("model: {with_gpu: {gpu: 2}}\n")
    both = jobs.start("any")
    assert line_of(both) == "has 2,5"
    waits = jobs.start("any")
    assert "waiting for 2 GPUs: 2 is used by " in line_of(waits)
    end(both)
    assert line_of(waits) == "has 2,5"
    resources.write_text("model: {with_gpu: {gpu: 3}}\n")
    assert line_of(jobs.start("any")) == (
        "evaluate cvqa-synthetic any part-000-of-002: needs 3 GPUs (`gpu` in slurm/resources.yaml), and 2 can be used "
        "here (2, 5); lower it, or run it on a machine that has them"
    )


@pytest.mark.parametrize(
    ("named", "found"),
    [("0,1", ["0", "1"]), (" 3 ", ["3"]), ("GPU-ab12, MIG-cd34", ["GPU-ab12", "MIG-cd34"]), ("", []), ("-1", [])],
)
def test_the_variable_names_what_there_is(named: str, found: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VISIBLE, named)
    assert visible() == found
