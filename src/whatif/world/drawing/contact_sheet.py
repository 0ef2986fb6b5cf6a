"""A contact sheet for visual checks: a grid of images, each above its question, options and answer."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

_MARGIN = 18
_LINE = 19  # pixels from line to line
_FONT_SIZE = 14
_INK = "#222222"


@dataclass(frozen=True)
class Panel:
    """An image and the paragraphs under it."""

    picture: Image
    paragraphs: tuple[str, ...]


def contact_sheet(panels: Sequence[Panel], columns: int = 3, side: int = 300) -> bytes:
    """A PNG of the panels, row by row, each image scaled to fit `side` x `side` pixels.

    Raises ValueError when there is no panel.
    """
    from PIL import Image, ImageDraw, ImageFont

    if not panels:
        raise ValueError("a contact sheet needs at least one panel")
    font = ImageFont.load_default(_FONT_SIZE)
    texts = [[line for text in panel.paragraphs for line in _lines(text, font.getlength, side)] for panel in panels]
    text_height = _LINE * max(len(lines) for lines in texts)
    width, height = side + 2 * _MARGIN, side + text_height + 3 * _MARGIN
    rows = -(-len(panels) // columns)
    sheet = Image.new("RGB", (width * min(columns, len(panels)), height * rows), "white")
    draw = ImageDraw.Draw(sheet)
    for number, (panel, lines) in enumerate(zip(panels, texts, strict=True)):
        left = number % columns * width + _MARGIN
        top = number // columns * height + _MARGIN
        picture = panel.picture.convert("RGB")
        picture.thumbnail((side, side), Image.Resampling.LANCZOS)
        sheet.paste(picture, (left, top))
        draw.rectangle((left - 1, top - 1, left + picture.width, top + picture.height), outline="#cccccc")
        for line_number, line in enumerate(lines):
            place = (left, top + side + _MARGIN // 2 + line_number * _LINE)
            draw.text(place, line, fill=_INK, font=font)
    out = io.BytesIO()
    sheet.save(out, "PNG", optimize=True)
    return out.getvalue()


def _lines(text: str, length: Callable[[str], float], width: int) -> list[str]:
    """The words of a text in lines of at most `width` pixels; a wider word has its own line."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and length(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
