"""Reads the rows of CSV and TSV. The header line tells what divides the fields."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from whatif.files.inputs import long_csv_fields

_DELIMITERS = ",;\t"
_QUOTED = re.compile(r'"[^"]*"?')


class NotDelimitedError(ValueError):
    """Quotes do not match, or a field is too long; `line` is the first line of the row."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


def delimiter_of(text: str, *, expected: str = "") -> str:
    """The delimiter of fields: the most frequent in the header outside quotes; of equals, comma before semicolon before
    tab.

    `expected` is the delimiter if the header has it at all, as the tab of a TSV.
    """
    header = _header(text)
    return expected if expected and expected in header else max(_DELIMITERS, key=header.count)


def delimited_rows(text: str, *, expected: str = "") -> Iterator[tuple[int, list[str]]]:
    """The number of its first line, and the fields, of each row that is not empty; the header is the first.

    If the header has a blank after a delimiter, blanks after delimiters belong to no field; a quote may follow them.
    Raises NotDelimitedError.
    """
    delimiter = delimiter_of(text, expected=expected)
    is_spaced = f"{delimiter} " in _header(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=is_spaced, strict=True)
    line = 1
    while True:
        try:
            with long_csv_fields():
                fields = next(reader, None)
        except csv.Error as error:
            raise NotDelimitedError(line, str(error)) from error
        if fields is None:
            return
        if fields:
            yield line, fields
        line = reader.line_num + 1


def _header(text: str) -> str:
    """The first line that is not blank, without what is in quotes."""
    start = len(text) - len(text.lstrip("\r\n"))
    return _QUOTED.sub("", re.split(r"[\r\n]", text[start:].partition("\n")[0], maxsplit=1)[0])
