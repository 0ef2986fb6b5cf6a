"""Reads the records of a released question file of C-VQA (CSV), each with its line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import LONGEST_LINE, read_bytes

COLUMNS = ("img_path", "query", "answer", "new query", "new answer", "type")


def text_of(path: Path) -> str:
    """The text of a file. Raises WhatifError when it is missing, empty or not UTF-8."""
    try:
        data = read_bytes(path, longest_line=LONGEST_LINE)
    except FileNotFoundError:
        raise WhatifError(f"{path}: no such file; give the path of a C-VQA questions CSV") from None
    except OSError as error:
        raise WhatifError(
            f"{path}: cannot be read ({error.strerror}); give the path of a C-VQA questions CSV"
        ) from error
    if not data.strip():
        raise WhatifError(f"{path}: is empty; its first line is {','.join(COLUMNS)}")
    try:
        return data.decode("utf-8-sig")  # spreadsheets put a byte order mark before the first column's name
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise WhatifError(
            f"{path}: line {line}: byte {data[error.start]:#04x} is not UTF-8; save the file as UTF-8"
        ) from error


def records(path: Path, text: str) -> Iterator[tuple[int, str, list[str]]]:
    """Each record with the number of its first line and its raw text."""
    taken: list[str] = []

    def lines() -> Iterator[str]:
        for line in io.StringIO(text, newline=""):
            taken.append(line)
            yield line

    reader = csv.reader(lines(), strict=True)
    first_line = 1
    try:
        for fields in reader:
            yield first_line, "".join(taken).rstrip("\r\n"), fields
            taken.clear()
            first_line = reader.line_num + 1
    except csv.Error as error:
        raise WhatifError(
            f"{path}: line {first_line}: is not CSV ({error}); close the quotes, double those inside a field"
        ) from error
