"""A job with a served model, as a program of its own, and the processes that it starts. Shared by several tests."""

from __future__ import annotations

import time
from pathlib import Path

import psutil

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
from whatif.engine.params.endpoints import ServedModel

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
