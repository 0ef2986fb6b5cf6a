"""A strip: several images in one row, each below its label, whose size follows from what a model can read.

A composite (`whatif.models.composite_picture`) has labels of a fixed share of the canvas. In a strip, the labels are so
large that they have a given height in the image that the model sees, or the strip is refused.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from whatif.models.composite_picture import LARGEST_SIDE, MOST_IMAGES, SMALLEST_SIDE, Cell, Layout, composite
from whatif.models.label_height import label_height

if TYPE_CHECKING:
    from PIL.Image import Image

_FONT_SHARE = 1 / 24  # preferred size of the font, of the canvas's width
_SMALLEST_FONT = 8
_LONGEST_LABEL = 40  # characters
_FRAME = (170, 170, 170)
_INK = (0, 0, 0)
_PAPER = (255, 255, 255)


def strip(images: Sequence[Image], labels: Sequence[str], *, input_side: int, least_label_height: float) -> Image:
    """The images in one row of equal panels on an RGB canvas, each below its label; also a single one has its label.

    The panels together are 448 to 2,048 pixels wide. Between these bounds, the largest image keeps its pixels; the
    others are scaled to its panel, with their aspect ratio. `least_label_height` is the height of a capital letter in
    pixels, after a model has scaled the longer side of the canvas to `input_side` pixels.

    Raises ValueError for no image or more than 26, another number of labels, a label that is empty, longer than 40
    characters or not in Latin letters, and images that `composite` refuses; and when the labels cannot be so high: the
    message says how high they can be.
    """
    from PIL import Image, ImageDraw

    shown = [composite([image], [None]) for image in images]  # as RGB
    layout = strip_layout(
        [image.size for image in shown], labels, input_side=input_side, least_label_height=least_label_height
    )
    canvas = Image.new("RGB", layout.size, _PAPER)
    draw, font = ImageDraw.Draw(canvas), _font(layout.font_size)
    for cell, image in zip(layout.cells, shown, strict=True):
        left, top, right, bottom = cell.frame
        draw.rectangle((left, top, right - 1, bottom - 1), outline=_FRAME, width=layout.edge)
        left, top, right, bottom = cell.label
        (text,) = cell.lines
        start = left + (right - left - math.ceil(font.getlength(text))) // 2
        draw.text((start, top + layout.font_size // 8), text, fill=_INK, font=font)
        _paste(canvas, image, cell)
    return canvas


def strip_layout(
    sizes: Sequence[tuple[int, int]], labels: Sequence[str], *, input_side: int, least_label_height: float
) -> Layout:
    """The layout of a strip of images of these sizes (width, height). Raises ValueError as `strip` does."""
    _check(sizes, labels)
    return _fitting(tuple(sizes), tuple(labels), input_side, least_label_height)


@lru_cache(maxsize=256)
def _fitting(
    sizes: tuple[tuple[int, int], ...], labels: tuple[str, ...], input_side: int, least_label_height: float
) -> Layout:
    number, width, height = len(sizes), max(size[0] for size in sizes), max(size[1] for size in sizes)
    scale = min(max(number * width, height, SMALLEST_SIDE), LARGEST_SIDE) / max(number * width, height)
    width, height = max(1, int(width * scale)), max(1, int(height * scale))
    found: Layout | None = None
    font_size = _SMALLEST_FONT
    # Larger fonts are tried as long as the labels fit: until they are both high enough and of the preferred size.
    while (made := _layout(labels, font_size, width, height)) is not None:
        found = made
        preferred = font_size >= _FONT_SHARE * number * width
        if preferred and label_height(font_size, made.size, input_side) >= least_label_height:
            break
        font_size += 1
    reached = 0.0 if found is None else label_height(found.font_size, found.size, input_side)
    if found is None or reached < least_label_height:
        raise ValueError(_too_small(number, reached, input_side, least_label_height))
    return found


def _check(sizes: Sequence[tuple[int, int]], labels: Sequence[str]) -> None:
    if not 1 <= len(sizes) <= MOST_IMAGES:
        raise ValueError(f"a strip has 1 to {MOST_IMAGES} images, not {len(sizes)}")
    if len(labels) != len(sizes):
        raise ValueError(f"a strip of {len(sizes)} images needs {len(sizes)} labels, not {len(labels)}")
    for place, label in enumerate(labels, 1):
        if not label.strip() or len(label) > _LONGEST_LABEL or not (label.isascii() and label.isprintable()):
            raise ValueError(
                f"label {place} of a strip is {label!a:.60}; it must have 1 to {_LONGEST_LABEL} Latin letters or digits"
            )


def _layout(labels: Sequence[str], font_size: int, width: int, height: int) -> Layout | None:
    """The layout with panels of `width` x `height` pixels; None if a label is wider than its panel."""
    font = _font(font_size)
    if max(map(font.getlength, labels)) > width:
        return None
    margin, edge = max(2, font_size // 4), max(1, font_size // 24)
    band = sum(font.getmetrics()) + font_size // 4
    cells = []
    for place, label in enumerate(labels):
        left = margin + place * (width + 2 * edge + margin)
        inner, above = left + edge, margin + edge + band
        cells.append(
            Cell(
                frame=(left, margin, inner + width + edge, above + height + edge),
                label=(inner, margin + edge, inner + width, above),
                image=(inner, above, inner + width, above + height),
                lines=(label,),
            )
        )
    size = cells[-1].frame[2] + margin, cells[-1].frame[3] + margin
    return Layout(size, font_size, edge, tuple(cells))


def _too_small(number: int, reached: float, input_side: int, least: float) -> str:
    wanted = (
        f"the labels of a strip of {number} images must be {least:g} pixels high at an input side of {input_side:,}"
    )
    if reached == 0:
        return f"{wanted}, but a label does not fit its panel; use larger images or shorter labels"
    enough = math.ceil(input_side * least / reached)
    return (
        f"{wanted}, but they can be {reached:.1f} pixels high; lower the least height to {math.floor(reached)}, "
        f"or raise the input side to {enough:,}"
    )


def _paste(canvas: Image, image: Image, cell: Cell) -> None:
    """Puts an image into its box, scaled to fit, in the middle below its label."""
    from PIL import Image

    left, top, right, bottom = cell.image
    scale = min((right - left) / image.width, (bottom - top) / image.height)
    size = max(1, round(image.width * scale)), max(1, round(image.height * scale))
    fitted = image if size == image.size else image.resize(size, Image.Resampling.LANCZOS)
    canvas.paste(fitted, (left + (right - left - size[0]) // 2, top))


@lru_cache(maxsize=512)
def _font(size: int) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(size)
