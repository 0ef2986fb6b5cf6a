"""The hostile programs, read from the files in `programs/`.

A file holds one kind of attack. `body` is the text of `execute_command`, `code` that of a whole program, and `python`
an expression of Python that gives such a text. `checked` and `unchecked` list the outcomes that are accepted with and
without the static check. A program that succeeds returns, prints or sends a text with `ESCAPED`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import yaml

from whatif.models.program_runs import OUTCOMES

FOLDER = Path(__file__).parent / "programs"
WITNESS = "ESCAPED"
Duration = Literal["short", "long"]
_KEYS = {"id", "body", "code", "python", "checked", "unchecked", "seconds", "bare"}


@dataclass(frozen=True)
class HostileProgram:
    """One attack.

    code: with the placeholders of `surroundings`. accepted: outcomes by whether the static check is on. duration: which
    time limit it gets; `short` for a program that would run until then. bare: whether it succeeds in a bare interpreter
    without harm, which shows that its witness is a real one.
    """

    id: str
    kind: str
    aim: str
    code: str
    accepted: Mapping[bool, tuple[str, ...]]
    duration: Duration
    bare: bool


def load() -> list[HostileProgram]:
    """All programs, by file and in the order of each file. Raises ValueError for a wrong entry."""
    return [one for path in sorted(FOLDER.glob("*.yaml")) for one in _programs(path)]


def _programs(path: Path) -> list[HostileProgram]:
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [_program(path.name, content, entry) for entry in content["programs"]]


def _program(file: str, content: Mapping[str, Any], entry: Mapping[str, Any]) -> HostileProgram:
    where = f"{file}, {entry.get('id', 'an entry without id')}"
    if unknown := sorted(set(entry) - _KEYS):
        raise ValueError(f"{where}: unknown keys {unknown}; known are {sorted(_KEYS)}")
    accepted = {
        checks: tuple(entry.get(name, content[name])) for checks, name in ((True, "checked"), (False, "unchecked"))
    }
    if wrong := {one for outcomes in accepted.values() for one in outcomes} - set(OUTCOMES):
        raise ValueError(f"{where}: {sorted(wrong)} are no outcomes; known are {', '.join(OUTCOMES)}")
    duration = entry.get("seconds", content.get("seconds", "long"))
    if duration not in get_args(Duration):
        raise ValueError(f"{where}: `seconds` is {duration}; it should be short or long")
    return HostileProgram(
        entry["id"], content["kind"], content["aim"], _code(entry, where), accepted, duration, entry.get("bare", False)
    )


def _code(entry: Mapping[str, Any], where: str) -> str:
    match entry:
        case {"body": str(body)}:
            return "def execute_command(patch):\n" + textwrap.indent(body, "    ")
        case {"code": str(code)}:
            return code
        case {"python": str(expression)}:
            return str(eval(expression, {"__builtins__": {"chr": chr, "range": range}}))
    raise ValueError(f"{where}: it needs one of body, code and python")
