"""Reads the records of a released question file of C-VQA (CSV), each with its line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from whatif.engine.errors import WhatifError
from whatif.formats.table_records import bytes_of, decoded

COLUMNS = ("img_path", "query", "answer", "new query", "new answer", "type")


def records(path: Path) -> Iterator[tuple[int, str, list[str]]]:
    """Each record with the number of its first line and its raw text. Raises WhatifError when the file has none."""
    text = decoded(path, bytes_of(path, "C-VQA questions", "pair", COLUMNS))
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
