"""Decodes images as a viewer shows them; every failure of a decoder becomes one kind of error.

Everything that stores, sends, shows or publishes an image uses `decode` or `as_shown`, so models get the picture that
people see.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from whatif.engine.errors import WhatifError

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFile import ImageFile

# The formats of data sets. Other formats have decoders that are rarely used, and EPS would start Ghostscript.
FORMATS = ("AVIF", "BMP", "GIF", "ICO", "JPEG", "JPEG2000", "PNG", "PPM", "TIFF", "WEBP")
MOST_PIXELS = 89_478_485  # Pillow's own limit for a warning: a quarter of a gigabyte as RGB
LARGEST_PICTURE = 64 * 1024**2  # bytes of a file; images of benchmarks are smaller
_KEPT = ("GIF", "JPEG", "MPO", "PNG", "WEBP")  # endpoints, browsers and other tools read these; MPO are JPEG files
_ORIENTATION = 0x0112  # the tag of Exif
_TURNED = range(2, 9)  # orientations that are not upright; values outside 1 to 8 mean nothing
_EASY = ("1", "L", "LA", "P", "PA", "RGB", "RGBA")  # modes that every tool converts to RGB alike, where they are opaque
_BITS, _WHITE, _SIGN = 258, 262, 339  # tags of TIFF: bits of a sample, whether white is 0, and whether it is signed
# A PNG names its transparent colour in levels of the file. These make them levels of the decoded image.
_TRANSPARENT_STEPS = {"1": 255.0, "L;2": 85.0, "L;4": 17.0, "RGB;16B": 1 / 256}


class UnreadableImageError(WhatifError, OSError):
    """The bytes of an image exist but cannot be decoded.

    `kind` is the class name of the decoder's error. `said` is the first line of its message, without parts that differ
    between runs.
    """

    def __init__(self, message: str, said: str = "") -> None:
        super().__init__(message)
        self.kind = message
        self.said = said or message


def decode(data: bytes, mode: Literal["RGB", "RGBA"] = "RGB") -> Image:
    """Decodes the first image in `data` as a viewer shows it: with `RGB` over white paper, with `RGBA` without paper.

    The orientation of the metadata is applied. Transparent parts show the paper, not their hidden colour. Grey levels
    of up to 16 bits are scaled from 0 to the largest that the file can have. Other levels of more than 8 bits (floats,
    32-bit integers) are scaled from 0..1 if all lie there, otherwise from their smallest to their largest. Colour
    profiles are ignored.

    Raises UnreadableImageError for a format outside `FORMATS`, for more than `MOST_PIXELS`, and for every error of the
    decoder except MemoryError, which is caused by the machine rather than the image.
    """
    with _opened(data) as picture:
        shown = _shown(picture)
        return shown.convert(mode) if mode == "RGBA" else _over_white(shown)


def as_shown(data: bytes) -> bytes:
    """The same bytes if every tool decodes them to the pixels of `decode`, otherwise a PNG of these pixels.

    PNG, JPEG, GIF and WebP are kept if they are upright and opaque, have one frame, and grey levels or colours of RGB.
    Raises UnreadableImageError as `decode`, but not for damage behind the header of an image that is kept.
    """
    with _opened(data) as picture:
        kept, transparent = picture.format in _KEPT and picture.mode in _EASY, picture.has_transparency_data
        if picture.format not in ("JPEG", "MPO"):  # other tools read the first image of a JPEG file
            kept = kept and not getattr(picture, "is_animated", False)
        kept = kept and picture.getexif().get(_ORIENTATION, 1) not in _TURNED
    if kept and not transparent:
        return data
    with _opened(data) as picture:
        shown = _shown(picture)
    if kept and shown.mode == "RGB":
        return data
    out = io.BytesIO()
    # Colour profiles are ignored, and that of CMYK does not fit the pixels.
    _over_white(shown).save(out, "PNG", icc_profile=None)
    return out.getvalue()


@contextmanager
def _opened(data: bytes) -> Iterator[ImageFile]:
    """The first image, not yet decoded; whatever its decoder raises within becomes an UnreadableImageError."""
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings do not matter: an image is decoded or not
            with Image.open(io.BytesIO(data), formats=_known()) as picture:
                if picture.width * picture.height > MOST_PIXELS:
                    size = f"{picture.width} x {picture.height} pixels"
                    raise Image.DecompressionBombError(f"{size}, a decompression bomb")
                yield picture
    except MemoryError:
        raise
    except UnidentifiedImageError as error:  # its message contains a memory address
        raise UnreadableImageError(type(error).__name__, "cannot identify image file") from error
    except Exception as error:  # decoders raise a dozen kinds of errors, all caused by this image
        said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UnreadableImageError(type(error).__name__, said.partition("\n")[0]) from error


def _shown(picture: ImageFile) -> Image:
    """The pixels in their orientation: RGB if all are opaque, otherwise RGBA."""
    from PIL import ImageOps

    steps = _TRANSPARENT_STEPS.get(_raw_mode(picture), 1.0)  # known only before decoding
    picture.load()
    key = picture.info.get("transparency")
    if isinstance(key, int) and picture.mode != "P":
        picture.info["transparency"] = int(key * steps)
    elif isinstance(key, tuple):
        picture.info["transparency"] = tuple(int(one * steps) for one in key)
    upright = ImageOps.exif_transpose(picture)
    if upright.mode.startswith(("I", "F")):
        return _of_wide_levels(upright, getattr(picture, "tag_v2", {}))
    if upright.mode == "LAB":
        return _of_lab(upright)
    if not upright.has_transparency_data:
        return upright.convert("RGB")
    seen = (upright.convert("LA") if upright.mode == "La" else upright).convert("RGBA")
    return seen.convert("RGB") if seen.getchannel("A").getextrema() == (255, 255) else seen


def _raw_mode(picture: ImageFile) -> str:
    """How the file has its samples, by the decoder's own name, such as `L;4`; empty if it does not say."""
    arguments = picture.tile[0].args if picture.tile else ""
    raw = arguments if isinstance(arguments, str) else next(iter(arguments or ()), "")
    return raw if isinstance(raw, str) else ""


