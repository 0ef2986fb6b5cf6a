"""Reads anybody's benchmark from a file: CSV, TSV, JSON, JSON lines, Excel or Parquet, and writes rows again.

A log of lmms-eval is JSON lines, a benchmark for VLMEvalKit is TSV or Excel: both are recognised by their columns.
Folders are read by `whatif.formats.benchmark_folders`.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whatif.errors import WhatifError
from whatif.files.atomic import disk_errors, open_temporary, write_whole
from whatif.files.cells import raw_row, with_cell
from whatif.files.inputs import check_regular
from whatif.formats.benchmark_json import all_columns, json_lines, read_json_rows
from whatif.formats.c_vqa import SYNTHETIC_GROUPS
from whatif.formats.c_vqa_records import COLUMNS
from whatif.formats.prediction_records import read_records

Row = Mapping[str, Any]
_ROWS_AT_ONCE = 256  # of a Parquet file, which may hold pictures
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
        ".xlsx": lambda kept, out: _write_workbook(kept, columns, out),
    }

    def write(kept: Sequence[int], out: Path) -> None:
        chosen = [written[row] for row in kept]
        writers[suffix](_own_pictures(chosen, written) if source == "VLMEvalKit" else chosen, out)

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
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([row[name] for name in columns] for row in rows)
    write_whole(out, text.getvalue().encode())


def _write_workbook(rows: Sequence[Row], columns: Sequence[str], out: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append(list(columns))
    for row in rows:
        sheet.append([row[name] for name in columns])
    data = io.BytesIO()
    book.save(data)
    write_whole(out, data.getvalue())


def _parquet(path: Path) -> BenchmarkTable:
    columns, rows = read_parquet_rows([path])
    places = [f"row {number}" for number in range(1, len(rows) + 1)]
    return BenchmarkTable(
        path, "Parquet", tuple(columns), rows, places, lambda kept, out: write_parquet_rows([path], kept, out)
    )


def read_parquet_rows(paths: Sequence[Path]) -> tuple[list[str], list[Row]]:
    """The columns and rows of Parquet files, with digests in place of binary values.

    Raises WhatifError when a file is missing, is not Parquet or cannot be decoded, and when there are no rows.
    """
    rows: list[Row] = []
    columns: dict[str, None] = {}
    for path in paths:
        with _reading(path):
            import pyarrow.parquet as pq

            check_regular(path)
            with pq.ParquetFile(path) as file:
                columns |= dict.fromkeys(file.schema_arrow.names)
                for batch in file.iter_batches(_ROWS_AT_ONCE):
                    rows += plain_rows(batch)
    if not rows:
        raise WhatifError(f"{paths[0]}: has no rows; it needs one for each question")
    return list(columns), rows


class _reading:  # noqa: N801 - reads as a statement
    """Turns what goes wrong while a Parquet or Arrow file is read into one line."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        import pyarrow as pa

        if isinstance(error, FileNotFoundError):
            raise WhatifError(f"{self._path}: no such file; give the path of a benchmark") from None
        if isinstance(error, pa.ArrowInvalid) and "magic bytes" in str(error):
            raise WhatifError(f"{self._path}: is not a complete Parquet file; give the whole file") from error
        if isinstance(error, OSError | pa.ArrowException):
            why = (getattr(error, "strerror", None) or str(error) or type(error).__name__).splitlines()[0]
            raise WhatifError(f"{self._path}: unreadable ({why}); give a complete file") from error


reading = _reading


def plain_rows(batch: Any) -> list[Row]:
    """The rows of an Arrow batch as dictionaries, with digests in place of binary values."""
    names = batch.schema.names
    values = [[_plain(value) for value in column.to_pylist()] for column in batch.columns]
    return [dict(zip(names, cells, strict=True)) for cells in zip(*values, strict=True)]


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()[:_DIGEST]
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        if isinstance(value.get("bytes"), bytes):
            return _plain(value["bytes"])
        return value.get("path") if set(value) == {"bytes", "path"} else {k: _plain(v) for k, v in value.items()}
    return value


def write_parquet_rows(paths: Sequence[Path], kept: Sequence[int], out: Path) -> None:
    """Writes the rows with these numbers (over all files) as one Parquet file with the schema of the first."""
    import pyarrow.parquet as pq

    with disk_errors(out):
        file, temporary = open_temporary(out)
        with file:
            try:
                with pq.ParquetFile(paths[0]) as first:
                    schema = first.schema_arrow
                with pq.ParquetWriter(file, schema, compression="zstd") as writer:
                    for batch in kept_batches(_parquet_batches(paths), kept):
                        writer.write_batch(batch.cast(schema) if batch.schema != schema else batch)
                file.flush()
                temporary.replace(out)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise


def _parquet_batches(paths: Sequence[Path]) -> Iterator[Any]:
    import pyarrow.parquet as pq

    for path in paths:
        with pq.ParquetFile(path) as file:
            yield from file.iter_batches(_ROWS_AT_ONCE)


def kept_batches(batches: Iterator[Any], kept: Sequence[int]) -> Iterator[Any]:
    """The rows with these numbers, in ascending order, batch after batch."""
    wanted = sorted(kept)
    first = place = 0
    for batch in batches:
        start = place
        while place < len(wanted) and wanted[place] < first + len(batch):
            place += 1
        if chosen := [number - first for number in wanted[start:place]]:
            yield batch.take(chosen)
        first += len(batch)
