"""CSV files that people have filled in, as spreadsheets save them: rows with the numbers of their lines."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from whatif.errors import WhatifError
from whatif.files.inputs import LONGEST_LINE, read_bytes


@dataclass(frozen=True)
class LabelRow:
    """A row below the header: its fields by name, stripped of outer space, and the number of its first line."""

    file: str  # `labels` or `categories`: what its file holds, in a word
    line: int
    fields: dict[str, str]
    surplus: int  # fields beyond those of the header


def read_label_file(path: Path, needed: Sequence[str], *, file: str, kind: str) -> list[LabelRow]:
    """The rows of a CSV that has at least the columns `needed`.

    `kind` says in errors what file it should be, `file` says it in a word.
    Taken are UTF-8 with or without a byte order mark, any line ends, and commas, semicolons or tabs between fields.
    Names of columns may be in capitals. Blank rows are passed over; fields that are missing at the end are empty.

    Raises WhatifError naming the file when it cannot be read, is not UTF-8 or no CSV, or lacks a column.
    """
    text = _text(path, kind)
    header, _, _ = text.partition("\n")
    delimiter = max(",;\t", key=header.count)  # the first of those that are equally many
    names: list[str] | None = None
    rows = []
    for line, record in _records(path, text, delimiter, kind):
        if names is None:
            names = [name.strip().lower() for name in record]
            for column in needed:
                if column not in names:
                    found = ", ".join(name[:40] for name in names if name)[:200] or "none"
                    raise WhatifError(f"{path}: is no file of {kind}: it has no column {column}; there are {found}")
            if len(set(names)) < len(names):
                twice = next(name for name in names if names.count(name) > 1)
                raise WhatifError(f"{path}: column {twice[:40]} is there twice; each has a name of its own")
            continue
        values = [field.strip() for field in record]
        if any(values):
            padded = [*values, *[""] * (len(names) - len(values))]
            fields = dict(zip(names, padded[: len(names)], strict=True))
            rows.append(LabelRow(file, line, fields, len([field for field in values[len(names) :] if field])))
    return rows


def rejection(row: LabelRow, reason: str, detail: str) -> dict[str, str]:
    """A row of the table `rejections` for a row of a file; item_id is `labels-line-000012`."""
    return {"item_id": f"{row.file}-line-{row.line:06d}", "reason": reason, "detail": f"line {row.line}: {detail}"}


def settle(found: Sequence[tuple[LabelRow, str]]) -> tuple[list[tuple[LabelRow, str]], list[dict[str, str]]]:
    """Of rows that say the same thing's value, the one that counts, if any, and the others as rejections.

    Rows that all say the same count as the first of them; of rows that differ nobody knows which is meant.
    """
    lines = ", ".join(str(row.line) for row, _ in found)
    if len({value for _, value in found}) > 1:
        detail = f"lines {lines} say different things of one and the same; none of them counts"
        return [], [rejection(row, "given twice, differently", detail) for row, _ in found]
    detail = f"lines {lines} say the same; the first counts"
    return list(found[:1]), [rejection(row, "given twice, alike", detail) for row, _ in found[1:]]


def _text(path: Path, kind: str) -> str:
    try:
        data = read_bytes(path, longest_line=LONGEST_LINE)
    except OSError as error:
        raise WhatifError(f"{path}: cannot be read ({error.strerror}); give a CSV of {kind}") from error
    if not data.strip():
        raise WhatifError(f"{path}: is empty; give a CSV of {kind}")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise WhatifError(
            f"{path}: line {line}: byte {data[error.start]:#04x} is not UTF-8; save the file as CSV in UTF-8"
        ) from error


def _records(path: Path, text: str, delimiter: str, kind: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for record in reader:
            yield line, record
            line = reader.line_num + 1
    except csv.Error as error:
        raise WhatifError(f"{path}: line {line}: is not CSV ({error}); give a CSV of {kind}") from error
