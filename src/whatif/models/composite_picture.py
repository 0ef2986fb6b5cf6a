"""A composite: several images on one canvas, each below its label, for models that take a single image (MuCR 4).

The cells are equal and follow the order of the images, row by row: up to three images form one row, four form 2 x 2,
five form 3 + 2. Images that already fit a cell keep their pixels; the others are scaled to fit, with their aspect
ratio. The font comes with Pillow, so a composite has the same pixels wherever the pinned Pillow is installed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from PIL.Image import Image

Box: TypeAlias = tuple[int, int, int, int]  # left, top, right, bottom in pixels; right and bottom are outside

MOST_IMAGES = 26
LARGEST_SIDE = 2048
SMALLEST_SIDE = 448  # a smaller canvas is enlarged, because its labels could not be read
_LEAST_BOUND = 224
# A model scales its image to a few hundred pixels. Of a canvas scaled to 336 pixels, the font is 14 pixels high.
_FONT_SHARE = 1 / 24
_SMALLEST_FONT = 8
_MOST_LINES = 3
_FRAME = (170, 170, 170)
_INK = (0, 0, 0)
_PAPER = (255, 255, 255)


@dataclass(frozen=True)
class Cell:
    """A frame with the lines of a label and, below them, the box that its image is scaled to fit."""

    frame: Box
    label: Box
    image: Box
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Layout:
    """Width and height of the canvas, size of the font, thickness of the frames (in pixels), a cell for each image."""

    size: tuple[int, int]
    font_size: int
    edge: int
    cells: tuple[Cell, ...]


def composite(images: Sequence[Image], labels: Sequence[str | None], largest_side: int = LARGEST_SIDE) -> Image:
    """The images on one RGB canvas, each below its label; its sides are at most `largest_side` pixels long.

    A label that is None or blank becomes `Image 1`, `Image 2`, ..., the image's place. A long label continues in a
    second and a third line; what is longer is shortened. Transparent parts become white, and 16 bits per channel
    become 8. A single image is returned in its own size, without a label.

    Raises ValueError for no image or more than 26, for another number of labels, for a label with characters that the
    font lacks, for different labels that look alike after shortening, for an image without pixels or of a mode without
    a defined range, and for a `largest_side` below 224.
    """
    from PIL import Image, ImageDraw

    pictures = [_rgb(image, place) for place, image in enumerate(images, 1)]
    if len(pictures) == 1 == len(labels):
        return pictures[0]
    layout = layout_of([picture.size for picture in pictures], labels, largest_side)
    canvas = Image.new("RGB", layout.size, _PAPER)
    draw, font = ImageDraw.Draw(canvas), _font(layout.font_size)
    ascent, descent = font.getmetrics()
    for cell, picture in zip(layout.cells, pictures, strict=True):
        left, top, right, bottom = cell.frame
        draw.rectangle((left, top, right - 1, bottom - 1), outline=_FRAME, width=layout.edge)
        left, _, right, bottom = cell.label
        bottom -= layout.font_size // 8  # so that no letter touches the image
        for number, line in enumerate(reversed(cell.lines), 1):  # from the image upwards
            start = left + (right - left - math.ceil(font.getlength(line))) // 2
            draw.text((start, bottom - number * (ascent + descent)), line, fill=_INK, font=font)
        canvas.paste(*_fitted(picture, cell.image))
    return canvas


def layout_of(
    sizes: Sequence[tuple[int, int]], labels: Sequence[str | None], largest_side: int = LARGEST_SIDE
) -> Layout:
    """The layout of a composite of images of these sizes (width, height). Raises ValueError as `composite` does."""
    if not 1 <= len(sizes) <= MOST_IMAGES:
        raise ValueError(f"a composite has 1 to {MOST_IMAGES} images, not {len(sizes)}")
    if len(labels) != len(sizes):
        raise ValueError(f"a composite of {len(sizes)} images needs {len(sizes)} labels, not {len(labels)}")
    if largest_side < _LEAST_BOUND:
        raise ValueError(
            f"the largest side of a composite is {largest_side} pixels; it must be at least {_LEAST_BOUND}"
        )
    texts = [_label(label, place) for place, label in enumerate(labels, 1)]
    columns = len(sizes) if len(sizes) <= 3 else math.isqrt(len(sizes) - 1) + 1
    rows = -(-len(sizes) // columns)
    width, height = max(size[0] for size in sizes), max(size[1] for size in sizes)
    side = max(columns * width, rows * height)
    aim = min(max(side, SMALLEST_SIDE), largest_side)  # the longer side of all images, without labels and margins
    # A smaller aim makes everything smaller. At the smallest font, 26 cells fit `_LEAST_BOUND`.
    while max((layout := _layout(texts, columns, (width, height), aim / side)).size) > largest_side:
        aim = min(aim - 1, aim * largest_side // max(layout.size))
    _check_different(texts, layout)
    return layout


def _layout(texts: Sequence[str], columns: int, size: tuple[int, int], scale: float) -> Layout:
    """The layout with images of at most `size` times `scale`."""
    width, height = int(size[0] * scale), max(1, int(size[1] * scale))
    rows = -(-len(texts) // columns)
    font_size = max(_SMALLEST_FONT, int(max(columns * width, rows * height) * _FONT_SHARE))
    width = max(width, 4 * font_size)  # room for the labels of narrow images
    font_size, lines = _broken(texts, font_size, width)
    margin, edge = font_size // 4, max(1, font_size // 24)  # `edge` is the thickness of a frame
    band = max(map(len, lines)) * sum(_font(font_size).getmetrics()) + margin
    across, down = width + 2 * edge + margin, band + height + 2 * edge + margin
    cells = []
    for place, broken in enumerate(lines):
        left, top = margin + place % columns * across, margin + place // columns * down
        inner, right, above = left + edge, left + edge + width, top + edge + band
        cells.append(
            Cell(
                frame=(left, top, right + edge, above + height + edge),
                label=(inner, top + edge, right, above),
                image=(inner, above, right, above + height),
                lines=broken,
            )
        )
    return Layout((margin + columns * across, margin + rows * down), font_size, edge, tuple(cells))


def _broken(texts: Sequence[str], font_size: int, width: int) -> tuple[int, list[tuple[str, ...]]]:
    """The font size and the lines of all labels: a slightly smaller font if each label then fits one line."""
    for eighths in (8, 7, 6):
        smaller = max(_SMALLEST_FONT, font_size * eighths // 8)
        if all(_font(smaller).getlength(text) <= width - smaller // 2 for text in texts):
            return smaller, [(text,) for text in texts]
    return font_size, [_lines(text, _font(font_size), width - font_size // 2) for text in texts]


def _check_different(texts: Sequence[str], layout: Layout) -> None:
    shown: dict[tuple[str, ...], str] = {}
    for text, cell in zip(texts, layout.cells, strict=True):
        if (earlier := shown.setdefault(cell.lines, text)) != text:
            raise ValueError(
                f"the labels {earlier!r:.80} and {text!r:.80} of a composite look alike when they are shortened to "
                f"{' '.join(cell.lines)!r}; give shorter labels"
            )


def _label(label: str | None, place: int) -> str:
    """The text of a label in one line. Raises ValueError for characters that the font lacks."""
    text = " ".join((label or "").split()) or f"Image {place}"
    lacking = sorted({character for character in text if not _has_glyph(character)})
    if lacking:
        shown = ", ".join(ascii(character) for character in lacking[:5])
        raise ValueError(
            f"label {place} of a composite has {shown}, which the font lacks; use Latin letters and digits"
        )
    return text


def _lines(text: str, font: Any, width: int) -> tuple[str, ...]:
    """A label in at most three lines of at most `width` pixels; what does not fit is replaced by dots."""
    lines: list[str] = []
    rest = text
    while rest:
        fits = _longest_start(rest, font, width)
        if fits == len(rest):
            lines.append(rest)
            break
        if len(lines) == _MOST_LINES - 1:
            lines.append(_shortened(rest, font, width))
            break
        space = rest.rfind(" ", 1, fits + 1)
        end = space if space > 0 else max(1, fits)  # a word that is wider than the cell is broken
        lines.append(rest[:end])
        rest = rest[end:].lstrip()
    return tuple(lines)


def _shortened(text: str, font: Any, width: int) -> str:
    text = text[: _longest_start(text, font, width)]
    while text and font.getlength(f"{text}...") > width:
        text = text[:-1]
    return f"{text.rstrip()}..."


def _longest_start(text: str, font: Any, width: int) -> int:
    """The number of characters at the start of a text that fit a width."""
    end = 0
    while end < len(text) and font.getlength(text[: end + 1]) <= width:
        end += 1
    return end


def _fitted(picture: Image, box: Box) -> tuple[Image, tuple[int, int]]:
    """An image scaled to fit a box, and where it begins: in the middle, directly below its label."""
    from PIL import Image

    left, top, right, bottom = box
    scale = min((right - left) / picture.width, (bottom - top) / picture.height)
    size = max(1, round(picture.width * scale)), max(1, round(picture.height * scale))
    fitted = picture if size == picture.size else picture.resize(size, Image.Resampling.LANCZOS)
    return fitted, (left + (right - left - size[0]) // 2, top)


def _rgb(image: Image, place: int) -> Image:
    """An image as RGB with 8 bits per channel, on white."""
    import numpy as np
    from PIL import Image

    if not image.width or not image.height:
        raise ValueError(f"image {place} of a composite has no pixels: {image.width} x {image.height}")
    if image.mode == "RGB" and "transparency" not in image.info:
        return image
    if image.mode.startswith("I"):  # grey in 16 bits; Pillow would clip it
        values = np.asarray(image).astype(np.int64)
        if values.min() < 0 or values.max() > 65_535:
            raise ValueError(f"image {place} of a composite has grey values outside 0 to 65,535 (mode {image.mode})")
        return Image.fromarray(((values + 128) // 257).astype(np.uint8)).convert("RGB")
    if image.mode in ("La", "RGBa"):  # colours multiplied by their opacity
        image = image.convert(image.mode.replace("a", "A"))
    if image.has_transparency_data:
        paper = Image.new("RGBA", image.size, _PAPER)
        return Image.alpha_composite(paper, image.convert("RGBA")).convert("RGB")
    if image.mode == "F":
        raise ValueError(f"image {place} of a composite has grey values without a defined range (mode F)")
    return image.convert("RGB")


@lru_cache(maxsize=64)
def _font(size: int) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(size)


@lru_cache(maxsize=4096)
def _has_glyph(character: str) -> bool:
    """Whether the font has a character: one that it lacks is drawn like a code point that is no character."""
    font = _font(20)
    return bytes(font.getmask(character)) != bytes(font.getmask("\uffff")) and character.isprintable()
