"""Images that the processor of a dual encoder prepared once, for a training, and for several models of a job.

Decoding and scaling an image takes longer than embedding it on a GPU. Prepared images are kept in a temporary file
without a name, which disappears with the process. Processors that scale images before they normalise them make at most
256 different numbers in each channel; then a number takes one byte, and is read again without a loss.
"""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whatif.engine.artifacts.images import DecodedPictures, OrderedPictures
from whatif.engine.files.atomic import disk_errors
from whatif.models.local.encoders import Embedder, Floats, Pixels

MOST_BYTES = 48 * 2**30  # 140,000 images of 224 x 224 pixels take 20 GiB
_SHARE_OF_DISK = 0.5  # of the free space in the temporary folder
_AT_ONCE = 256  # images that are prepared before they are written
_TOGETHER = 16  # images of a call of the processor

_Shape: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class _Place:
    """Where a prepared image is in the file; `whole` if its numbers are there, otherwise their codes."""

    start: int
    bytes: int
    shape: _Shape
    whole: bool


class _Made(NamedTuple):
    """A prepared image as it is written; `whole` as in `_Place`."""

    data: bytes
    shape: _Shape
    whole: bool


class _Reason(NamedTuple):
    """Why an image cannot be decoded. The error itself would keep its bytes in memory."""

    message: str
    kind: str

    @classmethod
    def of(cls, error: OSError) -> _Reason:
        # A store puts the id of the image before the decoder's error, which is the cause.
        kind = getattr(error.__cause__, "kind", getattr(error, "kind", type(error).__name__))
        return cls(str(error), kind)


