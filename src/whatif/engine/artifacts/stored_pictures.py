"""The pictures of a published folder, read out of their artifacts one at a time, in any order."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from whatif.engine.artifacts.by_key import RowsByKey
from whatif.engine.artifacts.schemas import IMAGES, PICTURE_FILES
from whatif.engine.files.stamps import stamp_or_absent


class StoredPictures:
    """Pictures by path, of an artifact `picture-files` and the artifacts of images that it refers to.

    Artifacts that are not there are left out, and those that another run replaces are opened again. Memory holds a row
    group of each table. Threads may share it. Both methods raise WhatifError when an artifact is unreadable or is
    another table.
    """

    def __init__(self, pictures: Path, images: Sequence[Path]) -> None:
        self._paths = pictures, *images
        self._lock = threading.Lock()
        self._stamps: list[str] = []

    def digest(self, path: str) -> str | None:
        """The SHA-256 of a picture; None if no picture has this path."""
        with self._lock:
            self._open()
            found: str | None = _value(self._digests, path)
            return found

    def data(self, path: str) -> bytes | None:
        """The encoded picture; None if no picture has this path, or no artifact that is there has its image."""
        with self._lock:
            self._open()
            digest = _value(self._digests, path)
            data: bytes | None = _value(self._pictures, path)
            if digest is not None and data is None and (image := _value(self._images, digest)) is not None:
                data = image["bytes"]
            return data if data is not None and hashlib.sha256(data).hexdigest() == digest else None

    def _open(self) -> None:
        stamps = [stamp_or_absent(path) for path in self._paths]
        if stamps != self._stamps:
            pictures, images = ([path for path in some if path.exists()] for some in (self._paths[:1], self._paths[1:]))
            self._digests = RowsByKey(pictures, PICTURE_FILES, ["path", "sha256"])
            self._pictures = RowsByKey(pictures, PICTURE_FILES, ["path", "bytes"])
            self._images = RowsByKey(images, IMAGES, ["image_id", "image"])
            self._stamps = stamps


def _value(rows: RowsByKey, key: str) -> Any:
    """The second column of the row with this key; None if there is no such row."""
    found = rows.of([key])
    return found.column(1)[0].as_py() if len(found) else None
