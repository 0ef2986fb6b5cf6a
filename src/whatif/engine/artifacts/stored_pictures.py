"""The pictures of a published folder, read out of their artifacts one at a time, in any order."""

from __future__ import annotations

import hashlib
import threading
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from whatif.engine.artifacts.reader import first_line, footer_of, remedy
from whatif.engine.artifacts.schemas import IMAGES, PICTURE_FILES, Table
from whatif.engine.errors import WhatifError
from whatif.engine.files.stamps import stamp_or_absent

_GROUPS = 4  # row groups of which the pictures are in memory, 128 images or 256 reduced copies each
_TEXTS = 512  # columns of row groups with keys or hashes, of 20 KB or less


class StoredPictures:
    """Pictures by path, of an artifact `picture-files` and the artifacts of images that it refers to.

    Artifacts that are not there are left out, and those that another run replaces are opened again. Memory holds the
    footers of the artifacts and a few row groups. Threads may share it. Both methods raise WhatifError when an artifact
    is unreadable or is another table.
    """

    def __init__(self, pictures: Path, images: Sequence[Path]) -> None:
        self._pictures, self._images = pictures, images
        self._lock = threading.Lock()  # a Parquet file has one reader at a time
        self._stamps: list[str] = []
        self._opened: dict[Path, _Rows] = {}
        self._texts = lru_cache(_TEXTS)(_column)
        self._data = lru_cache(_GROUPS)(_column)

    def digest(self, path: str) -> str | None:
        """The SHA-256 of a picture; None if no picture has this path."""
        with self._lock:
            self._open()
            found: str | None = self._value(self._pictures, path, "sha256")
            return found

    def data(self, path: str) -> bytes | None:
        """The encoded picture; None if no picture has this path, or no artifact that is there has its image."""
        with self._lock:
            self._open()
            digest = self._value(self._pictures, path, "sha256")
            if digest is None:
                return None
            data: bytes | None = self._value(self._pictures, path, "bytes")
            if data is None:
                found = (self._value(one, digest, "image") for one in self._images)
                data = next((image["bytes"] for image in found if image), None)
            return data if data is not None and hashlib.sha256(data).hexdigest() == digest else None

    def _open(self) -> None:
        stamps = [stamp_or_absent(path) for path in (self._pictures, *self._images)]
        if stamps != self._stamps:
            tables = {**dict.fromkeys(self._images, IMAGES), self._pictures: PICTURE_FILES}
            self._opened = {path: _Rows(path, table) for path, table in tables.items() if path.exists()}
            self._stamps = stamps

    def _value(self, path: Path, key: str, column: str) -> Any:
        """The value in the row with this key; None if there is no such row, or the artifact is not there."""
        rows = self._opened.get(path)
        group = bisect_right(rows.lowest, key) - 1 if rows else -1
        if rows is None or group < 0:
            return None
        place = pc.index(self._texts(rows, group, rows.key), key).as_py()
        read = self._texts if column == "sha256" else self._data
        return None if place < 0 else read(rows, group, column)[place].as_py()


class _Rows:
    """An open artifact: its key, which is a text, and the lowest key of each row group."""

    def __init__(self, path: Path, table: Table) -> None:
        if (label := footer_of(path).table) != table.label:
            raise WhatifError(f"{path}: contains the table {label}, but this version reads {table.label}")
        self.path, self.key = path, table.key[0]
        self.file = pq.ParquetFile(path)
        metadata = self.file.metadata
        (place,) = [one for one in range(metadata.num_columns) if metadata.schema.column(one).path == self.key]
        groups = map(metadata.row_group, range(metadata.num_row_groups))
        self.lowest: list[str] = [group.column(place).statistics.min for group in groups]


def _column(rows: _Rows, group: int, name: str) -> pa.ChunkedArray:
    try:
        return rows.file.read_row_group(group, columns=[name]).column(name)
    except (pa.ArrowException, OSError) as error:
        raise WhatifError(f"{rows.path}: unreadable ({first_line(error)}){remedy(rows.path)}") from error