def _of_wide_levels(picture: Image, tags: Mapping[int, Any]) -> Image:
    """A grey image of more than 8 bits, with 8 bits; RGBA if one of its levels stands for transparency.

    `tags` are those of TIFF; other formats have none.
    """
    import numpy as np
    from PIL import Image

    levels = np.asarray(picture, np.float64)  # height x width
    key = picture.info.get("transparency")
    finite = levels[np.isfinite(levels)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    bits = tags.get(_BITS, (16,))[0]
    signed = tags.get(_SIGN, (1,))[0] == 2
    most = 2.0 ** min(bits - 1 if signed else bits, 16) - 1
    if picture.mode.startswith("I") and low >= 0 and high <= most:
        low, high = 0.0, most
    elif low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    scaled = (np.nan_to_num(levels, nan=low, posinf=high, neginf=low) - low) / ((high - low) or 1.0) * 255
    eight = np.floor(scaled + 0.5).astype(np.uint8)
    grey = Image.fromarray(255 - eight if tags.get(_WHITE) == 0 else eight)
    if not isinstance(key, int) or not (levels == key).any():
        return grey.convert("RGB")
    shown = grey.convert("RGBA")
    shown.putalpha(Image.fromarray(np.where(levels == key, 0, 255).astype(np.uint8)))
    return shown


def _of_lab(picture: Image) -> Image:
    from PIL import ImageCms

    profiles = ImageCms.createProfile("LAB"), ImageCms.createProfile("sRGB")
    converted = ImageCms.profileToProfile(picture, *profiles, outputMode="RGB")
    assert converted is not None  # it is None only for a conversion in place
    return converted


def _over_white(shown: Image) -> Image:
    from PIL import Image

    if shown.mode == "RGB":
        return shown
    return Image.alpha_composite(Image.new("RGBA", shown.size, "white"), shown).convert("RGB")


@lru_cache
def _known() -> tuple[str, ...]:
    from PIL import Image

    Image.init()  # otherwise only the most common formats are registered
    return tuple(name for name in FORMATS if name in Image.OPEN)
