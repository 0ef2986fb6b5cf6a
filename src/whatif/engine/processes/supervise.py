"""Runs a command only as long as the process that started it lives.

`whatif.engine.processes.supervised` calls `main` in a process of its own, in a new session, because a process that gets
SIGKILL cannot end its children. The supervisor ends the command and everything that it started when standard input is
closed, when the process PARENT is gone, or on SIGTERM, SIGINT or SIGHUP: first SIGTERM, after SECONDS SIGKILL. When the
command ends by itself, what it left behind gets SIGKILL at once. The exit code is that of the command, or 128 plus the
number of the signal that ended it.

On Linux, processes that leave the session are also found (PR_SET_CHILD_SUBREAPER), and the command ends with the
supervisor (PR_SET_PDEATHSIG). Elsewhere, the processes of the session are ended.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import psutil

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36  # from linux/prctl.h
_SECONDS_BETWEEN_LOOKS = 0.2
_CANNOT_RUN = 126  # exit code of shells for a command that cannot be run


def main(arguments: list[str]) -> int:
    """Runs the command of the arguments PARENT SECONDS COMMAND..., and waits for its end; returns the exit code."""
    parent, seconds, command = int(arguments[0]), float(arguments[1]), arguments[2:]
    given, woken = sys.stdin.fileno(), _woken_by(signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    prctl = _prctl()
    prctl(_PR_SET_CHILD_SUBREAPER, 1)

    def end_with_supervisor() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    try:
        # No thread runs here, so the function may run between fork and exec.
        started = subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=end_with_supervisor)  # noqa: PLW1509
    except (OSError, subprocess.SubprocessError) as error:
        print(f"{command[0]}: cannot be run: {error}", file=sys.stderr, flush=True)
        return _CANNOT_RUN
    while started.poll() is None and os.getppid() == parent:
        readable, _, _ = select.select([given, woken], [], [], _SECONDS_BETWEEN_LOOKS)
        # Nothing is ever written to standard input, so it was closed.
        if given in readable or _is_told_to_end(woken):
            break
    _end_all(started, 0.0 if started.poll() is not None else seconds)
    code = started.wait()
    return code if code >= 0 else 128 - code


def _end_all(started: subprocess.Popen[bytes], seconds: float) -> None:
    """Ends the command and all that it started, and collects the exit status of those that have no other parent."""
    kill_from = time.monotonic() + seconds
    told: set[psutil.Process] = set()
    while left := _left(started):
        now_kill = time.monotonic() >= kill_from
        for process in left:
            if now_kill or process not in told:
                told.add(process)
                with contextlib.suppress(psutil.Error):
                    process.send_signal(signal.SIGKILL if now_kill else signal.SIGTERM)
        time.sleep(0.02)


def _left(started: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """The living processes below this one, or in its session, without this one."""
    own = os.getpid()
    started.poll()
    below = {process.pid: process for process in psutil.Process().children(recursive=True)}
    for pid in psutil.pids():
        with contextlib.suppress(OSError, psutil.Error):
            if pid not in below and os.getsid(pid) == own:
                below[pid] = psutil.Process(pid)
    return [process for pid, process in sorted(below.items()) if pid != own and not _is_collected(process, started.pid)]


def _is_collected(process: psutil.Process, started: int) -> bool:
    """Whether a process has ended. Its exit status is collected if it became a child of this process."""
    with contextlib.suppress(psutil.Error):
        if process.status() != psutil.STATUS_ZOMBIE:
            return False
        if process.pid != started:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(process.pid, os.WNOHANG)
    return True


def _woken_by(*numbers: signal.Signals) -> int:
    """A file descriptor that becomes readable on these signals, and when a child ends."""
    reader, writer = os.pipe()
    for end in (reader, writer):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in (*numbers, signal.SIGCHLD):
        signal.signal(number, lambda number, frame: None)
    return reader


def _is_told_to_end(woken: int) -> bool:
    """Whether another signal than SIGCHLD came since the last call."""
    try:
        return any(number != signal.SIGCHLD for number in os.read(woken, 1024))
    except BlockingIOError:
        return False


def _prctl() -> Callable[[int, int], object]:
    """The system call prctl; it does nothing where it does not exist."""
    if sys.platform != "linux":
        return lambda option, value: None
    library = ctypes.CDLL(None, use_errno=True)
    return lambda option, value: library.prctl(option, ctypes.c_ulong(value), 0, 0, 0)
