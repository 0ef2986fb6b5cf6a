"""Decodes label files as text in UTF-8; of other files it says what they are, or which byte is wrong."""

from __future__ import annotations

import codecs
import csv
import io
from pathlib import Path

from whatif.errors import WhatifError
from whatif.files.inputs import long_csv_fields
from whatif.files.well_formed import escaped

DELIMITERS = ",;\t"  # of the fields of a CSV
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

    Raises WhatifError when the file is not a text in UTF-8. It names the line and, in a CSV, the column.
    """
    for start, kind in _OTHER_FILES.items():
        if data.startswith(start):
            raise WhatifError(f"{path}: is {kind}; give {expected} in UTF-8")
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = _with_one_ending(data.decode())
    except UnicodeDecodeError as error:
        before = _with_one_ending(data[: error.start].decode("latin-1"))  # every byte is a character of Latin-1
        line = before.count("\n") + 1
        place = f"line {line}{_column_at_end(before) if is_csv else ''}"
        raise WhatifError(
            f"{path}: {place}: byte {data[error.start]:#04x} is not UTF-8; give {expected} in UTF-8"
        ) from error
    if "\0" in text.partition("\n")[0]:
        raise WhatifError(f"{path}: line 1: has NUL characters, as a text in UTF-16 has; give {expected} in UTF-8")
    return text


def delimiter_of(text: str) -> str:
    """The delimiter of the fields of a CSV, by its header; of equally frequent ones, the first of `DELIMITERS`."""
    header, _, _ = text.partition("\n")
    return max(DELIMITERS, key=header.count)


def _column_at_end(text: str) -> str:
    """The column in which the beginning of a CSV ends, for example `, column comment`; empty if it is not known."""
    try:
        with long_csv_fields():
            names, *rows = csv.reader(io.StringIO(f"{text}.", newline=""), delimiter=delimiter_of(text))
    except (csv.Error, ValueError):
        return ""
    if not rows or len(rows[-1]) > len(names):  # in the header, or beyond it
        return ""
    return f", column {escaped(names[len(rows[-1]) - 1].strip()[:40])}"


def _with_one_ending(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
