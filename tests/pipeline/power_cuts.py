"""Kills runs of a tiny project at seeded moments, goes on by `whatif resume`, and says what came of it.

A moment is a state of the work (so many artifacts and answered requests), and half of the time a little later, measured
in the time that one of these took the uninterrupted run: a slow machine is cut at about the same places. What must
hold does not depend on where they are.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import psutil
import pytest

from tests.faulty_proxy import FaultyProxy
from tests.pipeline.checkouts import ENTRY_POINTS, SMALL, Checkout, copy_of_sources
from tests.pipeline.slurm_cluster import AT_ONCE, SNAKEMAKE, Cluster
from whatif.engine.params.base import STAGES
from whatif.engine.processes.owners import command_line, command_of
from whatif.engine.random_streams import stream

KINDS = ("job", "snakemake", "dvc")
ON_SLURM = ("node", "scancel")
LONGEST = 1800  # seconds for one command, on a machine that is busy with something else
COMMANDS = {**ENTRY_POINTS, "slurm": [*SNAKEMAKE, *AT_ONCE]}
_STORE = Path(".whatif/responses.sqlite")


@dataclass(frozen=True)
class Cut:
    """What is killed, in which run, and when: after `after` artifacts and requests, and a `share` of a pause.

    `job` is one job, `snakemake` is Snakemake with its children, `dvc` is `dvc repro` with its children; of a run on
    Slurm, `node` is slurmd with all that runs below it, `scancel` all of its jobs.
    """

    kind: Literal["job", "snakemake", "dvc", "node", "scancel"]
    entry_point: str
    after: int
    share: float


@dataclass(frozen=True)
class Outcome:
    """What a cut did and what was there after the way back; `faults` is empty when all of it is as promised."""

    cut: Cut
    stored: int  # answers in the store when the power came back
    lost: int  # requests sent before the cut whose answer had not been stored
    asked_again: int  # requests sent after it that were answered already
    identical: bool
    faults: tuple[str, ...]


@dataclass
class PowerCuts:
    """A tiny project, what an uninterrupted run makes of it, and the cuts. `proxy` counts what models are asked.

    With a `cluster`, all cuts are of runs on it.
    """

    folder: Path
    proxy: FaultyProxy
    checkpoint: Path
    cluster: Cluster | None = None
    results: dict[str, bytes] = field(default_factory=dict)
    requests: int = 0
    pause: float = 0.0  # seconds that one artifact or request takes

    def prepare(self) -> None:
        """Makes the project and runs it without interruption, by `dvc repro`."""
        start = Checkout(self.folder / "start")
        start.path.mkdir(parents=True)
        copy_of_sources(start.path)
        start.set(SMALL | self._parameters())
        start.run("git", "init", "--quiet", "--initial-branch", "main")
        start.commit("a project")
        whole = self._copy("whole")
        began = time.monotonic()
        _run(whole, ENTRY_POINTS["dvc"])
        self.results = _results(whole)
        self.requests = len(self.proxy.log)
        assert len(_stored(whole)) == self.requests > 0
        self.pause = (time.monotonic() - began) / (self.requests + len(_artifacts(whole)))

    def planned(self, number: int) -> Cut:
        """The cut of this number: each kind in turn, the rest by chance.

        Half of them come the moment that an artifact or a request does, so that some fall between two requests.
        """
        generator = stream(0, "power-cut", number)
        kinds = ON_SLURM if self.cluster else KINDS
        kind = kinds[number % len(kinds)]
        steps = self.requests + sum(path.endswith(".parquet") for path in self.results)
        entry_points = {"dvc": ("dvc",), **dict.fromkeys(ON_SLURM, ("slurm",))}
        return Cut(
            kind,
            str(generator.choice(entry_points.get(kind, ("dvc", "snakemake")))),
            int(generator.integers(steps)),
            float(generator.choice([0.0, generator.uniform(0, 2)])),
        )

    def try_out(self, name: str, cut: Cut) -> Outcome:
        """Runs a copy of the project, cuts it, and goes on; a cut that came after the end is made earlier."""
        while True:
            checkout = self._copy(name)
            try:
                outcome = self._try_out(checkout, cut)
            finally:
                shutil.rmtree(checkout.path.parent)
            if outcome is not None:
                return outcome
            cut = replace(cut, after=cut.after // 2, share=cut.share / 2)

    def _try_out(self, checkout: Checkout, cut: Cut) -> Outcome | None:
        before = len(self.proxy.log)
        run = started(checkout, COMMANDS[cut.entry_point])
        try:
            self._wait_for_the_moment(run, checkout, before, cut)
            if cut.kind in ON_SLURM:
                counts = self._cut_on_slurm(run, checkout, before, cut.kind)
            else:
                counts = self._counts(checkout, before) if _kill(run, cut.kind) else None
        finally:
            kill_session(run)
        if counts is None:
            return None
        stored, sent = counts
        resumed = _run(checkout, ["whatif", "resume"], check=False)
        asked = len(self.proxy.log) - before - sent
        faults = [] if resumed.returncode == 0 else [f"whatif resume ended with {resumed.returncode}: {resumed.stderr}"]
        results = _results(checkout)
        # Through Snakemake no dvc.lock is written.
        different = sorted(
            path
            for path in {*results, *self.results}
            if results.get(path) != self.results.get(path) and (path != "dvc.lock" or cut.entry_point == "dvc")
        )
        faults += [f"{path}: not as in an uninterrupted run" for path in different]
        faults += [f"{path}: was left behind" for path in _left_behind(checkout)]
        again = asked - (self.requests - stored)
        if again:
            faults.append(f"{asked} requests after the cut, {self.requests - stored} answers were missing")
        return Outcome(cut, stored, sent - stored, again, not different, tuple(faults))

    def _cut_on_slurm(
        self, run: subprocess.Popen[bytes], checkout: Checkout, before: int, kind: str
    ) -> tuple[int, int] | None:
        """Cuts jobs off and waits until the run, which hands each in once more, has ended; None when it had before."""
        assert self.cluster is not None
        if not wait_until(self.cluster.running, run):
            return None
        with self.cluster.held():  # so that none begins before it was counted what these have done
            if kind == "node":
                self.cluster.kill_node()
            else:
                self.cluster.run("scancel", "--user=root", "--state=RUNNING")
                while self.cluster.running():
                    time.sleep(0.1)
            counts = self._counts(checkout, before)
            if kind == "node":
                self.cluster.start_node()
        run.wait(LONGEST)
        return counts

    def _counts(self, checkout: Checkout, before: int) -> tuple[int, int]:
        """Answers stored and requests sent, when nothing is on its way any more."""
        self._wait_for_late_requests()
        return len(_stored(checkout)), len(self.proxy.log) - before

    def _wait_for_the_moment(self, run: subprocess.Popen[bytes], checkout: Checkout, before: int, cut: Cut) -> None:
        while len(_artifacts(checkout)) + len(self.proxy.log) - before < cut.after and run.poll() is None:
            time.sleep(0.01)
        time.sleep(cut.share * self.pause)

    def _wait_for_late_requests(self) -> None:
        """Requests that were on their way when their sender was killed."""
        seen = -1
        while seen != len(self.proxy.log):
            seen = len(self.proxy.log)
            time.sleep(0.5)

    def _copy(self, name: str) -> Checkout:
        checkout = Checkout(self.folder / name / "project")
        checkout.path.parent.mkdir()  # for the log, beside it
        shutil.copytree(self.folder / "start", checkout.path, symlinks=True)
        return checkout

    def _parameters(self) -> dict[str, Any]:
        served = {
            "adapter": "api",
            "model": str(self.checkpoint),
            "base_url": self.proxy.base_url,
            "key_variable": "TEST_API_KEY",
            "max_new_tokens": 2,
            "timeout_seconds": 120.0,
        }
        return {
            "generate.cvqa-synthetic.puzzles_per_template": 2,
            "models.majority": None,
            "models.first-option": None,
            "models.served": served,
        }


@pytest.fixture(scope="session")
def power_cuts(served: tuple[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[PowerCuts]:
    """The tiny project, run once without interruption. Tests work on copies of it."""
    address, checkpoint = served
    with FaultyProxy(address) as proxy:
        made = PowerCuts(tmp_path_factory.mktemp("power-cuts"), proxy, checkpoint)
        made.prepare()
        yield made


def environment(checkout: Checkout) -> dict[str, str]:
    """In which commands run with the code of the checkout and a store of its own."""
    own = {"TEST_API_KEY": "sk-test", "NO_PROXY": "127.0.0.1"}
    return {name: value for name, value in checkout.environment.items() if name != "WHATIF_RESPONSES"} | own


def started(checkout: Checkout, command: list[str]) -> subprocess.Popen[bytes]:
    """A run that goes on beside the caller, in a session of its own; `log_of` has what it says."""
    with log_of(checkout).open("wb") as log:
        return subprocess.Popen(
            command,
            cwd=checkout.path,
            env=environment(checkout),
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def log_of(checkout: Checkout) -> Path:
    """Where a run that was started says what it says."""
    return checkout.path.parent / "run.log"


def processes(run: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """The living processes of the session that `run` leads, orphans included."""
    found = []
    for process in psutil.process_iter():
        try:
            if os.getsid(process.pid) == run.pid and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (OSError, psutil.Error):
            continue
    return found


def job_of(run: subprocess.Popen[bytes]) -> psutil.Process | None:
    """A job of the run: a process that runs `whatif STAGE`; `whatif make`, which becomes Snakemake, is none."""
    return next((process for process in processes(run) if _is_job(_words(process))), None)


def _is_job(words: tuple[str, ...]) -> bool:
    return words[:1] == ("whatif",) and words[1:2] != () and words[1] in STAGES


def kill_session(run: subprocess.Popen[bytes]) -> None:
    """Kills whatever is left of a run, at once."""
    while left := [process for process in processes(run) if process.pid != run.pid or run.poll() is None]:
        for process in left:
            _send(process, signal.SIGKILL)
        run.poll()
        time.sleep(0.01)


def wait_until(condition: Callable[[], object], run: subprocess.Popen[bytes]) -> bool:
    """Waits until a condition holds; false when the run ended before."""
    while not condition():
        if run.poll() is not None:
            return False
        time.sleep(0.01)
    return True


def _kill(run: subprocess.Popen[bytes], kind: str) -> bool:
    """Kills what a cut of this kind kills, and waits for the rest to end; false when the run had ended well before."""
    if run.poll() == 0:
        return False
    if kind != "dvc":
        find = _job_of if kind == "job" else _of_snakemake
        while not (victims := find(run)) and run.poll() is None:
            time.sleep(0.01)
        for victim in victims:
            _send(victim, signal.SIGKILL)
        return run.wait(LONGEST) != 0  # what is left of it ends by itself
    kill_session(run)
    return run.wait(LONGEST) != 0


def _job_of(run: subprocess.Popen[bytes]) -> list[psutil.Process]:
    return [job] if (job := job_of(run)) else []


def _of_snakemake(run: subprocess.Popen[bytes]) -> list[psutil.Process]:
    mains = [process for process in processes(run) if _program(process) == "snakemake"]
    try:
        return [*mains, *(child for main in mains for child in main.children(recursive=True))]
    except psutil.Error:
        return mains


def _program(process: psutil.Process) -> str:
    return next(iter(_words(process)), "")


def _words(process: psutil.Process) -> tuple[str, ...]:
    """dvc, snakemake or whatif, if a process runs it, and its arguments; empty for any other."""
    return command_of(command_line(process))


def _send(process: psutil.Process, number: signal.Signals) -> None:
    try:
        process.send_signal(number)
    except psutil.Error:
        return


def _run(checkout: Checkout, command: list[str], *, check: bool = True) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command,
        cwd=checkout.path,
        env=environment(checkout),
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    assert not check or done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done


def _results(checkout: Checkout) -> dict[str, bytes]:
    lock = checkout.path / "dvc.lock"
    return checkout.results() | ({"dvc.lock": lock.read_bytes()} if lock.exists() else {})


def _artifacts(checkout: Checkout) -> list[Path]:
    return list(checkout.path.glob("data/**/*.parquet"))


def _stored(checkout: Checkout) -> set[str]:
    """The keys of the store's answers, read from a copy: whoever opens the file itself mends it."""
    with tempfile.TemporaryDirectory() as folder:
        for file in checkout.path.glob(f"{_STORE}*"):
            shutil.copy(file, folder)
        copy = Path(folder) / _STORE.name
        if not copy.exists():
            return set()
        connection = sqlite3.connect(copy)
        try:
            return {key for (key,) in connection.execute("SELECT key FROM responses")}
        except sqlite3.OperationalError:  # cut off before the table was made
            return set()
        finally:
            connection.close()


def _left_behind(checkout: Checkout) -> list[str]:
    places = [*checkout.path.rglob("*.tmp"), *checkout.path.glob(".whatif/*-journal")]
    places += [*checkout.path.glob(".snakemake/locks/*"), *checkout.path.glob(".snakemake/incomplete/*")]
    rwlock = checkout.path / ".dvc/tmp/rwlock"
    if rwlock.exists() and rwlock.read_text() not in ("", "{}"):
        places.append(rwlock)
    return sorted(str(place.relative_to(checkout.path)) for place in places)
