"""Some images of large `images` artifacts, copied in one pass, for a step that reads them in an order of its own.

Images are stored in the order of their ids, which is random. `whatif.engine.artifacts.images.ImageStore` reads a whole
row group of 128 images for each image that is not in its cache, which is slow for a step that needs thousands.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import IMAGES
from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import disk_errors
from whatif.engine.files.image_decoding import UnreadableImageError, decode

if TYPE_CHECKING:
    from PIL.Image import Image


class GatheredImages:
    """The images with these ids, in a temporary file in `folder` that disappears with the process.

    Memory holds ids and positions only. `licences` has the licence of each image by id. Use it as a context manager.

    Raises WhatifError when no artifact has one of the images, and when the disk is full.
    """

    def __init__(self, paths: Sequence[Path], image_ids: Iterable[str], folder: Path) -> None:
        wanted = set(image_ids)
        licences: dict[str, str] = {}
        self._places: dict[str, tuple[int, int]] = {}
        self.licences: Mapping[str, str] = licences
        with disk_errors(folder):
            self._spool = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed by `__exit__`
        for row in artifacts.rows_of(paths, IMAGES, ["image_id", "image", "licence"], only={"image_id": wanted}):
            image_id, data = row["image_id"], row["image"]["bytes"]
            if image_id not in self._places:
                with disk_errors(folder):
                    self._places[image_id] = self._spool.tell(), len(data)
                    self._spool.write(data)
                licences[image_id] = row["licence"]
        if lacking := sorted(wanted - set(self._places)):
            files = ", ".join(map(str, paths)) or "no file"
            raise WhatifError(f"image {lacking[0]}: is not among the images of {files} ({len(lacking):,} are missing)")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):
            self._spool.close()

    def encoded(self, image_id: str) -> bytes:
        """The stored bytes of one of the images."""
        place, length = self._places[image_id]
        self._spool.seek(place, os.SEEK_SET)
        return self._spool.read(length)

    def get(self, image_id: str) -> Image:
        """One of the images as RGB. Raises UnreadableImageError (an OSError) when it cannot be decoded."""
        data = self.encoded(image_id)
        try:
            return decode(data)
        except UnreadableImageError as error:
            raise UnreadableImageError(f"image {image_id} ({len(data)} bytes): {error.kind}") from error
