"""Images of a size that suits a page."""

from __future__ import annotations

import io

from whatif.artifacts.images import ImageStore

_LONGEST_SIDE = 640  # pixels of an image on the page
_QUALITY = 80  # of its encoding
_SMALL = 4_096  # bytes


def reduced(images: ImageStore, image_id: str, longest: int = _LONGEST_SIDE) -> bytes:
    """An image for the page, which embeds it wherever it is shown: a WebP of at most `longest` pixels a side.

    An image that is small in pixels and bytes stays as it is stored.
    """
    data, image = images.encoded(image_id), images.get(image_id)
    if max(image.size) <= longest and len(data) <= _SMALL:
        return data
    image.thumbnail((longest, longest))
    out = io.BytesIO()
    image.save(out, "WEBP", quality=_QUALITY, method=4)
    return out.getvalue()
