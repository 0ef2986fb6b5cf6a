"""Reads rows from Parquet files and Arrow batches within limits of memory, and writes some of them again.

A few kilobytes can decode to any size, because equal values are stored once. So texts are read as dictionaries, equal
texts of a batch are one Python object, and what is decoded is counted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import disk_errors, open_temporary
from whatif.engine.files.inputs import check_regular

Row = Mapping[str, Any]
MOST_ROWS = 4 * 1024**2  # Python needs about 256 bytes for one
MOST_VALUES = 32 * 1024**2  # cells, and elements of lists; Python needs about 64 bytes for one
MOST_TEXT = 1024**3  # characters of all texts, each counted as often as it occurs
MOST_UNPACKED = 256 * 1024**2  # bytes of a row group that is packed more tightly than `_TIGHTEST`
_TIGHTEST = 32  # times the size of the file; texts and pictures are not packed as tightly
_ROWS_AT_ONCE = 1024
_DIGEST = 24  # hexadecimal digits that stand for a picture


class RowDecoder:
    """Turns the Arrow batches of a benchmark into rows, and counts what they hold together."""

    def __init__(self) -> None:
        self._rows = self._values = self._characters = 0

    def rows(self, path: Path, batch: Any) -> list[Row]:
        """The rows of a batch, with digests in place of binary values.

        Raises WhatifError when the batches together exceed a limit, and for a value that Python cannot hold.
        """
        first = self._rows + 1
        self._count(path, rows=batch.num_rows)
        names = batch.schema.names
        columns = [self._column(path, first, name, column) for name, column in zip(names, batch.columns, strict=True)]
        return [dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True)]

    def _column(self, path: Path, first: int, name: str, column: Any) -> list[Any]:
        try:
            cells = self._decoded(path, column)
        except _unreadable():
            for place in range(len(column)):
                try:
                    self._decoded(path, column.slice(place, 1))
                except _unreadable() as error:
                    why = (str(error) or type(error).__name__).splitlines()[0]
                    raise WhatifError(
                        f"{path}: row {first + place}: column `{name}`: cannot be read ({why}); correct the value"
                    ) from error
            raise
        self._count(path, characters=sum(map(_characters, cells)))
        return cells

    def _decoded(self, path: Path, array: Any) -> list[Any]:
        """The values of an array. A list is divided from its elements, and a structure joined from its fields."""
        import pyarrow as pa

        self._count(path, values=len(array))
        kind = array.type
        if pa.types.is_dictionary(kind):
            used = array.indices.unique().drop_null()
            known = dict(zip(used.to_pylist(), map(_plain, array.dictionary.take(used).to_pylist()), strict=True))
            return [known.get(place) for place in array.indices.to_pylist()]
        if (ends := _ends(array)) is not None:
            elements = self._decoded(path, array.values.slice(ends[0], ends[-1] - ends[0]))
            valid = array.is_valid().to_pylist()
            return [
                elements[begin - ends[0] : end - ends[0]] if one else None
                for one, (begin, end) in zip(valid, pairwise(ends), strict=True)
            ]
        if pa.types.is_struct(kind):
            fields = [self._decoded(path, one) for one in array.flatten()]
            names = [kind.field(place).name for place in range(kind.num_fields)]
            rows = zip(*fields, strict=True) if fields else iter([()] * len(array))
            valid = array.is_valid().to_pylist()
            is_picture = "bytes" in names and _is_binary(kind.field("bytes").type)
            made = [dict(zip(names, cells, strict=True)) for cells in rows]
            return [
                None if not one else _picture(row) if is_picture else row for one, row in zip(valid, made, strict=True)
            ]
        return [_plain(value.as_py()) for value in array]

    def _count(self, path: Path, rows: int = 0, values: int = 0, characters: int = 0) -> None:
        self._rows += rows
        self._values += values
        self._characters += characters
        for what, number, most in (
            ("rows", self._rows, MOST_ROWS),
            ("values", self._values, MOST_VALUES),
            ("characters of text", self._characters, MOST_TEXT),
        ):
            if number > most:
                raise WhatifError(
                    f"{path}: has more than {most:,} {what} when it is decoded, the maximum; "
                    "leave out columns and rows that the audit does not need"
                )


def _unreadable() -> tuple[type[Exception], ...]:
    """What pyarrow raises for a value that Python cannot hold: text that is not UTF-8, the year 10,000, ..."""
    import pyarrow as pa

    return ValueError, OverflowError, LookupError, pa.ArrowException


def _ends(array: Any) -> list[int] | None:
    """Where the elements of the lists of an array begin and end among its values; None for anything but lists."""
    import pyarrow as pa

    kind = array.type
    if pa.types.is_fixed_size_list(kind):
        return [place * kind.list_size for place in range(array.offset, array.offset + len(array) + 1)]
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_map(kind)
    return array.offsets.to_pylist() if is_list else None


def _is_binary(kind: Any) -> bool:
    import pyarrow as pa

    inner = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_binary(inner) or pa.types.is_large_binary(inner))


def _picture(row: dict[str, Any]) -> Any:
    """The digest of the picture in a structure with `bytes`, or else its path."""
    if row["bytes"] is not None:
        return row["bytes"]
    return row["path"] if set(row) == {"bytes", "path"} else row


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()[:_DIGEST]
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return {name: _plain(one) for name, one in value.items()} if isinstance(value, dict) else value


def _characters(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, list):
        return sum(map(_characters, value))
    return sum(map(_characters, value.values())) if isinstance(value, dict) else 0


def read_parquet_rows(paths: Sequence[Path]) -> tuple[list[str], list[Row]]:
    """The columns and rows of Parquet files, with digests in place of binary values.

    Raises WhatifError when a file is missing, is not Parquet, cannot be decoded or decodes to too much (see
    `RowDecoder`), and when there are no rows.
    """
    decoder = RowDecoder()
    rows: list[Row] = []
    columns: dict[str, None] = {}
    for path in paths:
        with reading(path):
            import pyarrow.parquet as pq

            check_regular(path)
            with pq.ParquetFile(path) as plain:
                _check_declared(path, plain.metadata)
                columns |= dict.fromkeys(plain.schema_arrow.names)
                shared, at_once = _as_dictionaries(plain.metadata), _rows_at_once(plain.metadata)
            with pq.ParquetFile(path, read_dictionary=shared) as file:
                for group in range(file.num_row_groups):  # dictionaries of several groups cannot be in one batch
                    for batch in file.iter_batches(at_once, row_groups=[group]):
                        rows += decoder.rows(path, batch)
    if not rows:
        raise WhatifError(f"{paths[0]}: has no rows; it needs one for each question")
    return list(columns), rows


def _check_declared(path: Path, metadata: Any) -> None:
    """Refuses, before anything is decoded, what the metadata of a file say to be too large."""
    size = path.stat().st_size
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        if group.total_byte_size > max(MOST_UNPACKED, _TIGHTEST * size):
            raise WhatifError(
                f"{path}: row group {number + 1} unpacks to {group.total_byte_size:,} bytes, more than "
                f"{MOST_UNPACKED:,} and than {_TIGHTEST} times the file; write it with smaller row groups"
            )
        values = max((group.column(place).num_values for place in range(group.num_columns)), default=0)
        if values > MOST_VALUES:
            raise WhatifError(
                f"{path}: row group {number + 1} has {values:,} values in a column, more than {MOST_VALUES:,}; "
                "leave out columns and rows that the audit does not need"
            )


def _as_dictionaries(metadata: Any) -> list[str]:
    """The paths of the columns that are read as dictionaries: all texts, and binary values in lists."""
    return [metadata.schema.column(place).path for place in _byte_columns(metadata) if _shares(metadata, place)]


def _byte_columns(metadata: Any) -> list[int]:
    columns = [metadata.schema.column(place) for place in range(metadata.num_columns)]
    return [
        place
        for place, one in enumerate(columns)
        if one.physical_type == "BYTE_ARRAY" and one.logical_type.type != "DECIMAL"
    ]


def _shares(metadata: Any, place: int) -> bool:
    """Whether a column is read as a dictionary: not pictures, one in a row, nor differences of texts (DELTA_...)."""
    column = metadata.schema.column(place)
    groups = [metadata.row_group(number).column(place) for number in range(metadata.num_row_groups)]
    return not (
        (column.logical_type.type == "NONE" and not column.max_repetition_level)
        or any(encoding.startswith("DELTA") for group in groups for encoding in group.encodings)
    )


def _rows_at_once(metadata: Any) -> int:
    """So few rows that their pictures fit in memory even if all of them are the same one, which is stored once."""
    single = [place for place in _byte_columns(metadata) if not _shares(metadata, place)]
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    size = max((group.column(place).total_uncompressed_size for group in groups for place in single), default=1)
    return max(1, min(_ROWS_AT_ONCE, MOST_UNPACKED // max(1, size)))


class reading:  # noqa: N801 - reads as a statement
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
        if isinstance(error, OSError | pa.ArrowException | UnicodeDecodeError):
            why = (getattr(error, "strerror", None) or str(error) or type(error).__name__).splitlines()[0]
            raise WhatifError(f"{self._path}: unreadable ({why}); give a complete file") from error


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
            yield from file.iter_batches(_rows_at_once(file.metadata))


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
