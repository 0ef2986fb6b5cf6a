"""A canvas as a square, so that a model that cuts a square out of the middle of an image loses nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

_PAPER = (255, 255, 255)


def squared(canvas: Image) -> Image:
    """The RGB canvas in the middle of a white square with its longer side; a square canvas is returned as it is.

    The processor of CLIP, and with it that of LLaVA 1.5, scales the *shorter* side and then crops the longer one. Of a
    wide canvas it would show only the panels in the middle.
    """
    from PIL import Image

    side = max(canvas.size)
    if canvas.size == (side, side):
        return canvas
    square = Image.new("RGB", (side, side), _PAPER)
    square.paste(canvas, ((side - canvas.width) // 2, (side - canvas.height) // 2))
    return square
