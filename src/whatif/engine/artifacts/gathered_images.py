"""Some images of large `images` artifacts, copied in one pass, for a step that reads them in an order of its own.

Images are stored in the order of their ids, which is random. `whatif.engine.artifacts.images.ImageStore` reads a whole
row group of 128 images for each image that is not in its cache, which is slow for a step that needs thousands.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from array import array
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
        self._numbers: dict[str, int] = {}
        self._ends = array("Q", [0])  # the image with a number lies between two of these positions
        self.licences: Mapping[str, str] = licences
        with disk_errors(folder):
            self._spool = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed by `__exit__`
        for row in artifacts.rows_of(paths, IMAGES, ["image_id", "image", "licence"], only={"image_id": wanted}):
            image_id, data = row["image_id"], row["image"]["bytes"]
            if image_id not in self._numbers:
                with disk_errors(folder):
                    self._spool.write(data)
                self._numbers[image_id] = len(self._numbers)
                self._ends.append(self._ends[-1] + len(data))
                licences[image_id] = sys.intern(row["licence"])
        if lacking := sorted(wanted.difference(self._numbers)):
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
        number = self._numbers[image_id]
        self._spool.seek(self._ends[number])
        return self._spool.read(self._ends[number + 1] - self._ends[number])

    def get(self, image_id: str) -> Image:
        """One of the images as RGB. Raises UnreadableImageError (an OSError) when it cannot be decoded."""
        data = self.encoded(image_id)
        try:
            return decode(data)
        except UnreadableImageError as error:
            raise UnreadableImageError(f"image {image_id} ({len(data)} bytes): {error.kind}") from error
