"""Reads questions about small things inside outlines, and in circles in rows and columns (C-VQA 3.3)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from whatif.models.programs.writers.rules_changes import NotUnderstoodError
from whatif.models.programs.writers.rules_kinds import COLOURS, NUMBERS, number_of, singular

_COLOUR = "|".join(COLOURS)
_N = rf"(\d+|{'|'.join(NUMBERS)})"
_BE = r"(?:was|were|is|are)"
_BEYOND = {"leftmost": "left", "rightmost": "right", "topmost": "top", "bottommost": "bottom"}


@dataclass(frozen=True)
class InOutlines:
    """How many things are inside, or outside, the outlines of a colour.

    `any_colour`: all outlines have this colour now. `removed`: so many of the counted things are gone;
    `emptied`: the colour of the outlines in which nothing is left.
    """

    thing: str
    outline: str
    colour: str
    inside: bool
    any_colour: bool = False
    removed: int = 0
    emptied: str | None = None


@dataclass(frozen=True)
class InContainers:
    """How many things are in all containers, or in the first `number` of them from one `end` of the image.

    `removed`: so many things are gone. `without`: the end and the number of containers that are gone.
    """

    thing: str
    container: str
    end: str | None = None
    number: int = 0
    removed: int = 0
    without: tuple[str, int] | None = None


@dataclass(frozen=True)
class FullestContainer:
    """How many things the container with the most of them has; `without` so many of the fullest."""

    thing: str
    container: str
    without: int = 0


Puzzle: TypeAlias = InOutlines | InContainers | FullestContainer


def read_puzzle(main: str, clause: str) -> Puzzle | None:
    """What a question asks, without its presupposition, and under it; None where it asks for something else.

    `main` and `clause` are in lower case; an empty clause presupposes nothing. Raises NotUnderstoodError where only
    the presupposition is not understood.
    """
    for pattern, puzzle_of in _QUESTIONS.items():
        found = re.fullmatch(pattern, main)
        if found:
            puzzle = puzzle_of(*found.groups())
            return _supposed(puzzle, clause) if clause else puzzle
    return None


def _outlines(thing: str, where: str, colour: str, outline: str) -> InOutlines:
    return InOutlines(singular(thing), singular(outline), colour, where == "inside")


_QUESTIONS: dict[str, Callable[..., Puzzle]] = {
    rf"how many (\w+) (?:are|would be) (inside|outside) (?:the )?({_COLOUR}) (\w+)": _outlines,
    r"how many (\w+) (?:are there|would there be) in all (?:of )?the (\w+) together": lambda thing, container: (
        InContainers(singular(thing), singular(container))
    ),
    rf"how many (\w+) (?:are there|would there be) in the (top|bottom) {_N} (\w+) together": (
        lambda thing, end, number, many: InContainers(singular(thing), singular(many), end, number_of(number) or 0)
    ),
    r"how many (\w+) (?:do|does|would) an? (\w+) contain at most": lambda thing, container: FullestContainer(
        singular(thing), singular(container)
    ),
}


def _supposed(puzzle: Puzzle, clause: str) -> Puzzle:
    if isinstance(puzzle, InOutlines):
        return _supposed_of_outlines(puzzle, clause)
    if isinstance(puzzle, FullestContainer):
        with_most = rf"(?:{_N}|one) of the (\w+) with (?:the )?most (\w+) {_BE} (?:removed|taken away)"
        if found := re.fullmatch(with_most, clause):
            return replace(puzzle, without=number_of(found[1] or "one") or 1)
        raise NotUnderstoodError("the presupposition about the fullest one is not understood")
    found = re.fullmatch(rf"{_N} (\w+) {_BE} (?:removed|taken away)(?: from the \w+)?", clause)
    if found and singular(found[2]) == puzzle.thing and puzzle.end is None:
        return replace(puzzle, removed=number_of(found[1]) or 0)
    ends = rf"the {_N} ({'|'.join(_BEYOND)}) (\w+)(?: and (?:the )?\w+ in them)? {_BE} removed(?: from the \w+)?"
    if found := re.fullmatch(ends, clause):
        return replace(puzzle, without=(_BEYOND[found[2]], number_of(found[1]) or 0))
    raise NotUnderstoodError("the presupposition about the circles is not understood")


def _supposed_of_outlines(puzzle: InOutlines, clause: str) -> InOutlines:
    found = re.fullmatch(rf"all (?:the )?(\w+) {_BE} (?:painted )?({_COLOUR})", clause)
    if found and singular(found[1]) == puzzle.outline and found[2] == puzzle.colour:
        return replace(puzzle, any_colour=True)
    removed = (
        rf"we removed {_N} (\w+) in (?:the )?({_COLOUR}) \w+",
        rf"{_N} (\w+) in (?:the )?({_COLOUR}) \w+ {_BE} removed",
    )
    for pattern in removed:
        found = re.fullmatch(pattern, clause)
        if found and singular(found[2]) == puzzle.thing and found[3] == puzzle.colour and puzzle.inside:
            return replace(puzzle, removed=number_of(found[1]) or 0)
    found = re.fullmatch(rf"all (?:the )?(\w+) in (?:the )?({_COLOUR}) \w+ {_BE} removed", clause)
    if found and singular(found[1]) == puzzle.thing:
        return replace(puzzle, emptied=found[2])
    raise NotUnderstoodError("the presupposition about the outlines is not understood")
