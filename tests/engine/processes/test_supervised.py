"""Programs that end with the process that started them, tested with real processes and each way in which those end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.defaults import ROOT
from whatif.engine.processes.supervised import Supervised

pytestmark = pytest.mark.process

# A server with a worker in its group, one in another session, and one in another session whose parent has ended. Each
# writes its process id; the last one ignores SIGTERM. They wait for ever.
FAMILY = """
import os, signal, subprocess, sys, threading
def wait_as(name):
    with open(f"{sys.argv[1]}/{name}.part", "w") as file:
        file.write(str(os.getpid()))
    os.rename(f"{sys.argv[1]}/{name}.part", f"{sys.argv[1]}/{name}")
    threading.Event().wait()
if os.fork() == 0:
    wait_as("worker")
if os.fork() == 0:
    os.setsid()
    wait_as("elsewhere")
middle = os.fork()
if middle == 0:
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        wait_as("adopted")
    os._exit(0)
os.waitpid(middle, 0)
print("started", flush=True)
wait_as("server")
"""
MEMBERS = ("server", "worker", "elsewhere", "adopted")
# The process that starts it; it holds the file of the log, and ends as the test wants.
JOB = """
import os, sys, threading
from whatif.engine.processes.supervised import Supervised
server = Supervised([sys.executable, "-c", sys.argv[1], sys.argv[2]], open(f"{sys.argv[2]}/log", "wb"), 1.0)
holder = os.fork()  # holds the pipe to the supervisor open
if holder == 0:
    threading.Event().wait()
with open(f"{sys.argv[2]}/holder", "w") as file:
    file.write(str(holder))
sys.stdin.readline()
eval(sys.argv[3])
"""


def until(condition: Callable[[], bool], what: str) -> None:
    """Waits for something that happens as soon as the machine gets to it."""
    ends = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < ends, what
        time.sleep(0.02)


def pids(folder: Path) -> dict[str, int]:
    """The process ids of the server, when all its processes have started."""
    until(lambda: all((folder / name).exists() for name in MEMBERS), "not all processes of the server started")
    return {name: int((folder / name).read_text()) for name in MEMBERS}


def lives(pid: int) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Kills the process that holds the pipe, and what a failing test left behind."""
    yield tmp_path
    for name in ("holder", *MEMBERS):
        with contextlib.suppress(OSError, ValueError):
            os.kill(int((tmp_path / name).read_text()), signal.SIGKILL)


def started(folder: Path, end: str = "None") -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", JOB, FAMILY, str(folder), end],
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGKILL,
        *(pytest.param(n, marks=pytest.mark.soak) for n in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)),
    ],
)
def test_nothing_is_left_when_a_signal_ends_the_process_that_started_it(folder: Path, number: signal.Signals) -> None:
    job = started(folder)
    found = pids(folder)
    until((folder / "holder").exists, "the process did not fork")
    assert all(map(lives, found.values()))
    job.send_signal(number)
    assert job.wait() == -number or number == signal.SIGINT
    until(lambda: not any(map(lives, found.values())), f"{found} outlived the process that started them")


@pytest.mark.parametrize(
    "end",
    [
        "None",
        "os.abort()",
        *(pytest.param(e, marks=pytest.mark.soak) for e in ("sys.exit(3)", "1 / 0", "os._exit(4)", "server.stop()")),
    ],
)
def test_nothing_is_left_however_the_process_ends_by_itself(folder: Path, end: str) -> None:
    job = started(folder, end)
    found = pids(folder)
    job.communicate(b"\n")
    until(lambda: not any(map(lives, found.values())), f"{found} outlived the process that started them")


def test_stop_returns_when_all_processes_have_ended(folder: Path) -> None:
    with (
        (folder / "log").open("wb") as log,
        Supervised([sys.executable, "-c", FAMILY, str(folder)], log, 0.2) as server,
    ):
        found = pids(folder)
        assert {process.pid for process in server.processes()} == set(found.values())
        assert server.exit_code() is None
    assert not any(map(lives, found.values()))
    assert server.exit_code() == 128 + signal.SIGTERM
    assert (folder / "log").read_text() == "started\n"
    server.stop()


def test_it_stops_when_the_object_is_deleted(folder: Path) -> None:
    with (folder / "log").open("wb") as log:
        server = Supervised([sys.executable, "-c", FAMILY, str(folder)], log, 0.2)
    found = pids(folder)
    del server
    assert not any(map(lives, found.values()))


def test_workers_end_with_a_server_that_ends_by_itself(folder: Path) -> None:
    with (folder / "log").open("wb") as log, Supervised([sys.executable, "-c", FAMILY, str(folder)], log) as server:
        found = pids(folder)
        os.kill(found["server"], signal.SIGSEGV)
        assert server.exit_code(60) == 128 + signal.SIGSEGV
        assert not any(map(lives, found.values()))


@pytest.mark.skipif(sys.platform != "linux", reason="the command ends with its supervisor on Linux only")
def test_a_killed_supervisor_takes_the_server_with_it(folder: Path) -> None:
    with (folder / "log").open("wb") as log, Supervised([sys.executable, "-c", FAMILY, str(folder)], log) as server:
        found = pids(folder)
        supervisor = psutil.Process(found["server"]).ppid()
        os.kill(supervisor, signal.SIGKILL)
        until(lambda: not lives(found["server"]), "the server outlived its supervisor")
        assert server.exit_code(60) == 128 + signal.SIGKILL
        until(lambda: not lives(found["worker"]), "a worker of the same session is left")


def test_a_command_that_cannot_be_run(tmp_path: Path) -> None:
    command = tmp_path / "no-program"
    command.write_text("not a script")
    command.chmod(0o755)
    for name, reason in ((str(command), "Exec format error"), (str(tmp_path / "lost"), "No such file or directory")):
        with (tmp_path / "log").open("wb") as log, Supervised([name], log) as server:
            assert server.exit_code(60) == 126
        said = (tmp_path / "log").read_text()
        assert said.startswith(f"{name}: cannot be run: ") and reason in said
        assert said.count("\n") == 1


@pytest.mark.parametrize("code", [0, 7])
def test_the_exit_code_is_that_of_the_command(tmp_path: Path, code: int) -> None:
    command = [sys.executable, "-c", f"raise SystemExit({code})"]
    with (tmp_path / "log").open("wb") as log, Supervised(command, log) as server:
        assert server.exit_code(60) == code
