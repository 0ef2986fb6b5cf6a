"""Reads the rows of CSV and TSV. The header line tells what divides the fields."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from whatif.engine.files.inputs import long_csv_fields

_DELIMITERS = ",;\t"
_QUOTED = re.compile(r'"[^"]*"?')
# The line by which Excel tells the delimiter, also after a spreadsheet has saved it as a row of cells.
_TOLD = re.compile(r'\ufeff?"?sep=([^\r\n"\w])"?[,;\t]*(?:\r\n?|\n)', re.IGNORECASE)


class NotDelimitedError(ValueError):
    """Quotes do not match, or a field is too long; `line` is the first line of the row."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


def delimiter_of(text: str, *, expected: str = "") -> str:
    """The delimiter of fields: the most frequent in the header outside quotes; of equals, comma before semicolon before
    tab.

    A first line `sep=;` tells it instead. `expected` is the delimiter if the header has it at all, as the tab of a TSV.
    """
    if told := _TOLD.match(text):
        return told[1]
    header = _header(text)
    return expected if expected and expected in header else max(_DELIMITERS, key=header.count)


def delimited_rows(text: str, *, expected: str = "") -> Iterator[tuple[int, list[str]]]:
    """The number of its first line, and the fields, of each row that is not empty; the header is the first.

    Blanks around names in the header belong to no name, and a line `sep=;` before it is no row. If the header has a
    blank after a delimiter, blanks after delimiters belong to no field; a quote may follow them.
    Raises NotDelimitedError.
    """
    delimiter = delimiter_of(text, expected=expected)
    is_spaced = f"{delimiter} " in _header(text)
    rest = below_delimiter_line(text)
    line = above = 1 if rest is text else 2
    reader = csv.reader(io.StringIO(rest, newline=""), delimiter=delimiter, skipinitialspace=is_spaced, strict=True)
    is_header = True
    while True:
        try:
            with long_csv_fields():
                fields = next(reader, None)
        except csv.Error as error:
            raise NotDelimitedError(line, str(error)) from error
        if fields is None:
            return
        if fields:
            yield line, [name.strip() for name in fields] if is_header else fields
            is_header = False
        line = reader.line_num + above


def below_delimiter_line(text: str) -> str:
    """The text without a first line such as `sep=;`; the same object if it has none."""
    return text[told.end() :] if (told := _TOLD.match(text)) else text


def _header(text: str) -> str:
    """The line of the header, without what is in quotes."""
    text = below_delimiter_line(text)
    start = len(text) - len(text.lstrip("\r\n"))
    return _QUOTED.sub("", re.split(r"[\r\n]", text[start:].partition("\n")[0], maxsplit=1)[0])
