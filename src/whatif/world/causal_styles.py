"""The three styles of images of causes and effects: photograph, comic, black-white (MuCR 3.1)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PIL import Image

from whatif.engine.random_streams import stream
from whatif.world.causal_shapes import Colour

STYLES: tuple[str, ...] = ("photograph", "comic", "black-white")
INK: Colour = (22, 22, 22)

_GRAIN = 5  # the largest difference that the texture of a photograph makes to a pixel's values
_WHITE = (250, 250, 250)


def in_style(colour: Colour, style: str) -> Colour:
    """A colour as a style draws it: as it is, or its grey value."""
    if style != "black-white":
        return colour
    grey = (299 * colour[0] + 587 * colour[1] + 114 * colour[2]) // 1000
    return (grey, grey, grey)


def wall_in_style(colour: Colour, percent: int, style: str) -> Colour:
    """A wall at a percentage of its brightness. Black-white walls are lighter, so that every thing stands out."""
    red, green, blue = in_style(colour, style)
    if style == "black-white":
        red = green = blue = 255 - (255 - red) * 2 // 5
        percent = (100 + percent) // 2
    return (red * percent // 100, green * percent // 100, blue * percent // 100)


def marks_on(colour: Colour) -> Colour:
    """The colour of stripes and dots on a thing: white on dark colours, ink on light ones."""
    return _WHITE if in_style(colour, "black-white")[0] < 128 else INK


def has_outlines(style: str) -> bool:
    """Whether a style draws outlines in ink."""
    return style != "photograph"


def shaded(image: Image.Image) -> Image.Image:
    """A sprite lit from the upper left, as in photographs."""
    width, height = image.size
    across = np.arange(width, dtype=np.int32)[None, :] * 100 // max(1, width - 1)
    down = np.arange(height, dtype=np.int32)[:, None] * 100 // max(1, height - 1)
    percent = 120 - (across + 2 * down) * 52 // 300
    return Image.fromarray(np.clip(np.asarray(image, np.int32) * percent[..., None] // 100, 0, 255).astype(np.uint8))


def finished(image: Image.Image, style: str) -> Image.Image:
    """The whole image with what a style adds: light from above and a grain, or the frame of a comic's panel."""
    if style == "photograph":
        return _photographed(image)
    if style == "comic":
        return _framed(image)
    return image


def _photographed(image: Image.Image) -> Image.Image:
    side = image.width
    percent = (110 - np.arange(side, dtype=np.int32) * 30 // side)[:, None, None]
    pixels = np.asarray(image, np.int32) * percent // 100 + _grain(side)
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


@lru_cache(maxsize=8)
def _grain(side: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    """The same texture for every image of a size: (side, side, 1)."""
    drawn = stream(0, "causal grain", side).integers(-_GRAIN, _GRAIN + 1, (side, side, 1))
    return np.asarray(drawn, np.int32)


def _framed(image: Image.Image) -> Image.Image:
    width = max(1, image.width // 42)
    framed = Image.new("RGB", image.size, INK)
    framed.paste(image.crop((width, width, image.width - width, image.height - width)), (width, width))
    return framed
