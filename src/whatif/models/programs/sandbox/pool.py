"""Runs programs in workers that stand ready."""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Literal

from whatif.engine.params.programs import Limits
from whatif.models.program_runs import Outcome
from whatif.models.programs.interfaces import CallTools, Finished, ToolError
from whatif.models.programs.sandbox.messages import Call, Result, Started, characters, message_of
from whatif.models.programs.sandbox.worker import child, frames
from whatif.models.programs.sandbox.workers import Ended, Worker, WorkerDiedError

_PATIENCE = 5.0  # seconds for the end of a child that was killed
_TRIES = 2
_ESCAPED = 12  # the most bytes of one character in JSON


class _StoppedError(Exception):
    """The end of a program by our side."""

    def __init__(self, outcome: Outcome, reason: str) -> None:
        super().__init__(reason)
        self.finished = Finished(outcome, reason=reason)


class Sandbox:
    """A worker for programs, which starts with the first one; a worker in doubt is replaced at once.

    kind: `bubblewrap`, or `none` for a bare interpreter on a machine that is thrown away. interface: Python source that
    the worker executes once; it may call `call_tool(name, **arguments)` and defines `start()`, whose value is the
    argument of a program's function. checks: whether a static check ends a program that uses what none needs.
    """

    def __init__(
        self, kind: Literal["bubblewrap", "none"], limits: Limits, interface: str, *, checks: bool = True
    ) -> None:
        self._kind, self._limits, self._interface, self._checks = kind, limits, interface, checks
        self._threads: ThreadPoolExecutor | None = None
        self._worker: Worker | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the worker; another `run` starts one again."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None
        if self._threads is not None:
            self._threads.shutdown()
            self._threads = None

    def run(self, code: str, tools: CallTools, *, function: str = "execute_command") -> Finished:
        """Runs a program: its function is called with the value of `start()`.

        Raises WhatifError where no worker can start, and what a tool raises beside ToolError.
        """
        with self._lock:
            for _ in range(_TRIES):
                with contextlib.suppress(WorkerDiedError):  # something outside ended it: the program runs once more
                    return self._once(code, tools, function)
        return Finished("error", reason=f"its worker ended {_TRIES} times without a report")

    def _once(self, code: str, tools: CallTools, function: str) -> Finished:
        worker = self._ready_worker()
        kept = False
        try:
            with worker.program(self._limits.model_dump()) as channel:
                request = {"code": code, "function": function, "checks": self._checks}
                conversation = _Conversation(channel, self._limits, tools)
                finished = conversation.finish(request)
                if conversation.stopped and finished is not None:
                    return finished
                ended = worker.end(_PATIENCE)
            kept = ended.clean
            return finished or _end_of(ended, self._limits, conversation.started)
        finally:
            if not kept:
                self._replace()

    def _ready_worker(self) -> Worker:
        if self._worker is None:
            self._worker = self._start()
        try:
            self._worker.wait()
        except BaseException:
            self.close()
            raise
        return self._worker

    def _start(self) -> Worker:
        self._threads = self._threads or ThreadPoolExecutor(1, "sandbox")
        return Worker(self._kind, self._limits, self._interface, self._threads)

    def _replace(self) -> None:
        if self._worker is not None:
            self._worker.close()
        self._worker = None
        self._worker = self._start()


class _Conversation:
    """The messages with one program; only the time in which we wait for the program counts."""

    def __init__(self, channel: socket.socket, limits: Limits, tools: CallTools) -> None:
        self._channel, self._limits, self._tools = channel, limits, tools
        self._left = limits.seconds
        self._largest = 4096 + 2 * _ESCAPED * 1024 * limits.output_kib
        self.started = self.stopped = False

    def finish(self, request: dict[str, Any]) -> Finished | None:
        """Gives the program, answers its calls; None where it ended without a result."""
        try:
            return self._talk(request)
        except _StoppedError as stop:
            self.stopped = True
            return stop.finished
        except (frames.ClosedError, ConnectionError):
            return None

    def _talk(self, request: dict[str, Any]) -> Finished:
        self._send(request)
        calls = 0
        while True:
            match self._receive():
                case Started():
                    self.started = True
                case Result() as result:
                    self._check_size(result)
                    return Finished(result.outcome, result.value, result.reason, result.printed)
                case Call() as call:
                    calls += 1
                    if calls > self._limits.calls:
                        raise _StoppedError("time", f"more than {self._limits.calls} calls of tools")
                    self._send(self._answer(call))

    def _check_size(self, result: Result) -> None:
        """The worker counts too, but a program may send messages of its own."""
        if max(len(result.printed), characters(result.value)) > self._limits.output_kib * 1024:
            raise _StoppedError("output", f"more than {self._limits.output_kib} KiB of output")

    def _answer(self, call: Call) -> dict[str, Any]:
        try:
            return {"value": self._tools(call.tool, call.arguments)}
        except ToolError as error:
            return {"failed": str(error)}

    def _receive(self) -> Any:
        started = time.monotonic()
        try:
            received = frames.read(lambda size: self._timed(started).recv(size), self._largest)
            return message_of(received)
        except TimeoutError as error:
            raise self._late() from error
        except frames.TooLargeError as error:
            raise _StoppedError("output", str(error)) from error
        except frames.MalformedError as error:
            raise _StoppedError("forbidden", f"it sent {error}") from error
        finally:
            self._left -= time.monotonic() - started

    def _send(self, message: dict[str, Any]) -> None:
        started = time.monotonic()
        try:
            self._timed(started).sendall(frames.pack(message))
        except TimeoutError as error:
            raise self._late() from error
        finally:
            self._left -= time.monotonic() - started

    def _timed(self, started: float) -> socket.socket:
        left = self._left - (time.monotonic() - started)
        if left <= 0:
            raise self._late()
        self._channel.settimeout(left)
        return self._channel

    def _late(self) -> _StoppedError:
        return _StoppedError("time", f"more than {self._limits.seconds:g} s")


def _end_of(ended: Ended, limits: Limits, started: bool) -> Finished:
    """The outcome of a program that ended without a result."""
    outcome: Outcome = "error" if started else "syntax"
    what = "it" if started else "reading the program"
    how = f"signal {-ended.status}" if ended.status < 0 else f"exit status {ended.status}"
    reason = f"{what} ended the interpreter ({how})"
    if ended.status == -getattr(signal, "SIGSYS", 0):
        outcome, reason = "forbidden", "it made a system call that no program may make"
    elif ended.status == -signal.SIGXCPU or ended.cpu_seconds >= limits.cpu_seconds:
        outcome, reason = "time", f"more than {limits.cpu_seconds} s of the processor"
    elif ended.status == -signal.SIGXFSZ:
        outcome, reason = "output", f"a file of more than {limits.file_mib} MiB"
    elif ended.status == child.OUT_OF_MEMORY:
        outcome, reason = "memory", f"more than {limits.memory_mib} MiB of memory"
    elif ended.status == -signal.SIGKILL:
        reason = "it closed its channel, or the system killed it"
    return Finished(outcome, reason=reason)
