"""Runs hostile programs, each followed by a canary program, and says what got out."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any

import psutil

from tests.models.programs.hostile.catalogue import WITNESS, Duration, HostileProgram
from tests.models.programs.hostile.surroundings import Surroundings
from whatif.engine.params.programs import Limits
from whatif.models.programs.interfaces import Finished, ToolError
from whatif.models.programs.sandbox.pool import Sandbox

INTERFACE = """
class Patch:
    def __init__(self, handle):
        self.handle = handle

    def ask(self, question):
        return call_tool("simple_query", patch=self.handle, question=question)


def start():
    return Patch(call_tool("image")["patch"])
"""
LIMITS: Mapping[Duration, Limits] = {
    "short": Limits(seconds=0.3, cpu_seconds=1, memory_mib=128, output_kib=16, file_mib=1, calls=50),
    "long": Limits(seconds=30, cpu_seconds=20, memory_mib=128, output_kib=16, file_mib=1, calls=50),
}
# Plain results of the language and of its modules, which an earlier program may have tried to change.
_CANARY = """
import decimal, math, random, re
def execute_command(patch):
    values = [len([1, 2]), *sorted([3, 1, 2]), 13 + 0, sum(range(5)), "x".upper(), math.sqrt(16), random.random()]
    values += [str(decimal.Decimal(1) / 3), bool(re.compile("a+").match("aaa")), repr({"a": [None, True]})]
    print("canary")
    return [*values, patch.handle, patch.ask("@QUESTION@"), *surroundings()]
def surroundings():
"""
_STATE = """
    import builtins, gc, os, signal, sys
    modules = [name for name in sorted(sys.modules)]
    yield from ("".join(os.listdir(".")), os.getcwd(), ",".join(sorted(globals())), ",".join(sorted(vars(builtins))))
    yield from (",".join(modules), str(sys.path), len(sys.meta_path), len(sys.path_hooks), sys.getrecursionlimit())
    yield from (sys.gettrace() is None, sys.getprofile() is None, gc.isenabled(), str(gc.get_threshold()))
    yield from (len(gc.callbacks), str(signal.getsignal(signal.SIGINT)), str(sys.flags))
    yield from (str(signal.getsignal(signal.SIGXFSZ)), builtins.len is len, type(sys.stdout).__name__)
    yield from (",".join(sorted(Patch.ask.__globals__)), ",".join(str(n) for n in range(32) if _open(n)))
