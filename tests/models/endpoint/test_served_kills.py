"""Jobs with a served model that are killed: they leave no `transformers serve` behind and lose no answer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.defaults import ROOT
from tests.models.endpoint.server import TOKENS, question
from tests.served_model import greedy
from tests.tiny_checkpoints import tiny_llava
from whatif.models.responses.store import ResponseStore

pytestmark = pytest.mark.process

QUESTIONS = 24
# Asks with a store, four at once. It prints a line for each answer, and stops asking for more after some answers until
# it is told to continue: a kill then comes in the middle of other requests.
JOB = """
import sys
from pathlib import Path
from tests.models.endpoint.server import question
from whatif.models import load
from whatif.models.responses.store import ResponseStore
from whatif.models.responses.stored import stored
from whatif.params.models import ServedModel

checkpoint, many, stops = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
program = Path(sys.executable).with_name("transformers")
settings = ServedModel(
    adapter="served",
    command=f"{program} serve {{checkpoint}} --device cpu",
    checkpoint=checkpoint,
    max_new_tokens=int(sys.argv[4]),
    concurrency=4,
)
with ResponseStore(Path("r.sqlite")) as store:
    answers = stored(load("served", settings, 0), store).answer([question(number) for number in range(many)])
    for number, answer in enumerate(answers):
        print(answer.status, repr(answer.response), flush=True)
        if number + 1 == stops:
            sys.stdin.readline()
"""
# The signal, and the number of answers after which it comes: 0 is before the server answers.
KILLS = [
    (signal.SIGKILL, 0),
    (signal.SIGKILL, 1),
    (signal.SIGKILL, 6),
    (signal.SIGKILL, 11),
    (signal.SIGKILL, 17),
    (signal.SIGTERM, 20),
]


def of_server(checkpoint: Path, job: int) -> list[psutil.Process]:
    """The processes that serve the checkpoint, and their supervisor."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        command = " ".join(process.info["cmdline"] or [])
        if f" serve {checkpoint} " in command and process.pid != job and process.info["status"] != "zombie":
            found.append(process)
    return found


def until_no_process_of_server(checkpoint: Path, job: int) -> None:
    ends = time.monotonic() + 60
    while left := of_server(checkpoint, job):
        assert time.monotonic() < ends, f"left behind: {left}"
        time.sleep(0.05)


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


def test_killed_jobs_leave_no_server_behind_and_lose_no_answer(tmp_path: Path) -> None:
    checkpoint = tiny_llava(tmp_path / "tiny")
    for number, after in KILLS:
        job = started(tmp_path, checkpoint, after)
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
        with ResponseStore(tmp_path / "r.sqlite") as store:
            assert sum(store.summary().answers.values()) >= after
    job = started(tmp_path, checkpoint, 0)
    said, _ = job.communicate()
    assert job.returncode == 0
    asked = [question(number) for number in range(QUESTIONS)]
    expected = greedy(checkpoint, [(one.encoded_images()[0], one.prompt) for one in asked], TOKENS)
    assert said.splitlines() == [f"ok {text!r}" for text in expected]
    assert of_server(checkpoint, job.pid) == []
