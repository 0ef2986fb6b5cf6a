"""Images by content: rows of the table `images`, written in the order of their ids and read by id."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

import pyarrow as pa
import pyarrow.parquet as pq

from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import IMAGES
from whatif.engine.artifacts.writer import ArtifactWriter
from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import disk_errors
from whatif.engine.files.image_decoding import UnreadableImageError, as_shown, decode

if TYPE_CHECKING:
    from PIL.Image import Image

DRAWN_LICENCE = "CC0-1.0"  # licence of images that this package draws without a model
_SIGNATURES = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"BM": "bmp"}


def format_of(data: bytes) -> str | None:
    """The format of an encoded image by its first bytes: `png`, `jpeg`, `gif`, `bmp` or `webp`; None for others."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    return next((name for signature, name in _SIGNATURES.items() if data.startswith(signature)), None)


def suffix_of(data: bytes) -> str:
    """The suffix of an image file, for example `.jpg`; empty for formats that `format_of` does not know."""
    name = format_of(data)
    return f".{name}".replace("jpeg", "jpg") if name else ""


def image_row(
    data: bytes, width: int, height: int, source: str, licence: str, *, is_part: bool = False
) -> dict[str, Any]:
    """A row of the table `images` for an image that is shown with `width` x `height` pixels (`decode`).

    It has the bytes of `as_shown`, so that all tools that read them get the same picture. Bytes that cannot be decoded
    stay as they are; their readers report them. `is_part` keeps the bytes of a part of other images, such as a flower
    with transparent corners, which is not shown by itself.
    """
    if not is_part:
        with contextlib.suppress(UnreadableImageError):
            data = as_shown(data)
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
    """Collects images in any order and writes them as an `images` artifact sorted by id.

    The images are buffered in a temporary file in the artifact's folder. Memory holds only ids and positions, about 200
    bytes per image. An image that is added twice is kept once.
    """

    def __init__(self, writer: ArtifactWriter) -> None:
        if writer.table is not IMAGES:
            raise ValueError("SortedImages writes the table `images`")
        self._writer = writer
        with disk_errors(writer.path):
            # The file has no name, so it disappears with the process. `__exit__` closes it.
            self._spool = tempfile.TemporaryFile(dir=writer.path.parent)  # noqa: SIM115
        self._places: dict[str, tuple[int, int, dict[str, Any]]] = {}

    def add(self, row: Mapping[str, Any]) -> None:
        """Adds a row made by `image_row`."""
        image_id = row["image_id"]
        if image_id in self._places:
            return
        data = row["image"]["bytes"]
        with disk_errors(self._writer.path):
            place = self._spool.seek(0, os.SEEK_END)  # this also flushes the buffer
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
            with contextlib.suppress(OSError):  # data that a full disk rejected is not needed any more
                self._spool.close()

    def _write(self) -> None:
        with disk_errors(self._writer.path):
            self._spool.flush()
        for image_id in sorted(self._places):
            place, length, rest = self._places[image_id]
            self._spool.seek(place)
            data = self._spool.read(length)
            if hashlib.sha256(data).hexdigest() != image_id:
                raise WhatifError(
                    f"{self._writer.path}: image {image_id} changed in the temporary file; check the disk and run again"
                )
            self._writer.write([{"image_id": image_id, "image": {"bytes": data, "path": None}, **rest}])


class DecodedPictures(Protocol):
    """A source of decoded RGB images by id (`ImageStore`)."""

    def get(self, image_id: str) -> Image: ...


class OrderedPictures(DecodedPictures, Protocol):
    """Decoded images that are read fastest in an order of their own (`ImageStore`)."""

    def in_order(self, image_ids: Iterable[str]) -> list[str]: ...


class EncodedPictures(Protocol):
    """A source of encoded images by id, with the stored bytes (`ImageStore`)."""

    def encoded(self, image_id: str) -> bytes: ...


class ImageStore:
    """The images of several `images` artifacts.

    Memory holds the ids of all images (about 200 bytes each) and the encoded bytes of the last used row groups (128
    images each). An image in several artifacts is read from the first. Threads may share a store.

    Raises WhatifError when a file is unreadable or contains another table.
    """

    def __init__(self, paths: Sequence[Path], cached_row_groups: int = 8) -> None:
        self._groups: list[tuple[Path, int]] = []
        self._starts: list[int] = []  # number of the first image of each row group, over all files
        self._numbers: dict[str, int] = {}
        self._cache: OrderedDict[int, list[bytes | None]] = OrderedDict()
        self._cached_row_groups = cached_row_groups
        self._lock = threading.Lock()  # of the cache
        count = 0
        for path in paths:
            for group, piece in enumerate(artifacts.batches(path, IMAGES, ["image_id"])):
                self._groups.append((path, group))
                self._starts.append(count)
                for image_id in piece.column("image_id").to_pylist():
                    self._numbers.setdefault(image_id, count)
                    count += 1

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, image_id: str) -> bool:
        return image_id in self._numbers

    def in_order(self, image_ids: Iterable[str]) -> list[str]:
        """The ids, each once, in the order in which they are stored: so each row group is read once.

        Ids that no artifact has come last.
        """
        last = len(self._numbers)
        return sorted(set(image_ids), key=lambda image_id: (self._numbers.get(image_id, last), image_id))

    def get(self, image_id: str) -> Image:
        """The decoded image as RGB.

        Raises WhatifError when no artifact has it, and UnreadableImageError (an OSError) when it cannot be decoded.
        """
        data = self.encoded(image_id)
        try:
            return decode(data)
        except UnreadableImageError as error:
            raise UnreadableImageError(f"image {image_id} ({len(data)} bytes): {error.kind}") from error

    def encoded(self, image_id: str) -> bytes:
        """The stored bytes of the image. Raises WhatifError when no artifact has it."""
        number = self._numbers.get(image_id)
        if number is None:
            files = ", ".join(sorted({str(path) for path, _ in self._groups})) or "no file"
            raise WhatifError(f"image {image_id}: is not among the {len(self):,} images of {files}")
        group = bisect_right(self._starts, number) - 1
        with self._lock:
            data = self._row_group(group)[number - self._starts[group]]
        if data is None:
            raise WhatifError(
                f"{self._groups[group][0]}: image {image_id} has no bytes; every row of `images` needs them"
            )
        return data

    def _row_group(self, group: int) -> list[bytes | None]:
        if group in self._cache:
            self._cache.move_to_end(group)
            return self._cache[group]
        path, number = self._groups[group]
        try:
            with pq.ParquetFile(path) as file:
                column = file.read_row_group(number, columns=["image"]).column("image")
        except (pa.ArrowException, OSError) as error:
            raise WhatifError(f"{path}: unreadable ({error}){artifacts.remedy(path)}") from error
        self._cache[group] = [image and image["bytes"] for image in column.to_pylist()]
        while len(self._cache) > self._cached_row_groups:
            self._cache.popitem(last=False)
        return self._cache[group]
