"""All stages of a `dvc repro` in one run of Snakemake: the first stage with a job that is due runs the later ones too.

Jobs of all stages then run side by side, the graph is planned once, and the later stages only have to be recorded.
A job that fails still fails its own stage: the others go on, and each stage ends by whether its own files are there.
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

from whatif.files.atomic import write_whole

_NOTE = Path(".whatif/ahead.json")


@dataclass(frozen=True)
class Ahead:
    """A run of all stages that an earlier stage of this `dvc repro` has made, and whether a job of it failed."""

    failed: bool


def earlier(repro: str | None) -> Ahead | None:
    """What an earlier stage of a `dvc repro` ran (see `owners.whole_repro`); None when there was none."""
    try:
        noted = json.loads(_NOTE.read_text(encoding="utf-8"))
        return Ahead(bool(noted["failed"])) if repro is not None and noted["repro"] == repro else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def run(repro: str, command: Sequence[str]) -> int:
    """Runs Snakemake with all stages and notes it; returns its exit code, 128 and more when a signal ended it.

    Signals that come to this process alone are passed on. The terminal sends Ctrl-C to both.
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
