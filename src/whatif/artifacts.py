"""Parquet artifacts: explicit schema, canonical order, atomic writes, content and provenance in the footer.

The same rows give the same bytes, whatever machine, number of cores or run wrote them. A file is written beside
its final name and renamed when it is whole. Its footer carries

- `table`: name and version of its schema, for example `questions/1`;
- `content`: a hash of the encoded rows, made while they are written and checked again by reading only bytes;
- `fingerprint` and `made_from`: what the rows were computed from (see `whatif.graph`).
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from whatif.errors import WhatifError
from whatif.schemas import IMAGES, Table

CODEC = "zstd"
CODEC_LEVEL = 3
_MAGIC = b"PAR1"

Rows: TypeAlias = pa.Table | Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Footer:
    """What the end of an artifact says of it, without a look at its rows."""

    table: str
    content: str
    rows: int
    fingerprint: str = ""
    made_from: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)  # text file published from a `files` table -> sha256


class _HashingFile(io.RawIOBase):
    """Passes bytes on to a file and hashes them, so that a written artifact need not be read again."""

    def __init__(self, path: Path, hasher: Any) -> None:
        self._file = path.open("wb")
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

    def flush(self) -> None:
        if not self._file.closed:
            self._file.flush()

    def close(self) -> None:
        if not self._file.closed:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
        super().close()


def _content_hasher(table: Table) -> Any:
    # Names and types stand in the footer, not in the hashed bytes: they are part of the content all the same.
    return hashlib.sha256(f"{table.label}\n{table.schema.to_string()}\n".encode())


class ArtifactWriter:
    """Writes one artifact in pieces, holding at most one row group in memory.

    Use as a context manager; rows must come in ascending order of the table's key. On an error, or when
    `discard` is called, nothing is left behind and an artifact that stood there before stays whole.

    Raises WhatifError when rows are out of order, do not fit the schema, or cannot be written (disk full).
    """

    def __init__(
        self,
        path: Path,
        table: Table,
        *,
        fingerprint: str = "",
        made_from: Mapping[str, Any] | None = None,
    ) -> None:
        self.path = path
        self.table = table
        self.rows = 0
        self._footer: dict[str, Any] = {"fingerprint": fingerprint, "made_from": made_from or {}}
        self._pending: list[pa.Table] = []
        self._pending_rows = 0
        self._last_key: tuple[Any, ...] | None = None
        self._temporary = path.with_name(f".{path.name}.tmp")
        path.parent.mkdir(parents=True, exist_ok=True)
        with _disk_errors(path):
            self._sink = _HashingFile(self._temporary, _content_hasher(table))
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

    def _check_order(self, piece: pa.Table) -> None:
        keys = zip(*(piece.column(name).to_pylist() for name in self.table.key), strict=True)
        for key in keys:
            if self._last_key is not None and key <= self._last_key:
                what = "twice" if key == self._last_key else f"after {_key_text(self._last_key)}"
                raise WhatifError(
                    f"{self.path}: {', '.join(self.table.key)} = {_key_text(key)} comes {what}; "
                    f"rows of `{self.table.name}` are written once each in ascending order of their key"
                )
            self._last_key = key

    def _flush(self, *, everything: bool) -> None:
        size = self.table.row_group_rows
        pending = pa.concat_tables(self._pending)
        with _disk_errors(self.path):
            while pending.num_rows >= size or (everything and pending.num_rows):
                self._writer.write_table(pending.slice(0, size), row_group_size=size)
                self.rows += min(size, pending.num_rows)
                pending = pending.slice(size)
        self._pending = [pending] if pending.num_rows else []
        self._pending_rows = pending.num_rows

    def finish(self, files: Mapping[str, str] | None = None) -> Path:
        """Completes the file under its temporary name, which is returned; `commit` gives it its final one."""
        if self._pending:
            self._flush(everything=True)
        footer = {
            "table": self.table.label,
            "content": self._sink.hasher.hexdigest(),
            "fingerprint": self._footer["fingerprint"],
            "made_from": canonical_json(self._footer["made_from"]),
            "files": canonical_json(dict(files or {})),
        }
        with _disk_errors(self.path):
            self._writer.add_key_value_metadata(footer)
            self._writer.close()
            self._sink.close()
        return self._temporary

    def commit(self) -> None:
        """Puts the finished file in its place."""
        self._temporary.replace(self.path)

    def discard(self) -> None:
        """Removes what was written so far."""
        with contextlib.suppress(OSError, pa.ArrowException, WhatifError):
            self._writer.close()
        with contextlib.suppress(OSError):
            self._sink.close()
        self._temporary.unlink(missing_ok=True)

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


def write(path: Path, table: Table, rows: Rows, **footer: Any) -> None:
    """Writes a whole artifact; rows may come in any order. See `ArtifactWriter` for what raises."""
    whole = as_table(rows, table, path)
    with ArtifactWriter(path, table, **footer) as writer:
        writer.write(whole.sort_by([(name, "ascending") for name in table.key]))


def as_table(rows: Rows, table: Table, path: Path | str) -> pa.Table:
    """Rows as an Arrow table of the schema of `table`.

    Raises WhatifError naming `path`, the first row and the column that does not fit.
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
            raise WhatifError(f"{path}: does not fit the table `{table.name}`: {error}") from error
    for column in table.schema:
        nulls = made.column(column.name).null_count
        if nulls and not column.nullable:
            raise WhatifError(f"{path}: {column.name} is empty in {nulls} rows; `{table.name}` needs it in every row")
    return made


