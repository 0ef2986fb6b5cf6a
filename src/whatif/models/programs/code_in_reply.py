"""Finds the program in the reply of a model, by its text alone.

A reply is never parsed as Python here: a hostile text can crash the parser. Whether a program can be read is decided in
the sandbox.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from whatif.engine.language.reasoning import CUT_OFF, split_reasoning
from whatif.models.programs.interfaces import Language

VERSION = 2  # increase it when a change finds other programs
FUNCTION = "execute_command"
HEADER = f"def {FUNCTION}(image):"
_LONGEST = 40_000  # characters of a reply; 512 tokens have some 2,000
_FENCES = ("```", "~~~")
_PYTHON = ("", "py", "python", "python3")
_TOP_LEVEL = re.compile(r"(?:async )?def ([^\W\d]\w{0,80}) ?\(")
_STATEMENT = re.compile(r"return\b|for |if |while |try:|#|[^\W\d][\w.\[\]]{0,80} ?[-+*/]?= ?\S")
# What an unindented line of a program begins with; any other one is text after the program.
_STARTS = ("def ", "async def ", "class ", "import ", "from ", "@", "#", ")", "]", "}", '"""', "'''", "else", "elif")
_STEP = re.compile(r"[A-Z][A-Z0-9_]{0,40} ?= ?[A-Z][A-Z_]{0,30} ?\(")
_RESULT = re.compile(r"[A-Z][A-Z0-9_]{0,40} ?= ?RESULT ?\(")


@dataclass(frozen=True)
class Found:
    """The program of a reply; None where it has none, and `reason` says so."""

    code: str | None
    reason: str | None = None


def finder_of(language: Language) -> Callable[[str], Found]:
    """The function that finds the program of a language in a reply, after its reasoning."""
    find = python_in if language == "python" else steps_in

    def after_reasoning(reply: str) -> Found:
        _, rest, cut_off = split_reasoning(reply)
        return Found(None, CUT_OFF) if cut_off else find(rest)

    return after_reasoning


def python_in(reply: str) -> Found:
    """The program in Python: a fenced block, a function between texts, or the body that continues a function's header.

    A function with another name gets the name that is called. After a second function of that name, a model has begun
    to answer another question, and the rest is left out.
    """
    if len(reply) > _LONGEST:
        return Found(None, f"the reply has more than {_LONGEST:,} characters")
    text = reply.expandtabs(4).replace("\r\n", "\n")
    lines = _fenced(text)
    if lines is None:
        lines = _between_texts(text.split("\n"))
    lines = _completed(lines)
    names = [match[1] for line in lines if (match := _TOP_LEVEL.match(line))]
    if not names:
        return Found(None, "the reply has no function and no block of code")
    if FUNCTION not in names:
        lines = [*lines, "", "", f"{FUNCTION} = {names[-1]}"]
    return Found("\n".join(_first_answer(lines)).strip("\n") + "\n")


def steps_in(reply: str) -> Found:
    """The steps: all lines with a step, up to the one with the result."""
    if len(reply) > _LONGEST:
        return Found(None, f"the reply has more than {_LONGEST:,} characters")
    steps: list[str] = []
    for line in reply.split("\n"):
        step = line.strip().removeprefix("Program:").strip().strip("`")
        if _STEP.match(step):
            steps.append(step)
        if _RESULT.match(step):
            break
    return Found("\n".join(steps) + "\n") if steps else Found(None, "the reply has no step")


def _fenced(text: str) -> list[str] | None:
    """The lines of the block of code with the function, or of the first one; None if there is no block."""
    blocks: list[list[str]] = []
    fence: str | None = None
    for line in text.split("\n"):
        mark = line.strip()[:3]
        if fence is None and mark in _FENCES:
            fence = mark
            blocks.append([])
            language = line.strip().strip("`~").strip().lower()
            if language not in _PYTHON:
                blocks[-1].append(line.strip().strip("`~"))  # a block on one line, or one in another language
        elif fence is not None and mark == fence:
            fence = None
        elif fence is not None:
            blocks[-1].append(line)
    filled = [block for block in blocks if any(line.strip() for line in block)]
    functions = [block for block in filled if any(_is_answer(line.strip()) for line in block)]
    return next(iter(functions or filled), None)


def _between_texts(lines: list[str]) -> list[str]:
    """The lines from the first one of code, without the text after the program."""
    if _begins_in_a_body(lines):
        return _until_unindented(lines)
    first = next((place for place, line in enumerate(lines) if line.startswith(_STARTS[:4]) or _is_answer(line)), None)
    if first is None:
        return lines
    kept: list[str] = []
    inside = False
    for line in lines[first:]:
        if inside and _is_unindented(line) and not line.startswith(_STARTS):
            break
        inside = inside or _TOP_LEVEL.match(line) is not None
        kept.append(line)
    return kept


def _begins_in_a_body(lines: list[str]) -> bool:
    """Whether the first line is the indented one of a function whose header is in the prompt."""
    first = next((line for line in lines if line.strip()), "")
    return first.startswith(" ") and not first.lstrip().startswith((*_STARTS[:4], *_FENCES))


def _until_unindented(lines: list[str]) -> list[str]:
    end = next((place for place, line in enumerate(lines) if _is_unindented(line)), len(lines))
    return lines[:end]


def _is_unindented(line: str) -> bool:
    return bool(line.strip()) and not line[0].isspace()


def _completed(lines: list[str]) -> list[str]:
    """With the header of the function, where the reply continues a prompt that ends in it."""
    lines = _without_common_indent(lines)
    if any(_TOP_LEVEL.match(line) for line in lines):
        return lines
    body = [line for line in lines if line.strip()]
    returns = any(line.split()[0] in ("return", "return(") for line in body)
    if not body or not returns or not _STATEMENT.match(body[0]):
        return []
    text = "\n".join(lines).strip("\n").split("\n")
    return [HEADER, *(f"    {line}" if line.strip() else "" for line in text)]


def _without_common_indent(lines: list[str]) -> list[str]:
    """The lines moved to the left as far as the first one; later lines keep at least their own text."""
    first = next((line for line in lines if line.strip()), "")
    indent = len(first) - len(first.lstrip(" "))
    return [line[indent:] if not line[:indent].strip() else line.lstrip(" ") for line in lines]


def _first_answer(lines: list[str]) -> list[str]:
    """Without a second function of the same name and what follows it."""
    places = [place for place, line in enumerate(lines) if _is_answer(line)]
    return lines[: places[1]] if len(places) > 1 else lines


def _is_answer(line: str) -> bool:
    match = _TOP_LEVEL.match(line)
    return match is not None and match[1] == FUNCTION
