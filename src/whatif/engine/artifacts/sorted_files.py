"""Files by path: rows of `files` or `picture-files`, collected in any order and written sorted by path."""

from __future__ import annotations

import contextlib
import hashlib
import os
import struct
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from whatif.engine.artifacts.schemas import FILES, PICTURE_FILES
from whatif.engine.artifacts.writer import ArtifactWriter
from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import disk_errors

_PLACE = struct.Struct("QQ32s")
_TOGETHER = 10_000  # files whose hashes are texts at once


class SortedFiles:
    """Collects files and writes them as an artifact.

    The files are buffered in a temporary file in the artifact's folder. Memory holds only paths and positions, and the
    content of one row group of files while they are written.
    """

    def __init__(self, writer: ArtifactWriter) -> None:
        if writer.table not in (FILES, PICTURE_FILES):
            raise ValueError("SortedFiles writes the tables `files` and `picture-files`")
        self._writer = writer
        self._places: dict[str, bytes] = {}  # path -> position, length and SHA-256, packed: there are millions
        with disk_errors(writer.path):
            # The file has no name, so it disappears with the process. `close` closes it.
            self._spool = tempfile.TemporaryFile(dir=writer.path.parent)  # noqa: SIM115

    def __contains__(self, path: str) -> bool:
        return path in self._places

    @property
    def hashes(self) -> Mapping[str, str]:
        """The SHA-256 of each file by path."""
        return {path: self._place(path)[2] for path in self._places}

    def _place(self, path: str) -> tuple[int, int, str]:
        """Position, length and SHA-256 of a file."""
        position, length, digest = _PLACE.unpack(self._places[path])
        return position, length, digest.hex()

    def add(self, path: str, data: bytes) -> None:
        """Adds a file. Raises ValueError when the path was added before, and WhatifError when the disk is full."""
        if path in self._places:
            raise ValueError(f"{path} was published twice")
        with disk_errors(self._writer.path):
            place = self._spool.seek(0, os.SEEK_END)  # this also flushes the buffer
            self._spool.write(data)
        self._places[path] = _PLACE.pack(place, len(data), hashlib.sha256(data).digest())

    def write(self, elsewhere: Iterable[pa.ChunkedArray] = ()) -> None:
        """Writes all files to the artifact, without the bytes of those whose SHA-256 is in columns `elsewhere`.

        Raises WhatifError when one was damaged, or the disk is full.
        """
        with disk_errors(self._writer.path):
            self._spool.flush()
        paths = sorted(self._places)
        for path, is_elsewhere in zip(paths, self._among(paths, elsewhere), strict=True):
            place, length, digest = self._place(path)
            if is_elsewhere:
                self._writer.write([{"path": path, "bytes": None, "sha256": digest}])
                continue
            self._spool.seek(place)
            data = self._spool.read(length)
            if hashlib.sha256(data).hexdigest() != digest:
                raise WhatifError(
                    f"{self._writer.path}: {path} changed in the temporary file; check the disk and run again"
                )
            self._writer.write([{"path": path, "bytes": data, "sha256": digest}])

    def _among(self, paths: Sequence[str], columns: Iterable[pa.ChunkedArray]) -> Iterator[bool]:
        """Whether the SHA-256 of each file is in one of the columns."""
        known = pa.chunked_array([chunk for column in columns for chunk in column.chunks], pa.string())
        blocks = (paths[start : start + _TOGETHER] for start in range(0, len(paths), _TOGETHER))
        digests = [pa.array([self._place(path)[2] for path in block]) for block in blocks]
        for chunk in pc.is_in(pa.chunked_array(digests, pa.string()), known).chunks:
            yield from chunk.to_pylist()

    def close(self) -> None:
        """Removes the temporary file."""
        with contextlib.suppress(OSError):  # data that a full disk rejected is not needed any more
            self._spool.close()
