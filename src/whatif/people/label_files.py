"""Reads CSV files that people filled in and saved with a spreadsheet: rows with their line numbers."""

from __future__ import annotations

import codecs
import csv
import io
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whatif.engine.errors import WhatifError
from whatif.engine.files.cells import Damage, checked_row, damage_in, raw_row
from whatif.engine.files.csv_reading import NotDelimitedError, below_delimiter_line, delimited_rows, delimiter_of
from whatif.engine.files.csv_writing import unmarked
from whatif.engine.files.inputs import LARGEST, LONGEST_LINE, long_csv_fields, read_bytes
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
TWICE_ALIKE, TWICE_DIFFERENTLY = "given twice, alike", "given twice, differently"  # reasons of rejections


@dataclass(frozen=True)
class LabelRow:
    """A row below the header: its fields by name, without surrounding spaces, and the number of its first line."""

    file: str  # what the file contains: `labels` or `categories`
    line: int
    fields: dict[str, str]
    surplus: int  # fields beyond those of the header
    damage: Mapping[str, Damage]  # column -> what a spreadsheet did to its cell


def read_label_file(
    path: Path, needed: Sequence[str], *, file: str, kind: str, with_damage: bool = False
) -> list[LabelRow]:
    """The rows of a CSV that has at least the columns `needed`.

    `kind` describes the expected contents in error messages; `file` is the short form of it.
    The text is UTF-8 with or without a byte order mark, with any line endings, and commas, semicolons or tabs between
    fields. Column names may be in capitals. Blank rows are skipped; fields that are missing at the end are empty.
    Marks of formulas (`whatif.engine.files.csv_writing`) are taken off.
    Columns without a name are ignored. With `with_damage`, rows may have cells that a spreadsheet changed.

    Raises WhatifError naming the file when it cannot be read, is not UTF-8, is not CSV, or lacks a column, and naming
    line and column of a cell that a spreadsheet changed, without `with_damage`.
    """
    text = text_of(path, f"a CSV of {kind}", is_csv=True)
    names: list[str] | None = None
    rows = []
    for line, record in _records(path, text, kind):
        if names is None:
            names = [unmarked(name.strip()).strip().lower() for name in record]
            for column in needed:
                if column.lower() not in names:
                    found = listed(names)
                    raise WhatifError(f"{path}: has no column {column}; a file of {kind} needs it; found: {found}")
            twice = next((name for name in names if name and names.count(name) > 1), None)
            if twice is not None:
                raise WhatifError(f"{path}: duplicate column {listed([twice])}; keep one")
            continue
        if any(field.strip() for field in record):
            padded = [*record, *[""] * (len(names) - len(record))]
            cells = {name: cell for name, cell in zip(names, padded, strict=False) if name}
            checked = checked_row(f"{path}: line {line}", cells)
            damage = {name: one for name in cells if with_damage and (one := damage_in(checked, name)) is not None}
            whole = raw_row(checked) if with_damage else checked
            fields = {name: unmarked(cell.strip()).strip() for name, cell in whole.items()}
            surplus = len([cell for cell in record[len(names) :] if cell.strip()])
            rows.append(LabelRow(file, line, fields, surplus, damage))
    return rows


def listed(columns: Iterable[str]) -> str:
    """Names of columns as a message shows them: on one line, and not too many."""
    return ", ".join(escaped(name[:40]) for name in columns if name)[:200] or "none"


def rejection(row: LabelRow, reason: str, detail: str) -> dict[str, str]:
    """A row of the table `rejections` for a row of the file; its item_id is for example `labels-line-000012`."""
    return {"item_id": f"{row.file}-line-{row.line:06d}", "reason": reason, "detail": f"line {row.line}: {detail}"}


def settle(found: Sequence[tuple[LabelRow, str]]) -> tuple[list[tuple[LabelRow, str]], list[dict[str, str]]]:
    """Resolves several rows about one item: the row that counts, if any, and the other rows as rejections.

    If all rows have the same value, the first counts. If they differ, none counts.
    """
    lines = ", ".join(str(row.line) for row, _ in found)
    if len({value for _, value in found}) > 1:
        detail = f"lines {lines} give different values for the same item; none of them counts"
        return [], [rejection(row, TWICE_DIFFERENTLY, detail) for row, _ in found]
    detail = f"lines {lines} give the same value; the first counts"
    return list(found[:1]), [rejection(row, TWICE_ALIKE, detail) for row, _ in found[1:]]


def text_of(
    path: Path,
    expected: str,
    *,
    is_csv: bool = False,
    largest: int = LARGEST,
    longest_line: int | None = LONGEST_LINE,
) -> str:
    """The text of a file in UTF-8 with line endings LF; `expected` describes it in messages, with its article.

    Raises WhatifError when the file is empty or not such a text, has more bytes than `largest`, or a longer line.
    """
    try:
        data = read_bytes(path, largest, longest_line)
    except OSError as error:
        raise WhatifError(f"{path}: cannot be read ({error.strerror}); give {expected}") from error
    if not data.strip():
        raise WhatifError(f"{path}: is empty; give {expected}")
    return decoded(path, data, expected, is_csv=is_csv)


def _records(path: Path, text: str, kind: str) -> Iterator[tuple[int, list[str]]]:
    try:
        yield from delimited_rows(text)
    except NotDelimitedError as error:
        raise WhatifError(f"{path}: line {error.line}: is not CSV ({error}); give a CSV of {kind}") from error


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
