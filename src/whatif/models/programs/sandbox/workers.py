"""A worker: a process that runs one program after another, each in a child of its own."""

from __future__ import annotations

import contextlib
import inspect
import os
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.params.programs import Limits
from whatif.models.programs.sandbox import bubblewrap
from whatif.models.programs.sandbox.worker import frames
from whatif.models.programs.sandbox.worker.zygote import main as worker_main

_READY_SECONDS = 60.0
_START = "import sys; sys.path.insert(0, sys.argv[1]); from worker.zygote import main; main(sys.argv[2])"
_REPORT = 4096  # bytes of a report of the worker itself


class WorkerDiedError(Exception):
    """A worker that ended although no program asked for it."""


@dataclass(frozen=True)
class Ended:
    """How the child of a program ended: its exit status (negative: a signal), seconds of the processor."""

    status: int
    cpu_seconds: float
    clean: bool


class Worker:
    """Starts at once, without waiting until it is ready. `threads` makes its process.

    The thread matters: a process that dies with its parent dies with the thread that started it.
    """

    def __init__(self, kind: str, limits: Limits, interface: str, threads: Executor) -> None:
        self._files = contextlib.ExitStack()
        self._errors = self._files.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 (`close` closes it)
        self._scratch = bubblewrap.SCRATCH
        if kind == "none":
            self._scratch = self._files.enter_context(tempfile.TemporaryDirectory(prefix="whatif-program-"))
        self._control, theirs = socket.socketpair()
        self._ready = False
        self._isolated = kind == "bubblewrap"
        self._process: subprocess.Popen[bytes] | None = None
        try:
            with theirs:
                self._process = threads.submit(self._start, theirs.fileno()).result()
            setup = {"interface": interface, "isolated": self._isolated, "file_mib": limits.file_mib}
            self._control.settimeout(_READY_SECONDS)
            with contextlib.suppress(OSError):  # a worker that cannot start says so in `wait`
                self._control.sendall(frames.pack(setup))
        except BaseException:
            self.close()
            raise

    def _start(self, channel: int) -> subprocess.Popen[bytes]:
        code = Path(inspect.getfile(worker_main)).parent
        python = [bubblewrap.interpreter(), "-s", "-P", "-S", "-B", "-c", _START]
        before = bubblewrap.command(code) if self._isolated else []
        folder = "/code" if self._isolated else str(code.parent)
        return subprocess.Popen(
            [*before, *python, folder, self._scratch],
            stdin=channel,  # under a number that is always the same: any other would move what is in memory
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            env={"PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"},
            cwd="/",
            start_new_session=True,  # Ctrl-C reaches our process alone, which then ends the worker
        )

    def wait(self) -> None:
        """Waits until the worker is ready. Raises WhatifError, with what it said, where it cannot start."""
        if self._ready:
            return
        self._control.settimeout(_READY_SECONDS)
        try:
            frames.read(self._control.recv, _REPORT)
        except (frames.ClosedError, OSError) as error:
            message = self._refusal()
            self.close()
            raise WhatifError(message) from error
        self._ready = True

    def _refusal(self) -> str:
        self._errors.seek(0)
        said = self._errors.read().decode("utf-8", "replace").strip().splitlines() or ["it said nothing"]
        message = f"sandbox: the worker did not start: {said[-1]}"
        if said[-1].startswith("bwrap:"):
            message += (
                "; bubblewrap needs user namespaces: let the kernel grant them (`sysctl user.max_user_namespaces`, or "
                "the container's security profile), or set `sandbox: none` on a machine that is thrown away"
            )
        return message

    @contextlib.contextmanager
    def program(self, limits: dict[str, Any]) -> Iterator[socket.socket]:
        """The channel to the child of a new program. Raises WorkerDiedError where there is none."""
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                message = frames.pack(limits)
                try:
                    self._control.settimeout(_READY_SECONDS)
                    size = frames.HEADER.size
                    socket.send_fds(self._control, [message[:size]], [theirs.fileno()])
                    self._control.sendall(message[size:])
                except OSError as error:
                    raise WorkerDiedError from error
            yield ours

    def end(self, patience: float) -> Ended:
        """Ends the program, whatever it does. Raises WorkerDiedError where the worker gives no report in time."""
        self._control.settimeout(patience)
        try:
            self._control.sendall(b"e")
            report = frames.read(self._control.recv, _REPORT)
        except (frames.ClosedError, frames.MalformedError, frames.TooLargeError, OSError) as error:
            raise WorkerDiedError from error
        return Ended(report["status"], report["cpu"], report["clean"])

    def close(self) -> None:
        """Kills the worker, all of its processes, and removes its files."""
        self._control.close()
        if self._process is not None:
            if self._process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._files.close()
