"""Signals: however a process of a run ends, all below it end too, and the next run makes the right bytes."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time

import psutil
import pytest

from tests.pipeline.checkouts import ENTRY_POINTS, Checkout
from tests.pipeline.power_cuts import job_of, kill_session, log_of, processes, started

pytestmark = [pytest.mark.pipeline, pytest.mark.timeout(3600)]


def test_all_processes_of_an_interrupted_run_end_and_the_next_run_makes_the_right_bytes(
    finished_checkout: Checkout, checkout: Checkout, entry_point: list[str]
) -> None:
    checkout.forget("data/aggregate", "metrics", ".whatif/stash")  # four jobs are due
    # DVC itself ignores SIGINT while a stage runs, and leaves Ctrl-C, which reaches all processes, to the stage.
    said, computed = _interrupted(checkout, entry_point, signal.SIGINT, all_of_them=entry_point == ENTRY_POINTS["dvc"])
    assert not computed
    assert "Traceback" not in said
    failed = [line for line in said.splitlines() if line.startswith(("ERROR", "Error", "RuleException", "whatif: the"))]
    # Whether Snakemake still says that a job failed, and when, depends on which of the processes ends first.
    failed = [line for line in failed if not line.startswith("RuleException")]
    assert failed[0].startswith("whatif: the run ends: interrupted by SIGINT; ")
    assert len(failed) == (2 if entry_point == ENTRY_POINTS["dvc"] else 1)  # DVC says that its stage failed
    said, computed = _interrupted(checkout, entry_point, signal.SIGKILL)
    assert not computed
    checkout.run("whatif", "resume")  # after SIGKILL, Snakemake leaves its lock behind
    assert checkout.results() == finished_checkout.results()


@pytest.mark.soak
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_all_processes_of_a_run_end_when_it_is_asked_to(
    checkout: Checkout, entry_point: list[str], number: signal.Signals
) -> None:
    checkout.forget("data/aggregate", "metrics", ".whatif/stash")
    said, computed = _interrupted(checkout, entry_point, number)
    if entry_point == ENTRY_POINTS["dvc"]:
        assert _lines_of_ours(said) == [
            "whatif: the run ends: its dvc has ended; finished results are kept, start it again to continue"
        ]
    # To Snakemake, SIGTERM means: start no other job, and wait for those that run.
    assert computed == (entry_point == ENTRY_POINTS["snakemake"] and number == signal.SIGTERM), said


def _interrupted(
    checkout: Checkout, command: list[str], number: signal.Signals, *, all_of_them: bool = False
) -> tuple[str, bool]:
    """Sends a signal to the first process of a run, or to `all_of_them`, in the middle of a job.

    Waits until no process is left. Returns what was said from then on, and whether the job came to its end.
    """
    run = started(checkout, command)
    try:
        job = _suspended_job(run)  # or it might end before the signal comes
        assert job is not None, log_of(checkout).read_text()
        before = log_of(checkout).stat().st_size
        (os.killpg if all_of_them else os.kill)(run.pid, number)
        if _is_announced(command, number):
            while b"whatif: the run ends" not in log_of(checkout).read_bytes()[before:]:
                time.sleep(0.01)  # a job that went on at once could come to its end before it is ended
        with contextlib.suppress(psutil.NoSuchProcess):  # the end of the run may have reached it already
            job.resume()
        while run.poll() is None or processes(run):
            time.sleep(0.05)
        return log_of(checkout).read_bytes()[before:].decode(), job.pid in _came_to_their_end(checkout)
    finally:
        kill_session(run)


def _is_announced(command: list[str], number: signal.Signals) -> bool:
    """Whether the run says that it ends while its job is suspended.

    After SIGTERM, Snakemake waits for the job; after SIGKILL, only the job itself is left to notice.
    """
    return command != ENTRY_POINTS["snakemake"] or number in (signal.SIGHUP, signal.SIGINT)


def _suspended_job(run: subprocess.Popen[bytes]) -> psutil.Process | None:
    """A job of the run, suspended; None when the run ended before one was seen."""
    while run.poll() is None:
        with contextlib.suppress(psutil.NoSuchProcess):
            if (job := job_of(run)) is not None:
                job.suspend()
                return job
        time.sleep(0.01)
    return None


def _came_to_their_end(checkout: Checkout) -> set[int]:
    return {entry["pid"] for entry in checkout.logged()}


def _lines_of_ours(said: str) -> list[str]:
    return [line[line.index("whatif: ") :] for line in said.splitlines() if "whatif: " in line]
