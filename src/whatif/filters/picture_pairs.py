"""Whether both pictures of a pair are there, can be read and have the same size: what other people's sets may lack."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any, Protocol

from whatif.images import UnreadableImageError

_NAMES = ("original", "counterfactual")


class Pictures(Protocol):
    """Where pictures are fetched by id (`whatif.images.ImageStore`)."""

    def __contains__(self, image_id: str) -> bool: ...
    def get(self, image_id: str) -> Any: ...


def pair_rejection(pair: Mapping[str, Any], pictures: Pictures) -> dict[str, Any] | None:
    """The rejection of a row of `pairs` whose pictures cannot be used, decoded to the last pixel; None when they can.

    The first reason of: `missing picture`, `unreadable picture` and `pictures of different sizes` is given.
    """
    sizes = []
    for name, image_id in zip(_NAMES, (pair["image_id_0"], pair["image_id_1"]), strict=True):
        if image_id not in pictures:
            return _rejection(pair, "missing picture", f"{name}: there is no image {image_id}")
        try:
            sizes.append(pictures.get(image_id).size)
        except UnreadableImageError as error:
            return _rejection(pair, "unreadable picture", f"{name}: {error}")
    return _of_sizes(pair, *sizes)


def file_rejection(
    pair: Mapping[str, Any], files: tuple[tuple[str, bytes | None], tuple[str, bytes | None]]
) -> dict[str, Any] | None:
    """The same for pictures that are files: name and bytes of both, None instead of bytes for one that is not there."""
    from PIL import Image

    sizes = []
    for name, (file, data) in zip(_NAMES, files, strict=True):
        if data is None:
            return _rejection(pair, "missing picture", f"{name}: there is no {file}")
        try:
            with Image.open(io.BytesIO(data)) as picture:
                sizes.append(picture.convert("RGB").size)
        except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
            # Pillow puts the address of the bytes into its message, which would differ from run to run.
            said = f"{name}: {file} ({len(data)} bytes) cannot be decoded ({type(error).__name__})"
            return _rejection(pair, "unreadable picture", said)
    return _of_sizes(pair, *sizes)


def _of_sizes(pair: Mapping[str, Any], first: tuple[int, int], second: tuple[int, int]) -> dict[str, Any] | None:
    if first == second:
        return None
    said = f"the original has {first[0]} x {first[1]} pixels, the counterfactual {second[0]} x {second[1]}"
    return _rejection(pair, "pictures of different sizes", said)


def _rejection(pair: Mapping[str, Any], reason: str, detail: str) -> dict[str, Any]:
    return {"item_id": pair["pair_id"], "reason": reason, "detail": detail}
