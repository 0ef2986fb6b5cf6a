"""The messages of a program, read with strict types: whatever a program sends is data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

from whatif.models.program_runs import OUTCOMES, Outcome
from whatif.models.programs.sandbox.worker.frames import MalformedError

_DEPTH = 8
_TEXT = 400  # characters of a reason
_INTEGER_BITS = 64


@dataclass(frozen=True)
class Started:
    """The program was read, and runs now."""


@dataclass(frozen=True)
class Call:
    """A call of a tool."""

    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Result:
    """How a program ended, by its own account."""

    outcome: Outcome
    value: Any
    reason: str | None
    printed: str


Message: TypeAlias = Started | Call | Result


def message_of(received: dict[str, Any]) -> Message:
    """A message of a program. Raises MalformedError for any other form."""
    match received:
        case {"kind": "started"} if len(received) == 1:
            return Started()
        case {"kind": "call", "tool": str(tool), "arguments": dict(arguments)} if len(received) == 3:
            return Call(plain_text(tool), {plain_text(name): _value(one, 0) for name, one in arguments.items()})
        case {"kind": "result", "outcome": "ok", "value": value, "printed": str(printed)} if len(received) == 4:
            return Result("ok", answer(value), None, plain_text(printed))
        case {"kind": "result", "outcome": str(outcome), "reason": str(reason), "printed": str(printed)} if (
            len(received) == 4 and outcome in OUTCOMES and outcome != "ok"
        ):
            known = next(one for one in OUTCOMES if one == outcome)
            return Result(known, None, _reason(reason), plain_text(printed))
    raise MalformedError("a message of unknown form")


def answer(value: Any) -> Any:
    """A result: None, a truth value, a finite number, a text, or a list of these. Raises MalformedError for another."""
    if isinstance(value, list):
        if any(isinstance(one, list | dict) for one in value):
            raise MalformedError("a result that is no answer")
        return [answer(one) for one in value]
    return _value(value, _DEPTH)


def plain_text(text: str) -> str:
    """A text that can be encoded: lone surrogates become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def characters(value: Any) -> int:
    """The size of a result, as the worker counts it: the characters of texts, 8 for any other value."""
    if isinstance(value, list):
        return sum(characters(one) + 1 for one in value)
    return len(value) if isinstance(value, str) else 8


def _reason(text: str) -> str:
    """A reason in one line without control characters, which would reach logs and terminals."""
    shown = "".join(one if one.isprintable() else " " for one in plain_text(text)[:_TEXT])
    return " ".join(shown.split()) or "it gave no reason"


def _value(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return plain_text(value)
    if isinstance(value, list | dict) and depth < _DEPTH:
        if isinstance(value, list):
            return [_value(one, depth + 1) for one in value]
        return {plain_text(name): _value(one, depth + 1) for name, one in value.items()}
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and value.bit_length() <= _INTEGER_BITS:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise MalformedError("a value that no message may hold")
