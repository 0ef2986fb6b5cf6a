"""Checks that a checkpoint's processor makes images of the size that its model takes."""

from __future__ import annotations

from typing import Any

from whatif.engine.errors import WhatifError

# Model type -> the part of its configuration with the only size of an image, or of a tile of it, that it takes. A ViLT
# interpolates the positions of its patches, and so takes any size.
_FIXED = {
    "clip": "vision_config",
    "flava": "image_config",
    "gemma3": "vision_config",
    "internvl": "vision_config",
    "llava": "vision_config",
    "llava_next": "vision_config",
    "llava_onevision": "vision_config",
    "mllama": "vision_config",
}


def check_picture_size(source: str, configuration: Any, processor: Any) -> None:
    """Raises WhatifError, naming the file to check, when images would come out too large or too small.

    Model types that take several sizes, and processors that keep an image's size, are not checked.
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
            f"checkpoint {source}: its processor makes images of {made[0]} x {made[1]} pixels, its model takes "
            f"{wanted[0]} x {wanted[1]}; fix preprocessor_config.json or processor_config.json (crop_size, size)"
        )


def _made(images: Any) -> tuple[int, int] | None:
    """Height and width of the images that an image processor makes, if they are fixed."""
    for does, name in (("do_center_crop", "crop_size"), ("do_resize", "size")):
        size = getattr(images, name, None) or {}
        if getattr(images, does, False) and size.get("height") and size.get("width"):
            return int(size["height"]), int(size["width"])
    return None
