"""The job server forks jobs that do what new processes would, and leaves the others to start as such."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from tests.defaults import ROOT
from whatif.commands.job_server import ONE_THREAD, JobServer
from whatif.engine.processes.owners import command_line, command_of

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform != "linux", reason="elsewhere, jobs start as new processes"),
]
_OF_THIS_TEST = "PYTEST_CURRENT_TEST"  # which pytest changes when a test begins
_SMALLEST_PIPE = 4096  # bytes; what `whatif params` prints is more, so that it lives until it is read


@dataclass
class Shells:
    """A project with a running server, and the shells of jobs in it."""

    server: JobServer = field(default_factory=JobServer)
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        own = {name: value for name, value in os.environ.items() if name != _OF_THIS_TEST}
        return {**own, **dict.fromkeys(ONE_THREAD, "1")}

    def start_server(self, source: Path | str) -> None:
        os.environ.pop(_OF_THIS_TEST, None)
        self.server = JobServer()
        self.server.start(f"export PYTHONPATH={source}; ")

    def start(self, command: str, **variables: str) -> subprocess.Popen[bytes]:
        """Starts the shell of a job, whose outputs are read when it ends."""
        shell = subprocess.Popen(
            ["bash", "-c", f"{self.server.shell_function}{command}"],
            env={**self.environment, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        return self.unread(shell)

    def unread(self, shell: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
        assert shell.stdout is not None
        fcntl.fcntl(shell.stdout, fcntl.F_SETPIPE_SZ, _SMALLEST_PIPE)
        self.started.append(shell)
        return shell

    def job(self, shell: subprocess.Popen[bytes]) -> tuple[psutil.Process, bool]:
        """The process of a job that waits to be read, and whether the server forked it."""
        while True:
            time.sleep(0.02)
            for parent in filter(None, (self.server.process, shell)):
                for process in psutil.Process(parent.pid).children() if parent.poll() is None else ():
                    if _runs_whatif(process):
                        return process, parent is not shell

    def stop(self) -> None:
        """Ends the server as the end of its run does."""
        if self.server.process is not None and self.server.process.stdin is not None:
            self.server.process.stdin.close()
            self.server.process.wait()


def _runs_whatif(process: psutil.Process) -> bool:
    return command_of(command_line(process))[:1] == ("whatif",)


@pytest.fixture
def shells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shells]:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    Path("params.yaml").write_text("seed: 1\nbenchmarks: [cvqa-synthetic]\nmodels: {random: {adapter: random}}\n")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    shells = Shells()
    shells.start_server(ROOT / "src")
    yield shells
    shells.stop()
    for shell in shells.started:
        shell.kill()
        shell.communicate()


def ended(shell: subprocess.Popen[bytes]) -> tuple[bytes, bytes, int]:
    said, errors = shell.communicate(timeout=40)
    return said, errors, shell.returncode


def test_a_fork_says_and_returns_what_a_new_process_does(shells: Shells) -> None:
    commands = ["whatif params", "cd .. && whatif params", "whatif params nothing", "whatif --version"]
    forked = [ended(shells.start(command)) for command in commands]
    shells.stop()
    assert forked == [ended(shells.start(command)) for command in commands]
    assert [code for *_, code in forked] == [0, 0, 2, 0]


AT_THE_START = """
import atexit, os, threading, time

def say(word):
    with open("said.txt", "a") as file:
        file.write(word)

def slow():
    time.sleep(0.5)
    say("thread ")

atexit.register(say, "handler ")
os.register_at_fork(after_in_child=lambda: threading.Thread(target=slow).start())
"""


def test_a_fork_waits_for_its_threads_and_calls_exit_handlers(shells: Shells, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(AT_THE_START)
    path = f"{tmp_path}{os.pathsep}{ROOT / 'src'}"
    shells.stop()
    shells.start_server(path)
    shell = shells.start("whatif params", PYTHONPATH=path)
    assert shells.job(shell)[1]
    assert ended(shell)[2] == 0
    assert Path("said.txt").read_text() == "thread handler "


def test_a_job_ends_alone(shells: Shells) -> None:
    killed = shells.start("whatif params")
    job, forked = shells.job(killed)
    assert forked
    job.kill()
    assert ended(killed)[2] == 128 + signal.SIGKILL
    left = shells.start("whatif params")
    job, forked = shells.job(left)
    assert forked
    psutil.Process(left.pid).children()[0].kill()  # the client, of which a job is a part to whoever ends it
    job.wait(100)
    assert ended(shells.start("whatif params"))[2] == 0


def test_a_job_starts_anew_in_another_environment_and_after_the_server(shells: Shells) -> None:
    shell = shells.start("whatif params", PYTHONHASHSEED="1")
    assert not shells.job(shell)[1]
    assert ended(shell)[2] == 0
    shells.stop()
    shell = shells.start("whatif params")
    assert not shells.job(shell)[1]
    assert ended(shell)[2] == 0


def test_a_job_starts_anew_after_an_edit_of_the_code(shells: Shells, tmp_path: Path) -> None:
    source = tmp_path / "src"
    shutil.copytree(ROOT / "src", source)
    shells.stop()
    shells.start_server(source)
    shell = shells.start("whatif params", PYTHONPATH=str(source))
    assert shells.job(shell)[1]
    assert ended(shell)[2] == 0
    with (source / "whatif/engine/errors.py").open("a") as file:
        file.write("# edited\n")
    shell = shells.start("whatif params", PYTHONPATH=str(source))
    assert not shells.job(shell)[1]
    assert ended(shell)[2] == 0


@pytest.mark.soak
def test_the_server_imports_what_a_job_has_imported(shells: Shells) -> None:
    assert shells.server.process is not None
    loaded = Path(f"/proc/{shells.server.process.pid}/maps")
    assert ended(shells.start("whatif params"))[2] == 0
    assert "/scipy/" not in loaded.read_text()
    for _ in range(2):
        assert ended(shells.start("whatif contradictions > contradictions.txt"))[2] == 0
    assert "/scipy/" in loaded.read_text()  # when the second was forked; the server may be at it when the first ends


RUN = """
import sys
from whatif.commands.job_server import JobServer
server = JobServer()
server.start("")
print(server.process.pid, server.shell_function, flush=True)
sys.stdin.read()
"""


@pytest.mark.soak  # five seconds
def test_a_suspended_job_does_not_outlive_its_run(shells: Shells) -> None:
    run = subprocess.Popen(
        [sys.executable, "-c", RUN], env=shells.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert run.stdout is not None
    server, function = run.stdout.readline().split(" ", 1)
    command = ["bash", "-c", f"{function.strip()} whatif params"]
    shell = shells.unread(subprocess.Popen(command, env=shells.environment, stdout=subprocess.PIPE))
    while not (jobs := [*filter(_runs_whatif, psutil.Process(int(server)).children())]):
        time.sleep(0.02)
    (job,) = jobs
    job.suspend()
    run.kill()
    job.wait(100)
    assert ended(shell)[2] == 1
