"""How a program ran: its text, how it ended, and what its tools were asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

# `ok`: it returned an answer. `syntax`: it cannot be read. `forbidden`: it tried what no program may. `time`, `memory`,
# `output`: it reached a limit. `wrong type`: it returned something that is no answer. `error`: it raised an exception.
Outcome: TypeAlias = Literal["ok", "syntax", "forbidden", "time", "memory", "output", "wrong type", "error"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


@dataclass(frozen=True)
class ToolCall:
    """A call of a tool: its name, its arguments as a JSON object, and what it returned as JSON, both shortened."""

    tool: str
    arguments: str
    value: str


@dataclass(frozen=True)
class ProgramRun:
    """One run of a program.

    code: the program as it ran. fallback: whether it is the one that stands in for a reply without a program.
    sandbox: `bubblewrap` or `none`; `interpreter` for steps, which our interpreter runs; `elsewhere` for a program
    whose result was imported. reason: why, when the outcome is not `ok`, and why a fallback ran. calls: those of the
    tools, in order; only the first ones are kept.
    """

    code: str
    outcome: Outcome
    sandbox: str
    fallback: bool = False
    reason: str | None = None
    calls: tuple[ToolCall, ...] = ()