def image_row(data: bytes, width: int, height: int, source: str, licence: str) -> dict[str, Any]:
    """A row of the table `images` for a picture of `width` x `height` pixels, encoded in `data` (PNG or JPEG)."""
    image_id = hashlib.sha256(data).hexdigest()
    return {
        "image_id": image_id,
        "image": {"bytes": data, "path": None},
        "width": width,
        "height": height,
        "source": source,
        "licence": licence,
    }


class SortedImages:
    """Collects pictures in any order and writes them as an `images` artifact sorted by id.

    Pictures wait in a file beside the artifact, so memory holds only ids and places: about 200 bytes a picture.
    The same picture added twice is kept once.
    """

    def __init__(self, writer: ArtifactWriter) -> None:
        if writer.table is not IMAGES:
            raise ValueError("SortedImages writes the table `images`")
        self._writer = writer
        self._spool_path = writer.path.with_name(f".{writer.path.name}.spool.tmp")
        with _disk_errors(writer.path):
            self._spool = self._spool_path.open("w+b")
        self._places: dict[str, tuple[int, int, dict[str, Any]]] = {}

    def add(self, row: Mapping[str, Any]) -> None:
        """Adds a row made by `image_row`."""
        image_id = row["image_id"]
        if image_id in self._places:
            return
        data = row["image"]["bytes"]
        place = self._spool.seek(0, os.SEEK_END)
        with _disk_errors(self._writer.path):
            self._spool.write(data)
        rest = {key: value for key, value in row.items() if key not in ("image_id", "image")}
        self._places[image_id] = (place, len(data), rest)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._write()
        finally:
            self._spool.close()
            self._spool_path.unlink(missing_ok=True)

    def _write(self) -> None:
        for image_id in sorted(self._places):
            place, length, rest = self._places[image_id]
            self._spool.seek(place)
            image = {"bytes": self._spool.read(length), "path": None}
            self._writer.write([{"image_id": image_id, "image": image, **rest}])


def footer_of(path: Path) -> Footer:
    """The footer of an artifact, read in some 30 microseconds.

    Raises WhatifError when the file is no Parquet file, is truncated, or was not written by whatif.
    """
    try:
        metadata = pq.read_metadata(path)
    except FileNotFoundError:
        raise WhatifError(f"{path}: no such artifact; `whatif status` says what is missing") from None
    except (pa.ArrowException, OSError) as error:
        raise WhatifError(
            f"{path}: not a whole Parquet file ({_first_line(error)}); delete it and it will be made again"
        ) from error
    entries = metadata.metadata or {}
    try:
        return Footer(
            table=entries[b"table"].decode(),
            content=entries[b"content"].decode(),
            rows=metadata.num_rows,
            fingerprint=entries[b"fingerprint"].decode(),
            made_from=json.loads(entries[b"made_from"]),
            files=json.loads(entries[b"files"]),
        )
    except (KeyError, ValueError) as error:
        raise WhatifError(
            f"{path}: its footer has no {_first_line(error)}: it was not written by whatif; "
            "delete it and it will be made again"
        ) from error


def content_of(path: Path, table: Table) -> str:
    """The hash of the encoded rows as they stand in the file now; differs from the footer's if the file was edited.

    Raises WhatifError when the file is no whole Parquet file.
    """
    hasher = _content_hasher(table)
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(0, size - 8))
        tail = file.read(8)
        if len(tail) < 8 or tail[4:] != _MAGIC:
            raise WhatifError(f"{path}: not a whole Parquet file; delete it and it will be made again")
        left = size - 8 - int(struct.unpack("<I", tail[:4])[0])
        if left < 0:
            raise WhatifError(f"{path}: not a whole Parquet file; delete it and it will be made again")
        file.seek(0)
        while left > 0:
            block = file.read(min(left, 1 << 20))
            hasher.update(block)
            left -= len(block)
    return str(hasher.hexdigest())


def read(paths: Path | Sequence[Path], table: Table, columns: Sequence[str] | None = None) -> pa.Table:
    """All rows of one artifact, or of all its parts, in order of the key.

    Raises WhatifError, naming the file, when one is unreadable, truncated or of another table or version.
    """
    pieces = list(batches(paths, table, columns))
    schema = table.schema if columns is None else pa.schema([table.schema.field(name) for name in columns])
    return pa.concat_tables(pieces) if pieces else schema.empty_table()


def batches(paths: Path | Sequence[Path], table: Table, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """The rows of artifacts, one row group at a time, so that memory does not grow with them."""
    for path in [paths] if isinstance(paths, Path) else paths:
        footer = footer_of(path)
        if footer.table != table.label:
            raise WhatifError(
                f"{path}: holds the table {footer.table}, this version of whatif reads {table.label}; "
                "delete it and it will be made again"
            )
        schema = table.schema if columns is None else pa.schema([table.schema.field(n) for n in columns])
        try:
            with pq.ParquetFile(path) as file:
                for group in range(file.num_row_groups):
                    piece = file.read_row_group(group, columns=list(columns) if columns else None)
                    yield piece.select(schema.names).cast(schema)
        except (pa.ArrowException, OSError, KeyError) as error:
            raise WhatifError(
                f"{path}: unreadable ({_first_line(error)}); delete it and it will be made again"
            ) from error


def rows_of(
    paths: Path | Sequence[Path], table: Table, columns: Sequence[str] | None = None
) -> Iterator[dict[str, Any]]:
    """The rows as mappings from column to value, one row group in memory at a time."""
    for piece in batches(paths, table, columns):
        yield from piece.to_pylist()


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces: the same value always gives the same text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


@contextlib.contextmanager
def _disk_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or _first_line(error)
        raise WhatifError(f"{path}: cannot be written ({reason}); what stood there before is untouched") from error


def _columns(table: Table) -> str:
    return ", ".join(table.schema.names)


def _key_text(key: Iterable[Any]) -> str:
    return ", ".join(str(part) for part in key)


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
