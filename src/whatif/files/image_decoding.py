"""Decodes images; every failure of a decoder becomes one kind of error."""

from __future__ import annotations

import io
import warnings
from functools import lru_cache
from typing import TYPE_CHECKING

from whatif.errors import WhatifError

if TYPE_CHECKING:
    from PIL.Image import Image

# The formats of data sets. Other formats have decoders that are rarely used, and EPS would start Ghostscript.
FORMATS = ("AVIF", "BMP", "GIF", "ICO", "JPEG", "JPEG2000", "PNG", "PPM", "TIFF", "WEBP")
MOST_PIXELS = 89_478_485  # Pillow's own limit for a warning: a quarter of a gigabyte as RGB


LARGEST_PICTURE = 64 * 1024**2  # bytes of a file; images of benchmarks are smaller


class UnreadableImageError(WhatifError, OSError):
    """The bytes of an image exist but cannot be decoded.

    `kind` is the class name of the decoder's error. `said` is the first line of its message, without parts that differ
    between runs.
    """

    def __init__(self, message: str, said: str = "") -> None:
        super().__init__(message)
        self.kind = message
        self.said = said or message


def decode(data: bytes, mode: str = "RGB") -> Image:
    """Decodes the first image in `data` and converts it to a mode of Pillow.

    Raises UnreadableImageError for a format outside `FORMATS`, for more than `MOST_PIXELS`, and for every error of the
    decoder except MemoryError, which is caused by the machine rather than the image.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings do not matter: an image is decoded or not
            with Image.open(io.BytesIO(data), formats=_known()) as picture:
                if picture.width * picture.height > MOST_PIXELS:
                    size = f"{picture.width} x {picture.height} pixels"
                    raise Image.DecompressionBombError(f"{size}, a decompression bomb")
                return picture.convert(mode)
    except MemoryError:
        raise
    except UnidentifiedImageError as error:  # its message contains a memory address
        raise UnreadableImageError(type(error).__name__, "cannot identify image file") from error
    except Exception as error:  # decoders raise a dozen kinds of errors, all caused by this image
        said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UnreadableImageError(type(error).__name__, said.partition("\n")[0]) from error


@lru_cache
def _known() -> tuple[str, ...]:
    from PIL import Image

    Image.init()  # otherwise only the most common formats are registered
    return tuple(name for name in FORMATS if name in Image.OPEN)
