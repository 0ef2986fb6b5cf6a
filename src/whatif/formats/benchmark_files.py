"""Reads anybody's benchmark from a file: CSV, TSV, JSON, JSON lines, Excel or Parquet, and writes rows again.

A log of lmms-eval is JSON lines, a benchmark for VLMEvalKit is TSV or Excel: both are recognised by their columns.
Folders are read by `whatif.formats.benchmark_folders`.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import write_whole
from whatif.engine.files.cells import damage_in, raw_row, with_cell
from whatif.engine.files.csv_writing import delimited
from whatif.formats.arrow_rows import read_parquet_rows, write_parquet_rows
from whatif.formats.benchmark_json import all_columns, json_lines, read_json_rows
from whatif.formats.c_vqa import SYNTHETIC_GROUPS
from whatif.formats.c_vqa_records import COLUMNS
from whatif.formats.table_records import read_records

Row = Mapping[str, Any]
_DIGEST = 24  # hexadecimal digits that stand for a picture
_LONGEST_REFERENCE = 64  # characters of a cell that refers to another row's picture; an encoded picture is longer


@dataclass(frozen=True)
class BenchmarkTable:
    """The rows of a benchmark.

    `source` says what was read, in words. Binary columns, such as encoded pictures, hold a digest of their bytes.
    `places` names each row for messages. `write` writes the rows with these numbers (from 0) in the form of the input.
    """

    path: Path
    source: str
    columns: tuple[str, ...]
    rows: Sequence[Row]
    places: Sequence[str]
    write: Callable[[Sequence[int], Path], None]


SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".xlsx", ".parquet")


def read_benchmark_file(path: Path) -> BenchmarkTable:
    """The rows of a file; its suffix determines the format.

    Raises WhatifError when the suffix is unknown, or when the file is missing, damaged or without rows.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise WhatifError(
            f"{path}: a benchmark is read from {', '.join(SUFFIXES)} or a Hugging Face folder; the suffix is `{suffix}`"
        )
    if suffix == ".parquet":
        return _parquet(path)
    if suffix == ".json":
        return _json(path)
    columns, records = read_records(path, things="a benchmark", row="question")
    rows: Sequence[Row] = [record.fields for record in records]
    written = [raw_row(row) for row in rows]
    source, names = suffix.removeprefix(".").upper(), columns
    if suffix == ".jsonl":
        if {"doc_id", "target"} <= set(columns):
            source = "lmms-eval log of samples"
            rows = [_flat(row) for row in written]
        names = all_columns(rows)  # the first question may lack options or a picture
    elif suffix in (".tsv", ".xlsx") and {"index", "image"} <= set(columns):
        source = "VLMEvalKit"
        rows = _with_pictures(rows)
    elif tuple(columns) == COLUMNS:
        source = "C-VQA release"
        rows = [{**row, "type": SYNTHETIC_GROUPS.get(row["type"], row["type"])} for row in rows]
    writers: dict[str, Callable[[Sequence[Row], Path], None]] = {
        ".csv": lambda kept, out: _write_delimited(kept, columns, ",", out),
        ".tsv": lambda kept, out: _write_delimited(kept, columns, "\t", out),
        ".jsonl": lambda kept, out: write_whole(out, json_lines(kept).encode()),
    }

    def write(kept: Sequence[int], out: Path) -> None:
        chosen = [written[row] for row in kept]
        chosen = _own_pictures(chosen, written) if source == "VLMEvalKit" else chosen
        if suffix == ".xlsx":
            _write_workbook(chosen, [records[row].fields for row in kept], columns, out)
        else:
            writers[suffix](chosen, out)

    return BenchmarkTable(path, source, tuple(names), rows, [record.place for record in records], write)


def _json(path: Path) -> BenchmarkTable:
    found = read_json_rows(path)

    def write(kept: Sequence[int], out: Path) -> None:
        write_whole(out, found.dump(kept).encode())

    return BenchmarkTable(path, "JSON", tuple(found.columns), found.rows, found.places, write)


def _flat(row: Row) -> Row:
    """A row of a log with the fields of its question (`doc`), and with those that its metrics name."""
    flat = dict(row["doc"]) if isinstance(row.get("doc"), dict) else {}
    for name, value in row.items():
        if name == "doc":
            continue
        if isinstance(value, dict):
            for inner, known in value.items():
                if inner in ("question_id", "pair_id", "group", "category") and inner not in flat:
                    flat[inner] = known
        else:
            flat.setdefault(name, value)
    return flat


def _with_pictures(rows: Sequence[Row]) -> list[Row]:
    """Rows of VLMEvalKit in which a picture that another row holds is that picture; it refers to it by index."""
    pictures = {str(row["index"]): str(raw_row(row)["image"] or "") for row in rows}
    resolved: list[Row] = []
    for row in rows:
        image = str(raw_row(row)["image"] or "")  # of a picture, even a part that is left identifies it
        if len(image) <= _LONGEST_REFERENCE and image in pictures:
            image = pictures[image]
        resolved.append(with_cell(row, "image", hashlib.sha256(image.encode()).hexdigest()[:_DIGEST] if image else ""))
    return resolved


def _own_pictures(kept: Sequence[Row], rows: Sequence[Row]) -> list[Row]:
    """Kept rows of VLMEvalKit; the first that refers to the picture of a dropped row gets the picture itself."""
    pictures = {str(row["index"]): row["image"] for row in rows}
    here = {str(row["index"]) for row in kept}
    moved: dict[str, Any] = {}
    complete: list[Row] = []
    for row in kept:
        image = str(row["image"] or "")
        if len(image) <= _LONGEST_REFERENCE and image in pictures and image not in here:
            complete.append({**row, "image": moved.get(image, pictures[image])})
            moved.setdefault(image, row["index"])
        else:
            complete.append(row)
    return complete


def _write_delimited(rows: Sequence[Row], columns: Sequence[str], delimiter: str, out: Path) -> None:
    # For the tools that read the benchmark: exactly as it was, so without marks of formulas.
    write_whole(out, delimited([columns, *([row[name] for name in columns] for row in rows)], delimiter).encode())


def _write_workbook(rows: Sequence[Row], read: Sequence[Row], columns: Sequence[str], out: Path) -> None:
    """Writes rows; `read` are the same rows as they were read, which tell the formulas from the texts."""
    import openpyxl
    from openpyxl.cell import WriteOnlyCell

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append(list(columns))
    for row, as_read in zip(rows, read, strict=True):
        cells = [WriteOnlyCell(sheet, row[name]) for name in columns]
        for name, cell in zip(columns, cells, strict=True):
            # openpyxl takes `=1` for a formula and `#N/A` for an error.
            if isinstance(cell.value, str) and damage_in(as_read, name) is None:
                cell.data_type = "s"
        sheet.append(cells)
    data = io.BytesIO()
    book.save(data)
    write_whole(out, data.getvalue())


def _parquet(path: Path) -> BenchmarkTable:
    columns, rows = read_parquet_rows([path])
    places = [f"row {number}" for number in range(1, len(rows) + 1)]
    return BenchmarkTable(
        path, "Parquet", tuple(columns), rows, places, lambda kept, out: write_parquet_rows([path], kept, out)
    )
