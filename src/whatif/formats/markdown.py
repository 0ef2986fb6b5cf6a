"""Small pieces of Markdown that hold any text: as it is, as code, in the cells of a table, and as a block of code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
# Signs that mean something anywhere (an underscore only beside a word), and those that do at the beginning of a line.
_MARKS = re.compile(r"[\\`*\[\]~|$]|(?<!\w)_|_(?!\w)")
_FIRST = re.compile(r"([#+\-=:]|\d+[.)])(?=\s|$|\W)")


class Markdown(str):
    """A text that is Markdown already, which a table takes as it is."""


def plain(text: str) -> Markdown:
    """A text of any origin on one line, which renderers show as it is: no heading, link, picture or HTML."""
    escaped = _MARKS.sub(r"\\\g<0>", " ".join(text.split())).translate(_HTML)
    first = _FIRST.match(escaped)
    return Markdown(f"{escaped[: first.end() - 1]}\\{escaped[first.end() - 1 :]}" if first else escaped)


def code(text: str) -> Markdown:
    """A text of any origin as code on one line, between more backticks than are in it."""
    line = " ".join(text.split())
    marks = "`" * (_longest_run(line) + 1)
    inner = f" {line} " if line[:1] == "`" or line[-1:] == "`" or not line else line
    return Markdown(f"{marks}{inner}{marks}")


def fenced(text: str, language: str) -> list[str]:
    """The lines of a block of code that holds any text, and an empty line; the fence is longer than any in the text."""
    fence = "`" * max(3, _longest_run(text) + 1)
    return [f"{fence}{language}", text, fence, ""]


def table(header: Sequence[str], rows: Iterable[Sequence[Any]], right: str = "") -> list[str]:
    """The lines of a table, and an empty one; `right` has an `r` for each column that is aligned to the right."""
    marks = [Markdown("--:" if place < len(right) and right[place] == "r" else "---") for place in range(len(header))]
    return [_line(header), _line(marks), *map(_line, rows), ""]


def interval(value: float, low: float | None, high: float | None, digits: int = 1) -> str:
    """A number with its interval, `25.1 (22.9 to 27.3)`."""
    bounds = "" if low is None or high is None else f" ({low:.{digits}f} to {high:.{digits}f})"
    return f"{value:.{digits}f}{bounds}"


def _line(cells: Sequence[Any]) -> str:
    return f"| {' | '.join(map(_cell, cells))} |"


def _cell(value: Any) -> str:
    """Numbers with thousands separators, Markdown without what would end the cell, and any other text as it is."""
    if isinstance(value, Markdown):
        return re.sub(r"(?<!\\)\|", r"\\|", value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return plain(str(value))
    return f"{value:,}" if isinstance(value, int) else f"{value:.1f}"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
