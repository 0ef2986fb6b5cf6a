"""Draws puzzles from rows of the table `puzzles`, at any size."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from whatif.benchmarks.cvqa_synthetic import dot_puzzle, flower_puzzle
from whatif.engine.errors import WhatifError
from whatif.engine.files import png
from whatif.engine.files.image_decoding import decode
from whatif.engine.random_streams import stream
from whatif.world.drawing.geometry import points_of
from whatif.world.drawing.palette import DOT_PUZZLE_COLOURS, POLYGON_COLOURS, WHITE, Colour

_FINER = 3  # outlines are drawn this many times larger, then scaled down
_DISC_FINER = 8  # the same for discs, which are few and cached


class FlowerPictures:
    """Flower images by image id, with a cache of every requested size (a few kilobytes each)."""

    def __init__(self, image_rows: Iterable[Mapping[str, Any]]) -> None:
        """Takes rows of the table `images` with RGBA images, as made by `flowers`."""
        self._encoded = {row["image_id"]: row["image"]["bytes"] for row in image_rows}
        self._decoded: dict[str, Image.Image] = {}
        self._scaled: dict[tuple[str, int], Image.Image] = {}

    @property
    def image_ids(self) -> list[str]:
        """The ids in order."""
        return sorted(self._encoded)

    def scaled(self, image_id: str, diameter: int) -> Image.Image:
        """The flower as an RGBA image of `diameter` x `diameter` pixels.

        Raises WhatifError when the flower image does not exist.
        """
        key = image_id, diameter
        if key not in self._scaled:
            self._scaled[key] = self._decode(image_id).resize((diameter, diameter), Image.Resampling.LANCZOS)
        return self._scaled[key]

    def _decode(self, image_id: str) -> Image.Image:
        if image_id not in self._encoded:
            raise WhatifError(f"flower image {image_id}: used in a puzzle but not among the extracted flower images")
        if image_id not in self._decoded:
            self._decoded[image_id] = decode(self._encoded[image_id], "RGBA")
        return self._decoded[image_id]


def draw_puzzle(row: Mapping[str, Any], flower_pictures: FlowerPictures, image_size: int | None = None) -> bytes:
    """The PNG of a puzzle, see `puzzle_picture`: the same row and size always give the same bytes."""
    return png.encode(puzzle_picture(row, flower_pictures, image_size))


def puzzle_picture(
    row: Mapping[str, Any], flower_pictures: FlowerPictures, image_size: int | None = None
) -> Image.Image:
    """A puzzle, RGB, `image_size` pixels wide and high; by default the size that it was laid out for. At a much smaller
    size the gaps between neighbours can be less than a pixel.

    Uses the columns `pair_id`, `image_size`, `polygons`, `flowers`, `circles` and `dot_radius` only.
    Raises WhatifError when a flower image is missing.
    """
    side = image_size or row["image_size"]
    scale = side / row["image_size"]
    picture = Image.new("RGB", (side, side), WHITE)
    for polygon in row["polygons"]:
        _draw_outline(picture, polygon, scale)
    for flower in row["flowers"]:
        sprite = flower_pictures.scaled(flower["image_id"], _diameter(flower["radius"], scale))
        picture.paste(sprite, _corner(flower, sprite.width, scale), sprite)
    if row["circles"]:
        _draw_circles(picture, row, scale)
    return picture


def dot_puzzle_colours(pair_id: str) -> tuple[Colour, Colour]:
    """The colours of the circles' outlines and of the dots; they depend only on the puzzle's id."""
    return DOT_PUZZLE_COLOURS[int(stream(0, "dot-puzzle-colours", pair_id).integers(len(DOT_PUZZLE_COLOURS)))]


def _draw_outline(picture: Image.Image, polygon: Mapping[str, Any], scale: float) -> None:
    width = flower_puzzle.OUTLINE_WIDTH * picture.width
    corners = points_of(polygon["points"]) * scale
    # The mask is as small as the polygon allows, because masks are most of the cost of an outline.
    left, top = np.floor(corners.min(axis=0) - width).astype(int).tolist()
    right, bottom = np.ceil(corners.max(axis=0) + width).astype(int).tolist()
    mask = Image.new("L", ((right - left) * _FINER, (bottom - top) * _FINER))
    # Half a pixel less, because the drawing routine's coordinates refer to the centre of a pixel.
    points = [(float(x), float(y)) for x, y in (corners - (left, top)) * _FINER - 0.5]
    line_width = max(1, round(width * _FINER))
    ImageDraw.Draw(mask).line([*points, *points[:2]], fill=255, width=line_width, joint="curve")
    picture.paste(POLYGON_COLOURS[polygon["colour"]], (left, top), mask.reduce(_FINER))


def _draw_circles(picture: Image.Image, row: Mapping[str, Any], scale: float) -> None:
    outline_colour, dot_colour = dot_puzzle_colours(row["pair_id"])
    dot = _disc_mask(_diameter(row["dot_radius"], scale), 0.0)
    for circle in row["circles"]:
        ring = _disc_mask(_diameter(circle["radius"], scale), dot_puzzle.OUTLINE_WIDTH * picture.width)
        picture.paste(outline_colour, _corner(circle, ring.width, scale), ring)
        for place in circle["dots"]:
            picture.paste(dot_colour, _corner(place, dot.width, scale), dot)


def _diameter(radius: float, scale: float) -> int:
    return max(1, round(2 * radius * scale))


def _corner(place: Mapping[str, Any], diameter: int, scale: float) -> tuple[int, int]:
    return round(place["x"] * scale - diameter / 2), round(place["y"] * scale - diameter / 2)


@functools.lru_cache(maxsize=256)
def _disc_mask(diameter: int, outline_width: float) -> Image.Image:
    """A disc as wide as the mask; if an outline width is given, only the outline."""
    finer = diameter * _DISC_FINER
    mask = Image.new("L", (finer, finer))
    draw = ImageDraw.Draw(mask)
    draw.ellipse((0, 0, finer - 1, finer - 1), fill=255)
    if outline_width:
        inset = outline_width * _DISC_FINER
        draw.ellipse((inset, inset, finer - 1 - inset, finer - 1 - inset), fill=0)
    return mask.reduce(_DISC_FINER)
