"""The language of steps: one call a line, whose value gets a name.

    BOX0=LOC(image=IMAGE,object='dog')
    ANSWER0=COUNT(box=BOX0)
    FINAL_RESULT=RESULT(var=ANSWER0)

The value of an argument is a name from an earlier step, or a text in single or double quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MOST_STEPS = 100
LONGEST_LINE = 2_000  # characters
IMAGE = "IMAGE"  # the name of the whole image
_NAME = r"[A-Za-z_][A-Za-z0-9_]{0,39}"
_LINE = re.compile(rf"({_NAME})\s*=\s*([A-Z_]+)\s*\((.*)\)")
# A quote ends a text only before the next argument or the end, so that a text may contain an apostrophe.
_END = r"(?=\s*(?:,\s*[a-z]+\s*=|$))"
_ARGUMENT = re.compile(rf"\s*([a-z]+)\s*=\s*(?:'(.*?)'{_END}|\"(.*?)\"{_END}|({_NAME}))\s*(,|$)")
_CROPS = ("LEFTOF", "RIGHTOF", "LEFT", "RIGHT", "ABOVE", "BELOW", "FRONTOF", "INFRONTOF", "INFRONT", "AHEAD", "BEHIND")
NAMES, TEXT = "a name", "a text"
ARGUMENTS: dict[str, dict[str, str]] = {
    "LOC": {"image": NAMES, "object": TEXT},
    "COUNT": {"box": NAMES},
    "CROP": {"image": NAMES, "box": NAMES},
    **{f"CROP_{side}": {"image": NAMES, "box": NAMES} for side in _CROPS},
    "VQA": {"image": NAMES, "question": TEXT},
    "EVAL": {"expr": TEXT},
    "RESULT": {"var": NAMES},
}


class StepError(Exception):
    """A program that is not written in steps; the message names the line."""


@dataclass(frozen=True)
class Step:
    """One step: its line, from 1, the name of its value, what it calls with which arguments, and its text."""

    line: int
    target: str
    call: str
    arguments: dict[str, str]
    text: str


def parse_steps(code: str) -> list[Step]:
    """The steps of a program, of which the last one, and no other, is RESULT.

    Empty lines do not count. Raises StepError for anything else that is not a step, for an unknown step, for missing,
    superfluous or wrong arguments, for a name that no earlier step defines, and for too many or too long lines.
    """
    steps: list[Step] = []
    known = {IMAGE}
    for number, line in _lines(code):
        if steps and steps[-1].call == "RESULT":
            raise StepError(f"line {number}: follows RESULT, which must be the last step")
        step = _step(number, line)
        for name, value in step.arguments.items():
            if ARGUMENTS[step.call][name] == NAMES and value not in known:
                raise StepError(f"line {number}: no earlier step defines {value}")
        known.add(step.target)
        steps.append(step)
    if not steps or steps[-1].call != "RESULT":
        raise StepError("the program has no step RESULT at its end")
    return steps


def _lines(code: str) -> Iterator[tuple[int, str]]:
    """The lines that are not empty, with their numbers from 1."""
    found = [(number, line.strip()) for number, line in enumerate(code.splitlines(), 1) if line.strip()]
    if len(found) > MOST_STEPS:
        raise StepError(f"the program has {len(found)} steps; it may have {MOST_STEPS}")
    for number, line in found:
        if len(line) > LONGEST_LINE:
            raise StepError(f"line {number}: has {len(line):,} characters; it may have {LONGEST_LINE:,}")
        yield number, line


def _step(number: int, line: str) -> Step:
    match = _LINE.fullmatch(line)
    if match is None:
        raise StepError(f"line {number}: `{line[:80]}` is no step, such as BOX0=LOC(image=IMAGE,object='dog')")
    target, call, inside = match.groups()
    if call not in ARGUMENTS:
        raise StepError(f"line {number}: there is no step {call}; there are {', '.join(ARGUMENTS)}")
    if target == IMAGE:
        raise StepError(f"line {number}: {IMAGE} is the name of the whole image; give the value another one")
    return Step(number, target, call, _arguments(number, call, inside), line)


def _arguments(number: int, call: str, inside: str) -> dict[str, str]:
    expected = ARGUMENTS[call]
    found: dict[str, str] = {}
    place = 0
    while place < len(inside):
        match = _ARGUMENT.match(inside, place)
        if match is None:
            raise StepError(f"line {number}: cannot read the arguments of {call} at `{inside[place : place + 40]}`")
        name, single, double, named, _ = match.groups()
        if name not in expected or name in found:
            raise StepError(f"line {number}: {call} takes {', '.join(expected)}, each once; it was given {name}")
        if (named is not None) != (expected[name] == NAMES):
            raise StepError(f"line {number}: {name} of {call} must be {_wanted(expected[name])}")
        found[name] = named if named is not None else single if single is not None else double
        place = match.end()
    if lacking := [name for name in expected if name not in found]:
        raise StepError(f"line {number}: {call} lacks {', '.join(lacking)}")
    return found


def _wanted(kind: str) -> str:
    return "the name of an earlier value" if kind == NAMES else "a text in quotes"
