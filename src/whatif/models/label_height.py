"""The height of a label of a canvas in the image that a model sees, which is the canvas scaled to a fixed side."""

from __future__ import annotations

from functools import lru_cache


def label_height(font_size: int, size: tuple[int, int], input_side: int) -> float:
    """The height of a capital letter in pixels, after the longer side of a canvas was scaled to `input_side` pixels.

    `size` is the width and height of the canvas, and `font_size` the size of its font, both in pixels.
    """
    return cap_height(font_size) * input_side / max(size)


@lru_cache(maxsize=4096)
def cap_height(font_size: int) -> int:
    """The height of the capital letter H as it is drawn in the font of all canvases, in pixels."""
    from PIL import ImageFont

    _, top, _, bottom = ImageFont.load_default(font_size).getbbox("H", anchor="ls")
    return round(bottom - top)
