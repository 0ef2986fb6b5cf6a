"""Two runs at once in one checkout: the second one stops and says who is first."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Iterator

import pytest

from tests.pipeline.checkouts import A_REPORT, ENTRY_POINTS, Checkout
from tests.pipeline.power_cuts import LONGEST, job_of, kill_session, log_of, started, wait_until

pytestmark = [pytest.mark.pipeline, pytest.mark.timeout(3600)]


@pytest.fixture
def busy(checkout: Checkout, entry_point: list[str]) -> Iterator[tuple[Checkout, subprocess.Popen[bytes]]]:
    """A checkout in which a run by an entry point is held in the middle of a job, and that run."""
    checkout.set(A_REPORT)
    run = started(checkout, entry_point)
    try:
        assert wait_until(lambda: job_of(run), run), log_of(checkout).read_text()
        job = job_of(run)
        assert job is not None
        job.send_signal(signal.SIGSTOP)
        yield checkout, run
    finally:
        kill_session(run)


def test_the_second_run_in_a_checkout_stops_and_says_who_is_first(
    busy: tuple[Checkout, subprocess.Popen[bytes]],
) -> None:
    checkout, run = busy
    by_dvc = run.args == ENTRY_POINTS["dvc"]
    named = r"this checkout is in use: process \d+ .*since 20\d\d-\d\d-\d\dT[\d:+-]+"
    for second in (ENTRY_POINTS["snakemake"], ["whatif", "resume"]):
        done = checkout.run(*second, check=False)
        assert done.returncode == 1
        lines = [line for line in (done.stdout + done.stderr).splitlines() if "in use" in line]
        assert len(lines) == 1
        assert re.search(named, lines[0])
    done = checkout.run(*ENTRY_POINTS["dvc"], check=False)
    assert done.returncode != 0
    # DVC locks the outputs of a stage while it runs, and says so in words of its own, without since when.
    assert re.search(rf"\(PID {run.pid}\): \S*dvc repro" if by_dvc else named, done.stdout + done.stderr)
    job = job_of(run)
    assert job is not None
    job.send_signal(signal.SIGCONT)
    assert run.wait(LONGEST) == 0, log_of(checkout).read_text()
    assert checkout.run("whatif", "status", "--check").returncode == 0
