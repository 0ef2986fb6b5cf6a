"""Two at once: in one checkout the second stops and says who is first; two checkouts share store and cache."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pipeline.checkouts import ENTRY_POINTS, Checkout
from tests.pipeline.power_cuts import (
    LONGEST,
    PowerCuts,
    environment,
    job_of,
    kill_session,
    log_of,
    started,
    wait_until,
)

pytestmark = [pytest.mark.pipeline, pytest.mark.timeout(3600)]


@pytest.fixture(params=sorted(ENTRY_POINTS))
def busy(request: pytest.FixtureRequest, checkout: Checkout) -> Iterator[tuple[Checkout, subprocess.Popen[bytes]]]:
    """A checkout in which a run by each entry point in turn is held in the middle of a job, and that run."""
    checkout.set({"seed": 7})
    run = started(checkout, ENTRY_POINTS[request.param])
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
    by_dvc = Path(str(run.args[0])).name == "dvc" if isinstance(run.args, list) else False
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


def test_two_checkouts_that_share_answers_and_cache_lose_nothing(
    power_cuts: PowerCuts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unmade = Checkout(power_cuts.folder / "start")
    checkouts = [unmade.copied_to(tmp_path / name) for name in ("one", "two")]
    for checkout in checkouts:
        checkout.run("dvc", "config", "--local", "cache.dir", str(tmp_path / "cache"))
    store = tmp_path / "responses.sqlite"
    runs = [
        subprocess.Popen(
            ENTRY_POINTS["dvc"],
            cwd=checkout.path,
            env={**environment(checkout), "WHATIF_RESPONSES": str(store)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        for checkout in checkouts
    ]
    try:
        for run in runs:
            said, _ = run.communicate(timeout=LONGEST)
            assert run.returncode == 0, said.decode()
    finally:
        for run in runs:
            kill_session(run)
    monkeypatch.setenv("WHATIF_RESPONSES", str(store))
    shown = checkouts[0].run("whatif", "responses", "show").stdout
    assert f" {power_cuts.requests:,} answers" in shown
    for checkout in checkouts:
        wanted = {path: data for path, data in power_cuts.results.items() if path != "dvc.lock"}
        assert checkout.results() == wanted
        shutil.rmtree(checkout.path / "data")
        checkout.run("dvc", "checkout")  # the cache has all of it, whole
        assert checkout.results() == wanted
