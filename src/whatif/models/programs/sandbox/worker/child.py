"""One program in its own process: limits, check, run, and its result as a message."""

from __future__ import annotations

import ast
import builtins
import ctypes
import io
import math
import os
import random
import resource
import sys
from typing import Any, NoReturn

from . import checks, frames, seccomp

CHANNEL = 3  # the only open descriptor beside the three standard ones
OUT_OF_MEMORY = 77  # the exit status of a program that has no memory left to say so
_TEXT = 300  # characters of a reason
_INTEGER_BITS = 64


class OutputLimit(BaseException):
    """More output than a program may give. No handler of `Exception` catches it."""


class Printed(io.TextIOBase):
    """Standard output of a program, kept up to a limit in characters."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.parts: list[str] = []
        self.size = 0

    def write(self, text: str) -> int:
        """Keeps a text. Raises OutputLimit where it does not fit."""
        self.size += len(text)
        if self.size > self.limit:
            self.parts.append(text[: max(0, self.limit - (self.size - len(text)))])
            raise OutputLimit(f"printed more than {self.limit // 1024} KiB")
        self.parts.append(text)
        return len(text)

    def flush(self) -> None:
        """Nothing is held back."""


class Channel:
    """The messages of one program."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def receive(self) -> dict[str, Any]:
        """The next message of our process, which is trusted to be small enough."""
        return frames.read(lambda size: os.read(self.descriptor, size), 1 << 30)

    def send(self, message: dict[str, Any]) -> None:
        """Sends a message."""
        frames.write_all(self.descriptor, frames.pack(message))

    def call_tool(self, name: str, /, **arguments: Any) -> Any:
        """Calls a tool. Raises RuntimeError with the message of a tool that fails."""
        self.send({"kind": "call", "tool": name, "arguments": arguments})
        answer = self.receive()
        if "failed" in answer:
            raise RuntimeError(answer["failed"])
        return answer["value"]


def run(channel: Channel, limits: dict[str, Any], interface: dict[str, Any], libc: ctypes.CDLL | None) -> NoReturn:
    """Runs the program that comes over the channel, sends its result, and ends the process."""
    set_limits(limits)
    sys.setrecursionlimit(1000)
    if libc is not None:
        seccomp.install(os.getpid(), libc)
    request = channel.receive()
    printed = Printed(limits["output_kib"] * 1024)
    sys.stdout = sys.stderr = printed
    spare: list[bytes] = [bytes(1 << 20)]
    try:
        result = _result(channel, request, interface, limits)
    except MemoryError:
        spare.clear()
        result = {"outcome": "memory", "reason": f"more than {limits['memory_mib']} MiB of memory"}
    except OutputLimit as error:
        result = {"outcome": "output", "reason": str(error)}
    except checks.ForbiddenError as error:
        result = {"outcome": "forbidden", "reason": str(error)}
    except BaseException as error:
        result = {"outcome": "error", "reason": describe(error)}
    try:
        channel.send({"kind": "result", "printed": "".join(printed.parts), **result})
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    os._exit(0)


def set_limits(limits: dict[str, Any]) -> None:
    """Limits of this process that it cannot raise again."""
    memory, file = limits["memory_mib"] << 20, limits["file_mib"] << 20
    for kind, soft, hard in (
        (resource.RLIMIT_CPU, limits["cpu_seconds"], limits["cpu_seconds"] + 1),
        (resource.RLIMIT_AS, memory, memory),
        (resource.RLIMIT_FSIZE, file, file),
        (resource.RLIMIT_NOFILE, 32, 32),
        (resource.RLIMIT_NPROC, 0, 0),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        try:
            resource.setrlimit(kind, (soft, hard))
        except (OSError, ValueError):
            if sys.platform == "linux":  # other systems lack some of them
                raise


def _result(
    channel: Channel, request: dict[str, Any], interface: dict[str, Any], limits: dict[str, Any]
) -> dict[str, Any]:
    code, function = request["code"], request["function"]
    try:
        tree = ast.parse(code, "<program>")
        if request["checks"]:
            checks.check(tree)
        compiled = compile(tree, "<program>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        return {"outcome": "syntax", "reason": describe(error)}
    except (RecursionError, MemoryError):
        return {"outcome": "syntax", "reason": "it is too long, or nested too deeply, to be read"}
    del tree
    channel.send({"kind": "started"})
    random.seed(0)
    names = {name: value for name, value in interface.items() if not name.startswith("_") and name != "start"}
    available = checks.reduced_builtins() if request["checks"] else vars(builtins)
    namespace = {**names, "__builtins__": available, "__name__": "program"}
    exec(compiled, namespace)
    if not callable(start := namespace.get(function)):
        return {"outcome": "error", "reason": f"the program defines no function {function}"}
    value = start(interface["start"]())
    if (wrong := wrong_type(value)) is not None:
        return {"outcome": "wrong type", "reason": wrong}
    if _size(value) > limits["output_kib"] * 1024:
        raise OutputLimit(f"returned more than {limits['output_kib']} KiB")
    return {"outcome": "ok", "value": list(value) if isinstance(value, tuple) else value}


def wrong_type(value: object) -> str | None:
    """What is wrong with the type of a result, if anything."""
    if isinstance(value, list | tuple):
        return next((f"a list with {wrong}" for one in value if (wrong := _wrong_single(one)) is not None), None)
    return _wrong_single(value)


def _wrong_single(value: object) -> str | None:
    if isinstance(value, float) and not math.isfinite(value):
        return f"the number {value}"
    if isinstance(value, int) and value.bit_length() > _INTEGER_BITS:
        return f"an integer of more than {_INTEGER_BITS} bits"
    if value is None or type(value) in (bool, int, float, str):
        return None
    return f"a value of type {type(value).__name__[:_TEXT]}"


def _size(value: Any) -> int:
    if isinstance(value, list | tuple):
        return sum(_size(one) + 1 for one in value)
    return len(value) if isinstance(value, str) else 8


def describe(error: BaseException) -> str:
    """Type and message of an exception, shortened; no paths of the worker."""
    name = type.__getattribute__(type(error), "__name__")
    if isinstance(error, SyntaxError):
        return f"{name}: {error.msg} (line {error.lineno})"[:_TEXT]
    try:
        message = str(error)
    except BaseException:
        message = "(its message cannot be read)"
    line = _line(error)
    return f"{name}: {message}"[:_TEXT] + (f" (line {line})" if line else "")


def _line(error: BaseException) -> int | None:
    """The last line of the program itself on the way to the exception."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<program>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
