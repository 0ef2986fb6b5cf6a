"""Decodes label files as text in UTF-8, or as spreadsheets save a CSV; of others it says what is wrong with them."""

from __future__ import annotations

import codecs
import csv
import io
import sys
from pathlib import Path

from whatif.engine.errors import WhatifError
from whatif.engine.files.csv_reading import below_delimiter_line, delimiter_of
from whatif.engine.files.inputs import long_csv_fields
from whatif.engine.files.well_formed import escaped
from whatif.people.legacy_encodings import READABLE, encoding_of

_HOW = "Excel: Save As, CSV UTF-8; LibreOffice: character set Unicode (UTF-8); Numbers: Advanced Options"
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

    A CSV that is not UTF-8 is read in the only encoding in which it makes sense (`encoding_of`); a line on standard
    error says so. Raises WhatifError for other files. It names the line and, in a CSV, the
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
        if is_csv and not is_marked and (encoding := encoding_of(data)):
            print(f"whatif: {path}: {place}: is not UTF-8; read as {READABLE[encoding]}", file=sys.stderr)
            return _with_one_ending(data.decode(encoding))
        how = f" ({_HOW})" if is_csv else ""
        raise WhatifError(
            f"{path}: {place}: byte {data[error.start]:#04x} is not UTF-8; give {expected} in UTF-8{how}"
        ) from error
    if "\0" in text.partition("\n")[0]:
        raise WhatifError(f"{path}: line 1: has NUL characters, as a text in UTF-16 has; give {expected} in UTF-8")
    return text


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
