"""A job of a real Slurm with a served model: the server runs inside the job and ends with it, however that ends."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.defaults import ROOT
from tests.models.endpoint.served_job import JOB, QUESTIONS, of_server, until_no_process_of_server
from tests.models.endpoint.server import TOKENS
from tests.pipeline.slurm_cluster import Cluster, slurm, why_not
from tests.tiny_checkpoints import tiny_llava
from whatif.models.responses.store import ResponseStore

REFUSED = why_not()
pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(bool(REFUSED), reason=f"needs Slurm: {REFUSED}"),
    pytest.mark.timeout(3600),  # another worker may hold Slurm for minutes
]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with slurm(tmp_path_factory.mktemp("slurm")) as running:
        yield running


@pytest.fixture
def submit(cluster: Cluster, tmp_path: Path) -> Callable[[Path, int], str]:
    """Hands in a job that asks its questions and stops for ever after some answers (0: never); returns its id."""
    (tmp_path / "hub").mkdir()
    (tmp_path / "job.py").write_text(JOB, encoding="utf-8")
    environment = {
        "HF_HUB_CACHE": str(tmp_path / "hub"),
        "HF_HUB_OFFLINE": "1",
        "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
    }

    def run(checkpoint: Path, stops: int) -> str:
        words = [sys.executable, "job.py", str(checkpoint), str(QUESTIONS), str(stops), str(TOKENS)]
        settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in environment.items())
        asks = f"env {settings} {shlex.join(words)}"
        given = f"tail -f /dev/null | {asks}"  # input that never comes and never ends
        options = [f"--chdir={tmp_path}", "--output=job.log", "--mem=6000", "--parsable"]
        options.append(f"--wrap={given if stops else asks}")
        return cluster.run("sbatch", *options).strip()

    return run


def until(condition: Callable[[], bool], log: Path) -> None:
    ends = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < ends, log.read_text() if log.exists() else "the job did not begin"
        time.sleep(0.1)


def test_the_server_runs_inside_the_job_and_ends_with_it(
    cluster: Cluster, submit: Callable[[Path, int], str], tmp_path: Path
) -> None:
    checkpoint, log = tiny_llava(tmp_path / "tiny"), tmp_path / "job.log"
    cancelled = submit(checkpoint, 5)
    until(lambda: log.exists() and log.read_text().count("ok ") == 5, log)
    assert len(of_server(checkpoint, 0)) == 2, "a server and its supervisor"
    cluster.run("scancel", cancelled)
    until(lambda: cluster.queue() == [], log)
    until_no_process_of_server(checkpoint, 0)
    with ResponseStore(tmp_path / "r.sqlite") as store:
        kept = sum(store.summary().answers.values())
        assert 5 <= kept < QUESTIONS
    submit(checkpoint, 0)
    until(lambda: cluster.queue() == [], log)
    assert log.read_text().count("ok ") == QUESTIONS
    until_no_process_of_server(checkpoint, 0)
