"""Which processes end together, tested with real processes: a few lines of Python that call the same functions."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import psutil
import pytest

from tests.defaults import ROOT
from whatif.engine.processes import ending

pytestmark = pytest.mark.process

Start = Callable[..., subprocess.Popen[str]]
SOURCE = ROOT / "src"
# Snakemake during a run: one child as its job, and a main thread that waits.
SNAKEMAKE = """
import subprocess, sys, threading
from whatif.engine.processes import ending
job = None
try:
    ending.end_cleanly(ends_jobs={ends_jobs})
    job = subprocess.Popen(["sleep", "600"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    print(job.pid, flush=True)
    threading.Event().wait()
except SystemExit as error:
    print("tidied up", error.code, flush=True)
    {afterwards}
"""
JOB = """
import threading
from whatif.engine.processes import ending
ending.end_with_parent()
print("began", flush=True)
threading.Event().wait({seconds})
"""


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts Python with some lines; kills what is left at the end, with all its children."""
    begun: list[subprocess.Popen[str]] = []

    def run(lines: str, folder: Path = SOURCE, **variables: str) -> subprocess.Popen[str]:
        environment = {key: value for key, value in os.environ.items() if key not in ("WHATIF_PARENT", "DVC_STAGE")}
        begun.append(
            subprocess.Popen(
                [sys.executable, "-c", lines],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                cwd=folder,
                env={**environment, "PYTHONPATH": str(SOURCE), **variables},
                start_new_session=True,
            )
        )
        return begun[-1]

    yield run
    for process in begun:
        for one in psutil.process_iter():
            try:
                if os.getsid(one.pid) == process.pid:
                    one.kill()
            except (OSError, psutil.Error):
                continue
        process.communicate()


def _gone(process: subprocess.Popen[str]) -> int:
    """The id of an ended process whose parent has not yet collected its exit status."""
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    return process.pid


def _line(process: subprocess.Popen[str]) -> str:
    return _open(process.stdout).readline()


def _rest(stream: IO[str] | None) -> str:
    return _open(stream).read()


def _open(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


def test_a_job_ends_when_the_process_that_runs_it_is_gone(start: Start) -> None:
    parent = start("import time; time.sleep(600)")
    job = start(JOB.format(seconds=600), WHATIF_PARENT=str(parent.pid))
    assert _line(job) == "began\n"
    _gone(parent)
    assert job.wait() == 1
    assert _rest(job.stderr) == "whatif: ends: the run that started this job has ended\n"


def test_a_job_whose_parent_was_gone_before_it_began_ends(start: Start) -> None:
    parent = start("import time; time.sleep(600)")
    number = str(_gone(parent))
    assert start(JOB.format(seconds=600), WHATIF_PARENT=number).wait() == 1
    parent.wait()
    assert start(JOB.format(seconds=600), WHATIF_PARENT=number).wait() == 1


@pytest.mark.parametrize("parent", [None, "", "nobody"])
def test_a_job_that_no_run_started_has_nobody_to_end_with(start: Start, parent: str | None) -> None:
    job = start(JOB.format(seconds=0), **({} if parent is None else {"WHATIF_PARENT": parent}))
    assert job.wait() == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGTERM])
def test_an_interrupted_run_ends_its_jobs_in_one_line(start: Start, number: signal.Signals) -> None:
    run = start(SNAKEMAKE.format(ends_jobs=True, afterwards="job.wait()"))
    job = psutil.Process(int(_line(run)))
    run.send_signal(number)
    assert run.wait() == 0  # only after its job has ended
    assert not job.is_running()
    assert _rest(run.stdout) == f"tidied up {128 + number}\n"
    (line,) = _rest(run.stderr).splitlines()
    assert line.startswith(f"whatif: the run ends: interrupted by {number.name}; ")


def test_a_job_that_does_not_end_when_asked_is_killed(start: Start) -> None:
    run = start(SNAKEMAKE.format(ends_jobs=True, afterwards="job.wait()"))
    job = psutil.Process(int(_line(run)))
    job.suspend()
    run.send_signal(signal.SIGINT)
    assert run.wait() == 0
    assert not job.is_running()


def test_to_press_ctrl_c_again_does_not_cut_the_tidying_up_short(start: Start) -> None:
    again = "import os, signal; os.kill(os.getpid(), signal.SIGINT); job.wait(); print('to its end')"
    run = start(SNAKEMAKE.format(ends_jobs=True, afterwards=again))
    _line(run)
    run.send_signal(signal.SIGINT)
    assert run.wait() == 0
    assert _rest(run.stdout) == "tidied up 130\nto its end\n"


def test_jobs_of_a_cluster_are_left_to_the_executor(start: Start) -> None:
    run = start(SNAKEMAKE.format(ends_jobs=False, afterwards="print(job.poll())"))
    job = psutil.Process(int(_line(run)))
    run.send_signal(signal.SIGINT)
    assert run.wait() == 0
    assert _rest(run.stdout) == "tidied up 130\nNone\n"
    assert job.is_running()
    other = start(SNAKEMAKE.format(ends_jobs=False, afterwards="pass"))
    _line(other)
    other.send_signal(signal.SIGHUP)
    assert other.wait() == -signal.SIGHUP  # as usual: submitted jobs continue


def test_a_run_after_nohup_outlives_its_terminal(start: Start) -> None:
    run = start(
        f"import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n{SNAKEMAKE}".format(
            ends_jobs=True, afterwards="pass"
        )
    )
    _line(run)
    run.send_signal(signal.SIGHUP)
    run.send_signal(signal.SIGTERM)
    run.wait()
    assert _rest(run.stdout) == f"tidied up {128 + signal.SIGTERM}\n"


@pytest.mark.parametrize("when", ["before it began", "while it ran"])
def test_snakemake_ends_with_the_dvc_whose_stage_it_runs_in(start: Start, tmp_path: Path, when: str) -> None:
    first = "print('here', flush=True); sys.stdin.readline()" if when == "before it began" else ""
    (tmp_path / "snakemake.py").write_text(
        f"import sys; {first}\n{SNAKEMAKE.format(ends_jobs=True, afterwards='job and job.wait()')}"
    )
    (tmp_path / ".dvc/tmp").mkdir(parents=True)
    # Like DVC, which records its process, and has a shell between itself and its command.
    dvc = start(
        "import json, os, pathlib, subprocess, sys\n"
        "record = {'write': {'data/extract': {'pid': os.getpid(), 'cmd': 'dvc repro'}}, 'read': {}}\n"
        "pathlib.Path('.dvc/tmp/rwlock').write_text(json.dumps(record))\n"
        "os.environ['DVC_STAGE'] = 'extract'\n"
        "subprocess.run(['sh', '-c', f'{sys.executable} snakemake.py; true'])",
        tmp_path,
    )
    assert dvc.stdin is not None
    assert _line(dvc)
    dvc.kill()
    dvc.wait()
    if when == "before it began":
        dvc.stdin.write("go on\n")
    said, errors = dvc.communicate()  # until no process is left that could write
    assert said.endswith(f"tidied up {128 + signal.SIGUSR1}\n")
    assert errors == "whatif: the run ends: its dvc has ended; finished results are kept, start it again to continue\n"


def test_a_stage_whose_dvc_is_not_known_has_nobody_to_end_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert ending._dvc_of_this_stage() is None
    record = tmp_path / ".dvc/tmp/rwlock"
    record.parent.mkdir(parents=True)
    for text in ("", "{}", "no JSON"):
        record.write_text(text)
        assert ending._dvc_of_this_stage() is None
    record.write_text(f'{{"write": {{"data/extract": {{"pid": {os.getppid()}}}}}}}')
    assert ending._dvc_of_this_stage() == os.getppid()