class PreparedPictures:
    """Prepared images by id: `get` returns channels x height x width (float32), as the processor makes them.

    At most `most_bytes` and half of the free disk space are used. Images beyond that are prepared again each time.
    """

    def __init__(self, processor: Any, most_bytes: int = MOST_BYTES) -> None:
        self._processor = processor
        self._levels = _levels(processor)
        # Processors that pad make all images of a call equally large, so that one depends on the others.
        self._together = 1 if getattr(processor.image_processor, "do_pad", False) else _TOGETHER
        self._folder = tempfile.gettempdir()
        with self._errors():
            self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115  closed by `close`, or with the process
        self._limit = min(most_bytes, int(_SHARE_OF_DISK * shutil.disk_usage(self._folder).free))
        self._size = 0
        self._places: dict[str, _Place] = {}
        self._reasons: dict[str, _Reason] = {}
        self._others: dict[str, DecodedPictures] = {}  # images that are not kept, with where they are decoded

    def prepare(self, image_ids: Iterable[str], pictures: OrderedPictures) -> None:
        """Prepares images that are not known yet, by all cores of this process, in the order in which they are stored.

        The reason why an image cannot be decoded is kept, and `get` raises it as an OSError. Raises WhatifError when
        the temporary file cannot be written.
        """
        known = (self._places, self._reasons, self._others)
        new = [one for one in dict.fromkeys(image_ids) if not any(one in of for of in known)]
        if not new:
            return

        with ThreadPoolExecutor(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1) as workers:
            for part in _parts(pictures.in_order(new), _AT_ONCE):
                if self._size >= self._limit:
                    self._others.update(dict.fromkeys(part, pictures))
                    continue
                for made in workers.map(lambda few: self._made(pictures, few), _parts(part, self._together)):
                    self._keep(made)
        with self._errors():
            self._file.flush()

    def reason(self, image_id: str) -> str | None:
        """The kind of error that decoding an image gives; None if there is none. What is not kept is decoded for it."""
        if image_id in self._others:
            try:
                self._others[image_id].get(image_id)
            except OSError as error:
                self._reasons[image_id] = _Reason.of(error)
                del self._others[image_id]
        return self._reasons[image_id].kind if image_id in self._reasons else None

    def get(self, image_id: str) -> Any:
        """A prepared image. Raises OSError with the reason when it cannot be decoded, KeyError when it is unknown."""
        if image_id in self._reasons:
            raise OSError(self._reasons[image_id].message)
        if image_id in self._others:
            return _pixels(self._processor, [self._others[image_id].get(image_id)])[0]
        place = self._places[image_id]
        data = os.pread(self._file.fileno(), place.bytes, place.start)
        if place.whole:
            return np.frombuffer(data, dtype=np.float32).reshape(place.shape)
        codes = np.frombuffer(data, dtype=np.uint8).reshape(place.shape)
        return np.stack([levels[of_channel] for levels, of_channel in zip(self._levels, codes, strict=True)])

    @property
    def kept(self) -> int:
        """The number of images that are kept."""
        return len(self._places)

    def close(self) -> None:
        """Removes the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _errors(self) -> AbstractContextManager[None]:
        return disk_errors(Path(self._folder) / "prepared images (TMPDIR names the folder)")

    def _made(self, pictures: DecodedPictures, image_ids: Sequence[str]) -> dict[str, _Made | _Reason]:
        """Images as they are written, or why they cannot be decoded."""
        decoded: dict[str, Any] = {}
        made: dict[str, _Made | _Reason] = {}
        for image_id in image_ids:
            try:
                decoded[image_id] = pictures.get(image_id)
            except OSError as error:
                made[image_id] = _Reason.of(error)
        for image_id, pixels in zip(decoded, _pixels(self._processor, list(decoded.values())), strict=True):
            codes = _coded(pixels, self._levels)
            made[image_id] = _Made((pixels if codes is None else codes).tobytes(), pixels.shape, codes is None)
        return made

    def _keep(self, made: Mapping[str, _Made | _Reason]) -> None:
        for image_id, found in made.items():
            if isinstance(found, _Reason):
                self._reasons[image_id] = found
                continue
            with self._errors():
                self._file.write(found.data)
            self._places[image_id] = _Place(self._size, len(found.data), found.shape, found.whole)
            self._size += len(found.data)


@dataclass(frozen=True)
class PreparedEmbedder:
    """Embeds captions, and images that were prepared, as `embedder` embeds images: an `Encoder` of `whatif.scoring`."""

    embedder: Embedder

    @property
    def batch_size(self) -> int:
        """The number of captions or images that are embedded at once."""
        return self.embedder.batch_size

    def captions(self, captions: Sequence[str]) -> Floats:
        """Embeddings (captions, width)."""
        return self.embedder.captions(captions)

    def pictures(self, pictures: Sequence[Any]) -> Floats:
        """Embeddings (images, width) of what `PreparedPictures.get` returns."""
        return self.embedder.prepared_pictures(pictures)


def _pixels(processor: Any, pictures: Sequence[Any], **settings: bool) -> list[Pixels]:
    if not pictures:
        return []
    made = processor.image_processor(images=list(pictures), **settings)["pixel_values"]
    return [np.ascontiguousarray(one, dtype=np.float32) for one in made]


def _levels(processor: Any) -> Pixels:
    """The number that each byte becomes, in each channel: channels x 256."""
    from PIL import Image

    bytes_of_all = np.arange(256, dtype=np.uint8).reshape(16, 16, 1).repeat(3, axis=2)
    (made,) = _pixels(processor, [Image.fromarray(bytes_of_all)], do_resize=False, do_center_crop=False, do_pad=False)
    return made.reshape(len(made), -1)


def _coded(pixels: Pixels, levels: Pixels) -> NDArray[np.uint8] | None:
    """The bytes that became these numbers; None if there are others among them, or if bytes cannot be told apart."""
    low, high = levels[:, :1, np.newaxis], levels[:, -1:, np.newaxis]
    if levels.shape != (len(pixels), 256) or not np.all(high > low):
        return None
    codes = np.clip(np.rint((pixels - low) / (high - low) * 255), 0, 255).astype(np.uint8)
    same = all(
        np.array_equal(of_level[of_channel], given)
        for of_level, of_channel, given in zip(levels, codes, pixels, strict=True)
    )
    return codes if same else None


def _parts(names: Sequence[str], most: int) -> Iterator[list[str]]:
    left = iter(names)
    while part := list(itertools.islice(left, most)):
        yield part
