"""Whether the processor of a checkpoint makes pictures of the size that its model takes."""

from __future__ import annotations

from typing import Any

from whatif.errors import WhatifError

# Kind of checkpoint -> the part of its configuration that holds the only size its model takes. A ViLT stretches the
# positions of its patches, and so takes any.
_FIXED = {"clip": "vision_config", "flava": "image_config", "llava": "vision_config"}


def check_picture_size(source: str, configuration: Any, processor: Any) -> None:
    """Raises WhatifError, naming the file to look at, when pictures would come out too large or too small.

    Nothing is said of kinds whose models take several sizes, nor of processors that keep a picture's own.
    """
    part = _FIXED.get(configuration.model_type)
    images = getattr(processor, "image_processor", None)
    if part is None or images is None:
        return
    taken = getattr(configuration, part).image_size
    wanted = (taken, taken) if isinstance(taken, int) else tuple(taken)
    made = _made(images)
    if made is not None and made != wanted:
        raise WhatifError(
            f"checkpoint {source}: its processor makes pictures of {made[0]} x {made[1]} pixels, its model takes "
            f"{wanted[0]} x {wanted[1]}; mend preprocessor_config.json or processor_config.json (crop_size, size)"
        )


def _made(images: Any) -> tuple[int, int] | None:
    """Height and width of the pictures that a processor of images makes, where they are always the same."""
    for does, name in (("do_center_crop", "crop_size"), ("do_resize", "size")):
        size = getattr(images, name, None) or {}
        if getattr(images, does, False) and size.get("height") and size.get("width"):
            return int(size["height"]), int(size["width"])
    return None
