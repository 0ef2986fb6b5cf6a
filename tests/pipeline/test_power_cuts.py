"""Power cuts: `whatif resume` ends in the bytes of an uninterrupted run. Two runs at once share answers and cache."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.defaults import ROOT
from tests.pipeline.checkouts import A_REPORT, ENTRY_POINTS, Checkout
from tests.pipeline.power_cuts import (
    LONGEST,
    PowerCuts,
    environment,
    job_of,
    kill_session,
    started,
    wait_until,
)
from tests.pipeline.slurm_cluster import slurm, why_not
from whatif.commands.job_server import VARIABLE
from whatif.commands.resume import next_command

pytestmark = [pytest.mark.pipeline, pytest.mark.timeout(3600)]


def tried_out(power_cuts: PowerCuts, number: int) -> None:
    outcome = power_cuts.try_out(f"cut-{number}", power_cuts.planned(number))
    assert outcome.faults == ()
    assert outcome.identical
    assert outcome.asked_again == 0


# One of `dvc repro` with all its processes; in the soak each kind four times.
@pytest.mark.parametrize("number", [pytest.param(n, marks=() if n == 2 else pytest.mark.soak) for n in range(12)])
def test_after_a_cut_the_way_back_ends_as_if_nothing_had_happened(power_cuts: PowerCuts, number: int) -> None:
    tried_out(power_cuts, number)


@pytest.fixture(scope="module")
def power_cuts_on_slurm(power_cuts: PowerCuts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PowerCuts]:
    if reason := why_not():
        pytest.skip(f"needs Slurm: {reason}")
    with slurm(tmp_path_factory.mktemp("slurm")) as cluster:
        yield replace(power_cuts, cluster=cluster)


@pytest.mark.soak
@pytest.mark.parametrize("number", range(8))
def test_after_a_cut_of_a_run_on_slurm_too(power_cuts_on_slurm: PowerCuts, number: int) -> None:
    tried_out(power_cuts_on_slurm, number)


@pytest.mark.soak
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


def nothing_is_touched_while_an_orphan_lives(checkout: Checkout) -> None:
    """Kills a run of Snakemake but for one job, tries to go on, and ends the job; the locks of the run are left."""
    checkout.set(A_REPORT)
    run = started(checkout, ENTRY_POINTS["snakemake"])
    try:
        assert wait_until(lambda: job_of(run), run)
        orphan = job_of(run)
        assert orphan is not None
        orphan.send_signal(signal.SIGSTOP)  # so that it lives as long as this test wants
        run.send_signal(signal.SIGKILL)
        run.wait()
        locks = sorted((checkout.path / ".snakemake/locks").iterdir())
        assert locks
        done = checkout.run("whatif", "resume", check=False)
        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1
        assert "this checkout is in use: process " in done.stderr
        assert f"{orphan.pid}" in done.stderr
        assert " since 20" in done.stderr
        assert sorted((checkout.path / ".snakemake/locks").iterdir()) == locks
    finally:
        kill_session(run)


@pytest.fixture
def no_job_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """No orphan outlives a job server."""
    monkeypatch.setenv(VARIABLE, "no")


@pytest.mark.usefixtures("no_job_server")
def test_while_an_orphan_of_a_killed_run_lives_nothing_is_touched(checkout: Checkout) -> None:
    nothing_is_touched_while_an_orphan_lives(checkout)


@pytest.mark.soak
@pytest.mark.usefixtures("no_job_server")
def test_when_the_orphan_has_ended_the_locks_go_and_the_run_goes_on(checkout: Checkout) -> None:
    nothing_is_touched_while_an_orphan_lives(checkout)
    (checkout.path / ".dvc/tmp/rwlock").write_text(  # of a process whose number somebody else has by now
        f'{{"write": {{"{checkout.path}/data/extract": {{"pid": {os.getpid()}, "cmd": "dvc repro"}}}}, "read": {{}}}}'
    )
    done = checkout.run("whatif", "resume", "--entry-point", "dvc")
    assert "removed Snakemake's lock" in done.stderr
    assert f"removed DVC's locks of process {os.getpid()}" in done.stderr
    assert "continuing: dvc repro" in done.stderr
    assert checkout.run("whatif", "status", "--check").returncode == 0


@pytest.mark.parametrize(
    ("entry_point", "arguments", "last", "wanted"),
    [
        (None, "", "", "dvc repro"),
        (None, "", "dvc repro", "dvc repro"),
        (None, "", "snakemake --cores 8 --profile slurm", "snakemake --cores 8 --profile slurm"),
        ("dvc", "", "snakemake --cores 8", "dvc repro"),
        ("snakemake", "", "", "snakemake --cores all"),
        ("snakemake", "aggregate", "snakemake --cores 8", "snakemake --cores all aggregate"),
        ("snakemake", "-c4", "dvc repro", "snakemake -c4"),
        (None, "--cores 2", "snakemake --cores 8", "snakemake --cores 2"),
    ],
)
def test_it_goes_on_as_the_run_that_was_cut_off(
    entry_point: str | None, arguments: str, last: str, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)  # where DVC is set up
    assert " ".join(next_command(entry_point, tuple(arguments.split()), last.split())) == wanted
