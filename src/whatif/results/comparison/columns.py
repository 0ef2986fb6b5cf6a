"""Reads columns of artifacts. Columns with the same encoded bytes are decoded once, and are equal without decoding.

All models of a benchmark answer the same questions, and two runs mostly ask the same. So most columns of a comparison
have the same bytes: of 20 artifacts with 50,000 question ids each, one is decoded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from whatif.engine.artifacts.reader import first_line
from whatif.engine.errors import WhatifError


@dataclass(frozen=True)
class Column:
    """A column of one artifact or of several parts; columns are equal if their encoded bytes are."""

    digests: tuple[bytes, ...]
    name: str = field(compare=False)
    paths: tuple[Path, ...] = field(compare=False)
    decoded: dict[bytes, Any] = field(compare=False, repr=False)

    def values(self) -> pa.ChunkedArray:
        """The decoded values of all parts, in order."""
        parts = []
        for digest, path in zip(self.digests, self.paths, strict=True):
            if digest not in self.decoded:
                self.decoded[digest] = read(path, [self.name])[self.name]
            parts.append(self.decoded[digest])
        return pa.chunked_array([chunk for part in parts for chunk in part.chunks], parts[0].type)


class Columns:
    """Columns of artifacts by the hash of their encoded bytes."""

    def __init__(self) -> None:
        self._decoded: dict[bytes, Any] = {}

    def column(self, paths: Sequence[Path], name: str) -> Column:
        """A text column or a list of texts of one artifact or of its parts.

        Raises WhatifError when a file is unreadable or has no such column.
        """
        return Column(tuple(_digest(path, name) for path in paths), name, tuple(paths), self._decoded)


def read(path: Path, names: Sequence[str]) -> pa.Table:
    """Some columns of an artifact. Raises WhatifError when the file is unreadable or lacks one of them."""
    try:
        with pq.ParquetFile(path) as file:
            if lacking := sorted(set(names) - set(file.schema_arrow.names)):
                raise WhatifError(f"{path}: has no column {lacking[0]}; the version that wrote it had another layout")
            return file.read(list(names), use_threads=True)
    except (pa.ArrowException, OSError) as error:
        raise WhatifError(f"{path}: unreadable ({first_line(error)}); make it or fetch it again") from error


def columns_of(path: Path) -> set[str]:
    """The names of an artifact's columns. Raises WhatifError when the file is unreadable."""
    try:
        return set(pq.read_schema(path).names)
    except (pa.ArrowException, OSError) as error:
        raise WhatifError(f"{path}: unreadable ({first_line(error)}); make it or fetch it again") from error


def plain(values: pa.Array | pa.ChunkedArray) -> npt.NDArray[Any]:
    """Booleans or whole numbers without missing ones as a numpy array.

    `to_numpy` does the same, but imports pandas, which takes longer than all reading of a large run. Raises ValueError
    when one is missing.
    """
    if isinstance(values, pa.ChunkedArray):
        return np.concatenate([plain(chunk) for chunk in values.chunks] or [np.empty(0, np.bool_)])
    if values.null_count:
        raise ValueError(f"{values.null_count} of {len(values)} values missing")
    start, buffer = values.offset, values.buffers()[1]
    if buffer is None or not len(values):
        return np.empty(0, np.bool_)
    if pa.types.is_boolean(values.type):
        bits = np.unpackbits(np.frombuffer(buffer, np.uint8), bitorder="little")
        return bits[start : start + len(values)].astype(np.bool_)
    kind = f"{'i' if pa.types.is_signed_integer(values.type) else 'u'}{values.type.bit_width // 8}"
    return np.frombuffer(buffer, kind)[start : start + len(values)]


def _digest(path: Path, name: str) -> bytes:
    """A hash of everything that decides the values of a column: its encoded bytes, and how they are encoded."""
    hasher = hashlib.sha256(name.encode())  # without rows there is nothing else
    try:
        metadata = pq.read_metadata(path)
        with path.open("rb") as file:
            for group in range(metadata.num_row_groups):
                row_group = metadata.row_group(group)
                places = [p for p in range(row_group.num_columns) if _of(row_group.column(p).path_in_schema, name)]
                if not places:
                    raise WhatifError(f"{path}: has no column {name}; the version that wrote it had another layout")
                for place in places:
                    column = row_group.column(place)
                    start = column.dictionary_page_offset or column.data_page_offset
                    kind = (name, column.physical_type, column.compression, column.num_values, column.encodings)
                    hasher.update(repr(kind).encode())
                    file.seek(min(start, column.data_page_offset))
                    hasher.update(file.read(column.total_compressed_size))
    except (pa.ArrowException, OSError) as error:
        raise WhatifError(f"{path}: unreadable ({first_line(error)}); make it or fetch it again") from error
    return hasher.digest()


def _of(path: str, name: str) -> bool:
    return path == name or path.startswith(f"{name}.")
