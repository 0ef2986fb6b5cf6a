"""Ten small pictures to start from: coloured balls on a shelf, drawn, and counted again from their pixels.

Replace this module by your own pictures. The other stages need a row of `images` for each picture, and what is known
about it.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from PIL import Image, ImageDraw
from whatif.benchmark import ArtifactTable, image_row, schema_of, stream

COLOURS = {"blue": (40, 90, 200), "green": (40, 150, 70), "red": (200, 50, 40)}
MOST_OF_A_COLOUR = 3
LICENCE = "CC0-1.0"  # of the pictures; published data sets name it beside each of them
_CELL, _COLUMNS, _ROWS, _RADIUS = 64, 3, 3, 24  # pixels and places
_WALL, _BOARD, _THICKNESS = (238, 234, 224), (120, 90, 60), 6

# What is known about a picture. Raise the version when you change the columns.
SHELVES = ArtifactTable(
    name="my-benchmark-shelves",
    version=1,
    key=("picture_id",),
    schema=schema_of(
        ("picture_id", pa.string()),
        ("image_id", pa.string()),
        ("balls", pa.list_(pa.string())),  # colours, from left to right and from top to bottom
    ),
)


def shelf(number: int, seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The picture of this number: its row of `images`, and its row of `SHELVES`.

    The number of balls of each colour is drawn uniformly from 0 to `MOST_OF_A_COLOUR`, and so is their order. The seed
    and the number decide everything.
    """
    random = stream(seed, "my-benchmark", "shelf", number)
    counts = random.integers(0, MOST_OF_A_COLOUR + 1, len(COLOURS))
    balls = [colour for colour, count in zip(COLOURS, counts, strict=True) for _ in range(count)]
    random.shuffle(balls)
    name = f"shelf-{number:05d}"
    data, width, height = draw(balls)
    image = image_row(data, width, height, f"drawn:{name}", LICENCE)
    return image, {"picture_id": name, "image_id": image["image_id"], "balls": balls}


def draw(balls: list[str]) -> tuple[bytes, int, int]:
    """The PNG of a shelf with these balls, and its width and height in pixels."""
    width, height = _CELL * _COLUMNS, _CELL * _ROWS
    picture = Image.new("RGB", (width, height), _WALL)
    pen = ImageDraw.Draw(picture)
    for bottom in range(_CELL, height + 1, _CELL):
        pen.rectangle((0, bottom - _THICKNESS, width, bottom - 1), fill=_BOARD)
    for place, colour in enumerate(balls):
        row, column = divmod(place, _COLUMNS)
        left = _CELL * column + _CELL // 2 - _RADIUS
        top = _CELL * (row + 1) - _THICKNESS - 1 - 2 * _RADIUS
        pen.ellipse((left, top, left + 2 * _RADIUS, top + 2 * _RADIUS), fill=COLOURS[colour])
    data = io.BytesIO()
    picture.save(data, "PNG")
    return data.getvalue(), width, height


def count_in(picture: Image.Image) -> Mapping[str, int]:
    """The number of balls of each colour, counted in the pixels: connected areas of exactly that colour.

    The stage `verify` compares it with what was drawn. Photographs need people, or a detector, in its place.
    """
    from scipy import ndimage

    pixels = np.asarray(picture.convert("RGB"))
    return {colour: int(ndimage.label((pixels == value).all(axis=2))[1]) for colour, value in COLOURS.items()}
