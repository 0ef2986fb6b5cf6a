"""Files by path: rows of `files` or `picture-files`, collected in any order and written sorted by path."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterable, Mapping

from whatif.engine.artifacts.schemas import FILES, PICTURE_FILES
from whatif.engine.artifacts.writer import ArtifactWriter
from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import disk_errors


class SortedFiles:
    """Collects files and writes them as an artifact.

    The files are buffered in a temporary file in the artifact's folder. Memory holds only paths and positions, and the
    content of one row group of files while they are written.
    """

    def __init__(self, writer: ArtifactWriter) -> None:
        if writer.table not in (FILES, PICTURE_FILES):
            raise ValueError("SortedFiles writes the tables `files` and `picture-files`")
        self._writer = writer
        self._places: dict[str, tuple[int, int, str]] = {}  # path -> position, length, SHA-256
        with disk_errors(writer.path):
            # The file has no name, so it disappears with the process. `close` closes it.
            self._spool = tempfile.TemporaryFile(dir=writer.path.parent)  # noqa: SIM115

    def __contains__(self, path: str) -> bool:
        return path in self._places

    @property
    def hashes(self) -> Mapping[str, str]:
        """The SHA-256 of each file by path."""
        return {path: digest for path, (_, _, digest) in self._places.items()}

    def add(self, path: str, data: bytes) -> None:
        """Adds a file. Raises ValueError when the path was added before, and WhatifError when the disk is full."""
        if path in self._places:
            raise ValueError(f"{path} was published twice")
        with disk_errors(self._writer.path):
            place = self._spool.seek(0, os.SEEK_END)  # this also flushes the buffer
            self._spool.write(data)
        self._places[path] = (place, len(data), hashlib.sha256(data).hexdigest())

    def write(self, elsewhere: Iterable[str] = ()) -> None:
        """Writes all files to the artifact, without the bytes of those whose SHA-256 is `elsewhere`.

        Raises WhatifError when one was damaged, or the disk is full.
        """
        without = set(self.hashes.values()).intersection(elsewhere)
        with disk_errors(self._writer.path):
            self._spool.flush()
        for path, (place, length, digest) in sorted(self._places.items()):
            if digest in without:
                self._writer.write([{"path": path, "bytes": None, "sha256": digest}])
                continue
            self._spool.seek(place)
            data = self._spool.read(length)
            if hashlib.sha256(data).hexdigest() != digest:
                raise WhatifError(
                    f"{self._writer.path}: {path} changed in the temporary file; check the disk and run again"
                )
            self._writer.write([{"path": path, "bytes": data, "sha256": digest}])

    def close(self) -> None:
        """Removes the temporary file."""
        with contextlib.suppress(OSError):  # data that a full disk rejected is not needed any more
            self._spool.close()
