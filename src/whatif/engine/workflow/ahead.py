"""All stages of a `dvc repro` in one run of Snakemake: the first stage with a job that is due runs all later ones too.

Jobs of all stages then run in parallel, the graph is planned only once, and DVC only has to record the later stages.
A failed job still fails its own stage. The other jobs continue, and each stage succeeds if its own files exist.
"""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from whatif.engine.files.atomic import write_whole

_NOTE = Path(".whatif/ahead.json")


@dataclass(frozen=True)
class Ahead:
    """A run of all stages, started by an earlier stage of this `dvc repro`; `failed` if one of its jobs failed."""

    failed: bool


def earlier(repro: str | None) -> Ahead | None:
    """The run that an earlier stage of a `dvc repro` started (see `owners.whole_repro`); None if there was none."""
    try:
        noted = json.loads(_NOTE.read_text(encoding="utf-8"))
        return Ahead(bool(noted["failed"])) if repro is not None and noted["repro"] == repro else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def run(repro: str, command: Sequence[str]) -> int:
    """Runs Snakemake with all stages and records the run; returns its exit code.

    The code is 128 plus the signal number if a signal ended Snakemake. SIGTERM and SIGHUP are forwarded to Snakemake;
    SIGINT is not, because the terminal sends Ctrl-C to both processes.
    """
    with subprocess.Popen(command) as snakemake, _signals_passed_on(snakemake):
        code = snakemake.wait()
    if code in (0, 1):
        write_whole(_NOTE, json.dumps({"repro": repro, "failed": code != 0}).encode(), durable=False)
    return code if code >= 0 else 128 - code


@contextlib.contextmanager
def _signals_passed_on(process: subprocess.Popen[bytes]) -> Iterator[None]:
    def pass_on(number: int, frame: FrameType | None) -> None:
        process.send_signal(number)

    before = {number: signal.signal(number, pass_on) for number in (signal.SIGTERM, signal.SIGHUP)}
    before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
