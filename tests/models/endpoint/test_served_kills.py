"""Jobs with a served model that are killed: they leave no `transformers serve` behind and lose no answer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.defaults import ROOT
from tests.models.endpoint.served_job import JOB, QUESTIONS, of_server, until_no_process_of_server
from tests.models.endpoint.server import TOKENS, question
from tests.served_model import greedy
from tests.tiny_checkpoints import tiny_llava
from whatif.models.responses.store import ResponseStore

pytestmark = pytest.mark.process

# The signal, and the number of answers after which it comes: 0 is as soon as the server has started.
KILLS = [
    (signal.SIGKILL, 0),
    (signal.SIGKILL, 1),
    (signal.SIGKILL, 6),
    (signal.SIGKILL, 11),
    (signal.SIGKILL, 17),
    (signal.SIGTERM, 20),
]


def started(folder: Path, checkpoint: Path, stops: int) -> subprocess.Popen[str]:
    (folder / "hub").mkdir(exist_ok=True)
    hub = {"HF_HUB_CACHE": str(folder / "hub"), "HF_HUB_OFFLINE": "1"}
    return subprocess.Popen(
        [sys.executable, "-c", JOB, str(checkpoint), str(QUESTIONS), str(stops), str(TOKENS)],
        cwd=folder,
        env={**os.environ, **hub, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def kill(folder: Path, checkpoint: Path, number: int, after: int) -> None:
    """Kills a job after so many answers: its server ends too, and the answers are stored."""
    job = started(folder, checkpoint, max(after, 1))  # it waits there, so it cannot end before it is looked at
    assert job.stdout is not None
    for _ in range(after):
        assert job.stdout.readline().startswith("ok ")
    while not after and len(of_server(checkpoint, job.pid)) < 2:
        assert job.poll() is None
    found = of_server(checkpoint, job.pid)
    assert len(found) == 2, f"a server and its supervisor: {found}"
    job.send_signal(number)
    assert job.wait() == -number
    until_no_process_of_server(checkpoint, job.pid)
    with ResponseStore(folder / "r.sqlite") as store:
        assert sum(store.summary().answers.values()) >= after


def expected(checkpoint: Path) -> list[str]:
    asked = [question(number) for number in range(QUESTIONS)]
    return greedy(checkpoint, [(one.encoded_images()[0], one.prompt) for one in asked], TOKENS)


def test_a_killed_job_leaves_no_server_behind_and_loses_no_answer(tmp_path: Path) -> None:
    checkpoint = tiny_llava(tmp_path / "tiny")
    kill(tmp_path, checkpoint, signal.SIGKILL, 6)
    with ResponseStore(tmp_path / "r.sqlite") as store:
        store.export(tmp_path / "answers.jsonl")
    kept = [json.loads(line)["answer"]["response"] for line in (tmp_path / "answers.jsonl").read_text().splitlines()]
    assert len(kept) >= 6 and set(kept) <= set(expected(checkpoint))


@pytest.mark.soak
def test_a_job_that_is_killed_again_and_again_ends_with_every_answer(tmp_path: Path) -> None:
    checkpoint = tiny_llava(tmp_path / "tiny")
    for number, after in KILLS:
        kill(tmp_path, checkpoint, number, after)
    job = started(tmp_path, checkpoint, 0)
    said, _ = job.communicate()
    assert job.returncode == 0
    assert said.splitlines() == [f"ok {text!r}" for text in expected(checkpoint)]
    assert of_server(checkpoint, job.pid) == []
