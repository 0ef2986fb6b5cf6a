"""CSV that people open with a spreadsheet, which runs `=1` and shows a date for `3-4`: such text is marked.

A mark is an apostrophe, with which spreadsheets read a cell as text. Files for other tools are written without marks.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from whatif.engine.files.inputs import long_csv_fields

if TYPE_CHECKING:
    import pandas as pd

# Signs that begin a formula, in full width where the system's language has them, and breaks, after which a cell begins
# again. Apostrophes count, so that a text that already begins like a mark is itself marked, and comes back whole.
_RUN = re.compile(r"'*(?:\s*[=+\-@＝＋－＠]|[\t\r\n])")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?%?|-inf", re.IGNORECASE)
# What a spreadsheet shows as another text: 7 for 007, 1.5 for 1.50, a date for 3-4 or May 2, TRUE for true.
_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?)"
)
_CHANGED = re.compile(
    rf"(?!(?:0|[1-9][0-9]{{0,14}})(?:\.[0-9]{{0,13}}[1-9])?%?$)\.?[0-9][0-9.,:/\-%e ]*(?:[ap]m)?|true|false"
    rf"|{_MONTH}[ .,-]*[0-9]+|[0-9]+[ .-]*{_MONTH}[ .,-]*[0-9]*",
    re.IGNORECASE,
)
_BREAK = "\r\n"


def marked(text: str) -> str:
    """A text as a cell that no spreadsheet runs or shows as another: with an apostrophe before it if one might."""
    return f"'{text}" if _is_taken(text) else text


def unmarked(cell: str) -> str:
    """The text of a cell that `marked` wrote."""
    return cell[1:] if cell.startswith("'") and _is_taken(cell[1:]) else cell


def csv_for_people(rows: Iterable[Iterable[object]]) -> str:
    """Rows as CSV with line ends LF; texts are marked, and numbers are written as they are."""
    return delimited((marked(cell) if isinstance(cell, str) else cell for cell in row) for row in rows)


def frame_for_people(frame: pd.DataFrame, float_format: str | None = None) -> str:
    """A frame as CSV with line ends LF; texts are marked, except those that are numbers, as papers report them."""
    rows = records(frame.to_csv(index=False, lineterminator=_BREAK, float_format=float_format))
    return delimited(map(_marked_unless_number, row) for row in rows)


def delimited(rows: Iterable[Iterable[object]], delimiter: str = ",") -> str:
    """Rows exactly as they are, with line ends LF, for other tools; a cell with any line break is in quotes."""
    lines = _Lines()
    # `csv` puts a cell in quotes for a break that ends lines; with LF alone, a CR in a text would end its line.
    csv.writer(lines, delimiter=delimiter, lineterminator=_BREAK).writerows(rows)
    return "".join(lines)


def rows_of_people(text: str) -> list[dict[str, str]]:
    """The rows of a CSV of `csv_for_people` or `frame_for_people` by column, without marks."""
    names, *rows = ([*map(unmarked, row)] for row in records(text) or [[]])
    return [dict(zip(names, row, strict=False)) for row in rows]


def records(text: str) -> list[list[str]]:
    """The cells of each line of a CSV as they are. Raises csv.Error for a text that is none."""
    with long_csv_fields():
        return list(csv.reader(io.StringIO(text, newline="")))


class _Lines(list[str]):
    def write(self, line: str) -> None:
        self.append(f"{line.removesuffix(_BREAK)}\n")


def _marked_unless_number(cell: str) -> str:
    return cell if _NUMBER.fullmatch(cell) or _CHANGED.fullmatch(cell) else marked(cell)


def _is_taken(text: str) -> bool:
    return bool(_RUN.match(text) or _CHANGED.fullmatch(text.lstrip("'")))
