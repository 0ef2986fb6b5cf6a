"""Programs that this process starts and that never outlive it, whatever ends it (SIGKILL, too)."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Self

if TYPE_CHECKING:
    import psutil

SECONDS_TO_END = 5.0  # between SIGTERM and SIGKILL, as for the jobs of a run
_SECONDS_OF_SUPERVISOR = 10.0  # for its own start and end, on a busy machine
_SUPERVISOR = Path(__file__).with_name("supervise.py")
# It runs from its file, so that it imports nothing else of this package.
_SUPERVISE = "import runpy, sys; sys.exit(runpy.run_path(sys.argv[1])['main'](sys.argv[2:]))"


class Supervised:
    """A running command with everything that it starts; both outputs go to the file `log`.

    It ends when its block ends, on `stop`, when this object is deleted, and when this process ends. A supervisor, a
    small process of its own, sees to that (`whatif.engine.processes.supervise`). The command gets this process's
    environment and working directory, no input, and no signals of the terminal. No shell reads it.

    Raises OSError when the supervisor cannot be started. A command that cannot be run ends with exit code 126.
    """

    def __init__(self, command: Sequence[str], log: IO[bytes], seconds_to_end: float = SECONDS_TO_END) -> None:
        # -P: the working directory is not searched for modules.
        supervisor = [sys.executable, "-P", "-c", _SUPERVISE, str(_SUPERVISOR), str(os.getpid()), str(seconds_to_end)]
        self._supervisor = subprocess.Popen(
            [*supervisor, *command], stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
        # Also called when Python ends.
        self._end = weakref.finalize(self, _end, self._supervisor, seconds_to_end + _SECONDS_OF_SUPERVISOR)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Ends the command and waits until all its processes are gone; does nothing if it has ended."""
        self._end()

    def exit_code(self, within: float = 0.0) -> int | None:
        """The command's exit code, or None if it has not ended after so many seconds.

        128 plus the signal's number if a signal ended it.
        """
        try:
            code = self._supervisor.wait(within)
        except subprocess.TimeoutExpired:
            return None
        if code < 0:  # somebody killed the supervisor itself
            _kill_session(self._supervisor.pid)
            return 128 - code
        return code

    def processes(self) -> list[psutil.Process]:
        """The living processes of the command; one that is about to end may be missing."""
        return _below(self._supervisor.pid)


def _end(supervisor: subprocess.Popen[bytes], seconds: float) -> None:
    assert supervisor.stdin is not None
    supervisor.stdin.close()
    supervisor.terminate()  # a forked process may still hold the other end of the pipe
    try:
        if supervisor.wait(seconds) >= 0:
            return
    except subprocess.TimeoutExpired:
        for process in _below(supervisor.pid):
            with contextlib.suppress(OSError):
                os.kill(process.pid, signal.SIGKILL)
        supervisor.kill()
        supervisor.wait()
    _kill_session(supervisor.pid)


def _below(supervisor: int) -> list[psutil.Process]:
    import psutil

    with contextlib.suppress(psutil.Error):
        return psutil.Process(supervisor).children(recursive=True)
    return []


def _kill_session(leader: int) -> None:
    """Kills the processes of a session whose leader is gone."""
    import psutil

    for pid in psutil.pids():
        with contextlib.suppress(OSError):
            if pid != os.getpid() and os.getsid(pid) == leader:
                os.kill(pid, signal.SIGKILL)
