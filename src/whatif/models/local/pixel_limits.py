"""The settings `min_pixels` and `max_pixels`, which limit the size of the images that a processor makes."""

from __future__ import annotations

from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.params.checkpoints import HuggingFaceChat


def limit_pixels(settings: HuggingFaceChat, processor: Any) -> None:
    """Sets the limits of the processor's images, in pixels of an image (width times height).

    A processor with such limits scales an image only as far as they require, to whole image tokens. Raises WhatifError
    when the family's processor has no such limits, and when no image could respect them.
    """
    limits = {"min_pixels": settings.min_pixels, "max_pixels": settings.max_pixels}
    wanted: dict[str, int] = {name: value for name, value in limits.items() if value is not None}
    if not wanted:
        return
    images = processor.image_processor
    named = getattr(getattr(images, "valid_kwargs", None), "__annotations__", {})
    if not {"min_pixels", "max_pixels"} <= set(named):
        raise WhatifError(
            f"checkpoint {settings.checkpoint}: its processor ({type(images).__name__}) has no limits in pixels; "
            f"remove {' and '.join(wanted)} from the model's entry"
        )
    # The library's names: here they are areas in pixels, although they are called edges.
    size: dict[str, int] = dict(images.size)
    least = wanted.get("min_pixels", size["shortest_edge"])
    most = wanted.get("max_pixels", size["longest_edge"])
    token = (images.patch_size * images.merge_size) ** 2
    if most < token:
        raise WhatifError(
            f"checkpoint {settings.checkpoint}: max_pixels is {most}, but an image has at least one token of {token} "
            "pixels; increase max_pixels"
        )
    if least > most:
        own = "max_pixels" if "max_pixels" not in wanted else "min_pixels"
        raise WhatifError(
            f"checkpoint {settings.checkpoint}: min_pixels is {least} and max_pixels is {most}; its own {own} is used "
            f"because none is set: set {own} too"
        )
    images.size = type(images.size)(**(size | {"shortest_edge": least, "longest_edge": most}))
