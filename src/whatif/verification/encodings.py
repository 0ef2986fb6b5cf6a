"""Decodes label files as text in UTF-8, or as Excel saves a CSV; of others it says what they are, or what is wrong."""

from __future__ import annotations

import codecs
import csv
import io
import sys
from pathlib import Path

from whatif.errors import WhatifError
from whatif.files.csv_reading import below_delimiter_line, delimiter_of
from whatif.files.inputs import long_csv_fields
from whatif.files.well_formed import escaped

_EXCELS = "cp1252"  # the encoding of Excel's "CSV" in Western Europe and America
_MARKS = "\N{EURO SIGN}\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}\N{LEFT DOUBLE QUOTATION MARK}"
_MARKS += (
    "\N{RIGHT DOUBLE QUOTATION MARK}\N{EN DASH}\N{EM DASH}\N{HORIZONTAL ELLIPSIS}\N{NO-BREAK SPACE}\N{DEGREE SIGN}"
)
_CONTROLS = frozenset(map(chr, {*range(32)} - {9, 10, 13}))  # no text of a person contains them
_OTHER_FILES = {  # first bytes -> the kind of file
    b"\xff\xfe": "a text in UTF-16",
    b"\xfe\xff": "a text in UTF-16",
    b"PK\x03\x04": "a spreadsheet (.xlsx) or another zip",
    b"\xd0\xcf\x11\xe0": "a spreadsheet (.xls)",
    b"\x1f\x8b": "compressed by gzip",
    b"PAR1": "a Parquet file",
}


def decoded(path: Path, data: bytes, expected: str, *, is_csv: bool) -> str:
    """The text of a file with line endings LF; `expected` describes the file in messages, with its article.

    A CSV that is not UTF-8 is read in Excel's encoding if its other characters are then letters of words, or common
    marks; a line on standard error says so. Raises WhatifError for other files. It names the line and, in a CSV, the
    column.
    """
    for start, kind in _OTHER_FILES.items():
        if data.startswith(start):
            raise WhatifError(f"{path}: is {kind}; give {expected} in UTF-8")
    is_marked = data.startswith(codecs.BOM_UTF8)
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = _with_one_ending(data.decode())
    except UnicodeDecodeError as error:
        before = _with_one_ending(data[: error.start].decode("latin-1"))  # every byte is a character of Latin-1
        line = before.count("\n") + 1
        place = f"line {line}{_column_at_end(before) if is_csv else ''}"
        if is_csv and not is_marked and (excels := _in_excels(data)) is not None:
            print(f"whatif: {path}: {place}: is not UTF-8; read as Windows-1252, as Excel saves a CSV", file=sys.stderr)
            return excels
        raise WhatifError(
            f"{path}: {place}: byte {data[error.start]:#04x} is not UTF-8; give {expected} in UTF-8"
        ) from error
    if "\0" in text.partition("\n")[0]:
        raise WhatifError(f"{path}: line 1: has NUL characters, as a text in UTF-16 has; give {expected} in UTF-8")
    return text


def _in_excels(data: bytes) -> str | None:
    """The text in Excel's encoding; None if a character that is not ASCII is neither a letter of a word nor a mark."""
    try:
        text = _with_one_ending(data.decode(_EXCELS))
    except UnicodeDecodeError:
        return None
    neighbours = zip(" " + text, text, text[1:] + " ", strict=False)
    likely = (
        character.isascii() or character in _MARKS or (character.isalpha() and (before + after).strip(" ,;\t\n"))
        for before, character, after in neighbours
    )
    mostly_ascii = 3 * sum(not character.isascii() for character in text) <= len(text)
    return text if mostly_ascii and all(likely) and not _CONTROLS & set(text) else None


def _column_at_end(text: str) -> str:
    """The column in which the beginning of a CSV ends, for example `, column comment`; empty if it is not known."""
    try:
        with long_csv_fields():  # not strict: the text may end within quotes
            names, *rows = csv.reader(
                io.StringIO(f"{below_delimiter_line(text)}.", newline=""), delimiter=delimiter_of(text)
            )
    except (csv.Error, ValueError):
        return ""
    if not rows or len(rows[-1]) > len(names):  # in the header, or beyond it
        return ""
    return f", column {escaped(names[len(rows[-1]) - 1].strip()[:40])}"


def _with_one_ending(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
