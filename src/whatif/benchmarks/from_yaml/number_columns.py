"""Reads columns of numbers in a CSV as spreadsheets of any country write them: `1234.5`, `1,234.5`, `1.234,5`.

A file has one decimal mark. A column in which every cell is a number with one of both marks, and not with the other,
tells which it is. What can then still be two numbers, such as `1,234`, is not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_SIGN, _EXPONENT = r"[+\-−]?", r"(?:[eE][+-]?[0-9]{1,2})?"
_PLAIN = re.compile(rf"{_SIGN}(?:[0-9]+\.?[0-9]*|\.[0-9]+){_EXPONENT}")
_GROUP_MARKS = " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}'\N{RIGHT SINGLE QUOTATION MARK}"
_LAKHS = r"[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}"
_MOST_DIGITS = 15  # of a whole number; one with more is rounded
Number = int | float


class AmbiguousNumberError(ValueError):
    """What the numbers of a column can be, as the end of `column ...`."""


def _pattern(mark: str, groups: str) -> re.Pattern[str]:
    whole = rf"[1-9][0-9]{{0,2}}([{groups}])[0-9]{{3}}(?:\1[0-9]{{3}})*|[0-9]+" + (f"|{_LAKHS}" if mark == "." else "")
    return re.compile(rf"{_SIGN}(?:(?:{whole})(?:{re.escape(mark)}[0-9]+)?|{re.escape(mark)}[0-9]+){_EXPONENT}")


_WRITTEN = {".": _pattern(".", f",{_GROUP_MARKS}"), ",": _pattern(",", f".{_GROUP_MARKS}")}  # by decimal mark


def number_columns(
    columns: Mapping[str, Sequence[str]], delimiter: str
) -> dict[str, list[Number] | AmbiguousNumberError]:
    """The numbers of those columns of which every cell is one, all whole or none; an error if they are ambiguous.

    `columns` have the cells that are not empty. `delimiter` is that of the file: between commas or tabs, a point is a
    decimal point unless the cell can only be grouped by it.
    """
    marks = {name: found for name, cells in columns.items() if cells and (found := _marks(cells))}
    told = {found for found in marks.values() if len(found) == 1}
    return {name: _numbers(columns[name], found, told, delimiter) for name, found in marks.items()}


def _marks(cells: Sequence[str]) -> str:
    """The decimal marks with which all cells are numbers; `mixed` if each is one with another mark, else empty."""
    if all(map(_PLAIN.fullmatch, cells)):
        return ".," if all(map(_WRITTEN[","].fullmatch, cells)) else "."
    found = "".join(mark for mark, pattern in _WRITTEN.items() if all(map(pattern.fullmatch, cells)))
    return found or ("mixed" if all(any(one.fullmatch(cell) for one in _WRITTEN.values()) for cell in cells) else "")


def _numbers(cells: Sequence[str], marks: str, told: set[str], delimiter: str) -> list[Number] | AmbiguousNumberError:
    if marks == "mixed":
        point, comma = (next(cell for cell in cells if not _WRITTEN[mark].fullmatch(cell)) for mark in ",.")
        return AmbiguousNumberError(f"has {point} and {comma}; use one decimal mark")
    of_file = next(iter(told)) if len(told) == 1 else ""
    if len(marks) == 1:
        if len(told) > 1 and (marks == "," or delimiter == ";"):
            return AmbiguousNumberError(
                f"has {cells[0]}, but another column has the other decimal mark; use one of both"
            )
        mark = marks
    else:
        is_plain = delimiter != ";" and all(map(_PLAIN.fullmatch, cells))
        mark = "." if is_plain and of_file != "," else "" if is_plain else of_file
        unclear = next((cell for cell in cells if _number(cell, ".") != _number(cell, ",")), None)
        if unclear is not None and not mark:
            one, other = (f"{_number(unclear, mark):.15g}" for mark in ".,")
            return AmbiguousNumberError(f"has {unclear}, which can be {one} or {other}; write one of both")
    numbers = [_number(cell, mark or ".") for cell in cells]
    return numbers if all(isinstance(number, int) for number in numbers) else [float(number) for number in numbers]


def _number(cell: str, mark: str) -> Number:
    if cell.isdigit() and len(cell) <= _MOST_DIGITS:  # most cells
        return int(cell)
    kept = "".join(character for character in cell.replace("−", "-") if character in f"0123456789+-eE{mark}")
    plain = kept.replace(mark, ".")
    return int(plain) if re.fullmatch(rf"[+-]?[0-9]{{1,{_MOST_DIGITS}}}", plain) else float(plain)