def _open(number):
    import os
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
"""
_PLAIN = [2, 1, 2, 3, 13, 10, "X", 4.0]
_PATIENCE = 20.0  # seconds for the processes of a replaced worker to end
_PROCESSES = 4  # of a sandbox at rest: bubblewrap twice, the zygote, and the process that will serve the next program
_CANARY_TRIES = 20  # under the short limit of time, a busy machine may need more than one


class Tools:
    """Two small tools that remember what they were asked."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []

    def __call__(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """The picture, and an answer that repeats a question. Raises ToolError for anything else."""
        self.calls.append((tool, arguments))
        match tool, arguments:
            case "image", {} if not arguments:
                return {"patch": 0, "box": [0, 0, 64, 64]}
            case "simple_query", {"patch": 0, "question": str(question)} if len(arguments) == 2:
                return f"you asked {question[:40]}"
        raise ToolError("no such tool, or wrong arguments")


@dataclass(frozen=True)
class Attempt:
    """How a hostile program ended; `problems` is empty where it was contained."""

    program: HostileProgram
    finished: Finished
    problems: tuple[str, ...]


class Trial:
    """Two sandboxes, of short and long programs, which stay the same for all programs."""

    def __init__(self, surroundings: Surroundings, *, checks: bool) -> None:
        self._surroundings, self._checks = surroundings, checks
        self._count = 0
        self._before = _own_state()

    def __enter__(self) -> Trial:
        with ExitStack() as stack:
            self._sandboxes = {
                name: stack.enter_context(Sandbox("bubblewrap", limits, INTERFACE, checks=self._checks))
                for name, limits in LIMITS.items()
            }
            self._first = {name: self._canary(name) for name in LIMITS}
            # A zygote forks only after the report of the last program, so that counting at once may miss a process.
            descendants = self._before.descendants + _PROCESSES * len(LIMITS)
            self._ready = replace(_own_state(), descendants=descendants)
            if problems := _differences(self._ready):
                raise AssertionError("; ".join(problems))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def after(self) -> list[str]:
        """What the sandboxes left behind after their end."""
        return _differences(self._before)

    def attempt(self, program: HostileProgram) -> Attempt:
        """Runs a program and then a canary in the same sandbox."""
        tools, limits = Tools(), LIMITS[program.duration]
        code = self._surroundings.fill(program.code)
        finished = self._sandboxes[program.duration].run(code, tools)
        problems = [*self._of_outcome(program, finished), *self._of_contents(finished, tools, limits)]
        problems += self._surroundings.touched()
        canary = self._canary(program.duration)
        if canary != self._first[program.duration]:
            problems.append(f"the next program gave {canary} instead of {self._first[program.duration]}")
        return Attempt(program, finished, (*problems, *_differences(self._ready)))

    def _of_outcome(self, program: HostileProgram, finished: Finished) -> list[str]:
        accepted, found = program.accepted[self._checks], []
        if program.duration == "short":  # a busy machine may need all of it
            accepted = (*accepted, "time")
        if not (finished.reason or "").isprintable():
            found.append(f"control characters in its reason {finished.reason!r}")
        if finished.outcome not in accepted:
            found.append(f"it ended with {finished.outcome} ({finished.reason}); accepted: {', '.join(accepted)}")
        if (finished.outcome == "ok") != (finished.reason is None) or finished.reason == "":
            found.append(f"outcome {finished.outcome} with the reason {finished.reason!r}")
        return found

    def _of_contents(self, finished: Finished, tools: Tools, limits: Limits) -> list[str]:
        found = []
        texts = {"value": finished.value, "printed text": finished.printed, "calls": [*tools.calls, *finished.calls]}
        for name, content in texts.items():
            if WITNESS in str(content):
                found.append(f"its witness is in the {name}: {str(content)[:400]}")
        texts["reason"] = finished.reason
        for name, content in texts.items():
            if self._surroundings.token in str(content):
                found.append(f"a planted secret is in the {name}")
            try:
                size = len(json.dumps(content, allow_nan=False, ensure_ascii=False).encode("utf-8"))
            except (ValueError, TypeError, UnicodeError) as error:
                found.append(f"the {name} cannot be stored: {error}")
            else:
                most = 8192 + 6 * 1024 * limits.output_kib * (limits.calls if name == "calls" else 1)
                if size > most:
                    found.append(f"the {name} has {size} bytes; at most {most} are expected")
        if len(finished.printed) > 1024 * limits.output_kib:
            found.append(f"{len(finished.printed)} printed characters; the limit is {limits.output_kib} KiB")
        return found

    def _canary(self, name: Duration) -> Finished:
        """A harmless program's end; its question is asked only here, so that a foreign answer is seen."""
        for _ in range(_CANARY_TRIES):
            self._count += 1
            question = f"canary {self._count}"
            code = _CANARY.replace("@QUESTION@", question) + ("    return []\n" if self._checks else _STATE)
            finished = self._sandboxes[name].run(code, Tools())
            if finished.outcome != "time":
                break
        if finished.outcome != "ok" or finished.value[: len(_PLAIN)] != _PLAIN:
            raise AssertionError(f"a harmless program ended with {finished}")
        if f"you asked {question}" not in finished.value:
            raise AssertionError(f"a harmless program got another's answer: {finished.value}")
        value = [one for one in finished.value if one != f"you asked {question}"]
        return Finished("ok", value, None, finished.printed)


@dataclass(frozen=True)
class _OwnState:
    """Of our process: its open descriptors, its descendants and its working folder."""

    descriptors: int
    descendants: int
    folder: str


def _own_state() -> _OwnState:
    process = psutil.Process()
    return _OwnState(process.num_fds(), len(process.children(recursive=True)), process.cwd())


def _differences(expected: _OwnState) -> list[str]:
    """What is more than expected once processes had time to end."""
    deadline = time.monotonic() + _PATIENCE
    while (now := _own_state()) != expected and time.monotonic() < deadline:
        time.sleep(0.005)
    return [] if now == expected else [f"our process: {now} instead of {expected}"]
