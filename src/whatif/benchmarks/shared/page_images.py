"""Images of a size that suits a page."""

from __future__ import annotations

import io
from typing import Protocol

from whatif.engine.artifacts.images import DecodedPictures, EncodedPictures

_LONGEST_SIDE = 640  # pixels of an image on the page
_QUALITY = 80  # of its encoding
_SMALL = 4_096  # bytes


class Images(EncodedPictures, DecodedPictures, Protocol):
    """Images by id, as stored and decoded (`ImageStore`, `GatheredImages`)."""


def reduced(images: Images, image_id: str, longest: int = _LONGEST_SIDE, small: int = _SMALL) -> bytes:
    """An image for the page, which embeds it wherever it is shown: a WebP of at most `longest` pixels a side.

    An image that is small in pixels and has at most `small` bytes stays as it is stored.
    """
    data, image = images.encoded(image_id), images.get(image_id)
    if max(image.size) <= longest and len(data) <= small:
        return data
    image.thumbnail((longest, longest))
    out = io.BytesIO()
    image.save(out, "WEBP", quality=_QUALITY, method=4)
    return out.getvalue()
