"""Writes artifacts atomically, with an explicit schema and in canonical order.

The same rows give the same bytes on every machine, for any number of cores, in every run. A file is written under a
temporary name and renamed when it is complete.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from whatif.engine.artifacts.reader import canonical_json, content_hasher, fingerprint_of
from whatif.engine.artifacts.schemas import Table
from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import disk_errors, open_temporary

FORMAT_VERSION = 1  # part of every fingerprint: raise it when the encoding of rows changes
CODEC = "zstd"
CODEC_LEVEL = 3
_PIECES = 64  # pending pieces before they are joined

Rows: TypeAlias = pa.Table | Sequence[Mapping[str, Any]]


class _HashingFile(io.RawIOBase):
    """Writes bytes to a file and hashes them, so that a written artifact need not be read again."""

    def __init__(self, file: BinaryIO, hasher: Any) -> None:
        self._file = file
        self._position = 0
        self.hasher = hasher

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.hasher.update(data)
        written = self._file.write(data)
        self._position += written
        return written

    def tell(self) -> int:
        return self._position


class ArtifactWriter:
    """Writes one artifact in pieces, holding at most one row group in memory.

    Use it as a context manager. Rows must be in ascending order of the table's key. After an error or `discard`,
    nothing is left behind, and an existing artifact is unchanged.

    Raises WhatifError when rows are out of order, do not fit the schema, or cannot be written (disk full).
    """

    def __init__(
        self,
        path: Path,
        table: Table,
        *,
        role: str = "",
        made_from: Mapping[str, Any] | None = None,
        libraries: Mapping[str, str] | None = None,
    ) -> None:
        self.path = path
        self.table = table
        self.rows = 0
        self._footer: dict[str, Any] = {"role": role, "made_from": made_from or {}, "libraries": libraries or {}}
        self._pending: list[pa.Table] = []
        self._pending_rows = 0
        self._last_key: tuple[Any, ...] | None = None
        with disk_errors(path):
            self._file, self._temporary = open_temporary(path)
        self._sink = _HashingFile(self._file, content_hasher(table))
        self._writer = pq.ParquetWriter(
            self._sink,
            table.schema.with_metadata({"huggingface": table.hugging_face_features}),
            compression=CODEC,
            compression_level=CODEC_LEVEL,
        )

    def write(self, rows: Rows) -> None:
        """Appends rows: a table, or a list of mappings from column to value."""
        piece = as_table(rows, self.table, self.path)
        if piece.num_rows == 0:
            return
        self._check_order(piece)
        self._pending.append(piece)
        self._pending_rows += piece.num_rows
        if self._pending_rows >= self.table.row_group_rows:
            self._flush(everything=False)
        elif len(self._pending) >= _PIECES:
            # A table with one row takes far more memory than the row.
            self._pending = [pa.concat_tables(self._pending).combine_chunks()]

    def _check_order(self, piece: pa.Table) -> None:
        keys = zip(*(piece.column(name).to_pylist() for name in self.table.key), strict=True)
        for key in keys:
            if self._last_key is not None and key <= self._last_key:
                what = "occurs twice" if key == self._last_key else f"comes after {_key_text(self._last_key)}"
                raise WhatifError(
                    f"{self.path}: {', '.join(self.table.key)} = {_key_text(key)} {what}; "
                    f"write the rows of `{self.table.name}` once each, in ascending order of their key"
                )
            self._last_key = key

    def _flush(self, *, everything: bool) -> None:
        size = self.table.row_group_rows
        pending = pa.concat_tables(self._pending)
        with disk_errors(self.path):
            while pending.num_rows >= size or (everything and pending.num_rows):
                self._writer.write_table(pending.slice(0, size), row_group_size=size)
                self.rows += min(size, pending.num_rows)
                pending = pending.slice(size)
        self._pending = [pending] if pending.num_rows else []
        self._pending_rows = pending.num_rows

    def finish(self, files: Mapping[str, str] | None = None, unfinished: str = "") -> None:
        """Completes the file under its temporary name; `commit` renames it. See `Footer` for both arguments."""
        if self._pending:
            self._flush(everything=True)
        footer = {
            "table": self.table.label,
            "content": self._sink.hasher.hexdigest(),
            "role": self._footer["role"],
            "fingerprint": fingerprint_of(self._footer["made_from"]) if self._footer["made_from"] else "",
            "made_from": canonical_json(self._footer["made_from"]),
            "files": canonical_json(dict(files or {})),
            "libraries": canonical_json(self._footer["libraries"]),
            **({"unfinished": unfinished} if unfinished else {}),
        }
        with disk_errors(self.path):
            self._writer.add_key_value_metadata(footer)
            self._writer.close()
            self._file.flush()
            os.fsync(self._file.fileno())

    def commit(self) -> None:
        """Renames the finished file to its final name."""
        with disk_errors(self.path):
            self._temporary.replace(self.path)
        self._file.close()

    def discard(self) -> None:
        """Deletes the unfinished file."""
        with contextlib.suppress(OSError, pa.ArrowException, WhatifError, ValueError):
            self._writer.close()
        self._temporary.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            try:
                self.finish()
            except BaseException:
                self.discard()
                raise
            self.commit()
        else:
            self.discard()


def write_artifact(path: Path, table: Table, rows: Rows, **footer: Any) -> None:
    """Writes a complete artifact; rows may be in any order. Raises as `ArtifactWriter` does."""
    whole = as_table(rows, table, path)
    with ArtifactWriter(path, table, **footer) as writer:
        writer.write(whole.sort_by([(name, "ascending") for name in table.key]))


def _misfit(rows: Iterable[Mapping[str, Any]], table: Table) -> str:
    """The first row and column whose value has another type than the table's, with the value; empty if none has."""
    for number, row in enumerate(rows):
        for field in table.schema:
            try:
                pa.array([row[field.name]], field.type)
            except (pa.ArrowInvalid, pa.ArrowTypeError):
                return f"row {number}: {field.name} is {row[field.name]!r:.60}; it must be {field.type}"
    return ""


def as_table(rows: Rows, table: Table, path: Path | str) -> pa.Table:
    """Rows as an Arrow table with the schema of `table`.

    Raises WhatifError naming `path`, and the first row and column that do not fit.
    """
    if isinstance(rows, pa.Table):
        missing = [name for name in table.schema.names if name not in rows.column_names]
        if missing:
            raise WhatifError(f"{path}: column {missing[0]} is missing; `{table.name}` has {_columns(table)}")
        made = rows.select(table.schema.names)
        try:
            made = made.cast(table.schema)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, ValueError) as error:
            raise WhatifError(f"{path}: does not fit the table `{table.name}`: {error}") from error
    else:
        for number, row in enumerate(rows):
            odd: set[str] = set(row) ^ set(table.schema.names)
            if odd:
                verb = "is missing" if min(odd) in table.schema.names else "is not a column"
                raise WhatifError(f"{path}: row {number}: {min(odd)} {verb}; `{table.name}` has {_columns(table)}")
        try:
            made = pa.Table.from_pylist(list(rows), schema=table.schema)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            where = _misfit(rows, table) or str(error)
            raise WhatifError(f"{path}: does not fit the table `{table.name}`: {where}") from error
    for column in table.schema:
        nulls = made.column(column.name).null_count
        if nulls and not column.nullable:
            raise WhatifError(
                f"{path}: {column.name} is null in {nulls} rows; each row of `{table.name}` needs a value"
            )
    return made


def _columns(table: Table) -> str:
    return ", ".join(table.schema.names)


def _key_text(key: Iterable[Any]) -> str:
    return ", ".join(str(part) for part in key)
