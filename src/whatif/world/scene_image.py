"""Draws scenes of the embedded world, at any size."""

from __future__ import annotations

import math
from functools import lru_cache

from PIL import Image, ImageDraw

from whatif.engine.errors import WhatifError
from whatif.world.scene_shapes import OUTLINES
from whatif.world.scenes import BACKGROUNDS, COLOURS, SIZES, Scene, Thing

SMALLEST_SIDE, LARGEST_SIDE = 16, 512
_FINER = 8  # silhouettes are drawn this many times larger, then reduced


def draw_scene_picture(scene: Scene, side: int = 64) -> Image.Image:
    """The scene in RGB, `side` pixels wide and high, with soft edges; the same pixels on every machine.

    Raises WhatifError when `side` is not from 16 to 512.
    """
    if not SMALLEST_SIDE <= side <= LARGEST_SIDE:
        raise WhatifError(f"scene picture: side is {side}; it must be a number of pixels from 16 to 512")
    picture = Image.new("RGB", (side, side), BACKGROUNDS[scene.background])
    for thing in scene.things:
        left, top, diameter = square_of(thing, side)
        picture.paste(COLOURS[thing.colour], (left, top), silhouette(thing.noun, diameter))
    return picture


def square_of(thing: Thing, side: int) -> tuple[int, int, int]:
    """The square around a thing in whole pixels: left, top and its side.

    Halves are rounded upwards: rounding to even would draw two neighbouring places in the same pixels.
    """
    diameter = math.floor(SIZES[thing.size] * side + 0.5)
    left, top = (math.floor(middle * side - diameter / 2 + 0.5) for middle in (thing.x, thing.y))
    return left, top, diameter


@lru_cache(maxsize=1024)
def silhouette(noun: str, diameter: int) -> Image.Image:
    """The mask of a thing, `diameter` pixels wide and high: 255 inside, 0 outside. KeyError for an unknown noun."""
    last = diameter * _FINER - 1
    mask = Image.new("L", (last + 1, last + 1))
    draw = ImageDraw.Draw(mask)
    for polygon in OUTLINES[noun]:
        draw.polygon([(round((x + 1) / 2 * last), round((y + 1) / 2 * last)) for x, y in polygon], fill=255)
    return mask.reduce(_FINER)
