"""Decodes pictures: what cannot be decoded is one kind of error, whatever the decoder raises."""

from __future__ import annotations

import io
import warnings
from functools import lru_cache
from typing import TYPE_CHECKING

from whatif.errors import WhatifError

if TYPE_CHECKING:
    from PIL.Image import Image

# The formats that data sets come in. Others have decoders that are seldom used, and EPS would start Ghostscript.
FORMATS = ("AVIF", "BMP", "GIF", "ICO", "JPEG", "JPEG2000", "PNG", "PPM", "TIFF", "WEBP")
MOST_PIXELS = 89_478_485  # where Pillow begins to warn: a quarter of a gigabyte as RGB


LARGEST_PICTURE = 64 * 1024**2  # bytes of a file: more is none of a benchmark


class UnreadableImageError(WhatifError, OSError):
    """The bytes of a picture are there, but no picture can be made of them.

    `kind` is the name of what the decoder raised, `said` its first line without what differs between runs.
    """

    def __init__(self, message: str, said: str = "") -> None:
        super().__init__(message)
        self.kind = message
        self.said = said or message


def decode(data: bytes, mode: str = "RGB") -> Image:
    """The first picture in `data`, decoded, in a mode of Pillow.

    Raises UnreadableImageError for another format than `FORMATS`, for more than `MOST_PIXELS`, and for whatever the
    decoder raises but MemoryError, which says more about the machine than about the picture.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a picture is decoded or not, and the bound is the same everywhere
            with Image.open(io.BytesIO(data), formats=_known()) as picture:
                if picture.width * picture.height > MOST_PIXELS:
                    size = f"{picture.width} x {picture.height} pixels"
                    raise Image.DecompressionBombError(f"{size}, a decompression bomb")
                return picture.convert(mode)
    except MemoryError:
        raise
    except UnidentifiedImageError as error:  # its message has the address of the bytes in memory
        raise UnreadableImageError(type(error).__name__, "cannot identify image file") from error
    except Exception as error:  # decoders raise errors of a dozen kinds, all of them about this picture
        said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UnreadableImageError(type(error).__name__, said.partition("\n")[0]) from error


@lru_cache
def _known() -> tuple[str, ...]:
    from PIL import Image

    Image.init()  # else only the most common formats are registered
    return tuple(name for name in FORMATS if name in Image.OPEN)
