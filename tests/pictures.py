"""Pictures for tests."""

from __future__ import annotations

import io

from PIL import Image, ImageDraw


def png(colour: tuple[int, int, int], side: int = 8) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (side, side), colour).save(out, "PNG")
    return out.getvalue()


def icon(colour: tuple[int, int, int], side: int = 40) -> bytes:
    """A PNG of a disc on white, as icons are."""
    picture = Image.new("RGB", (side, side), "white")
    ImageDraw.Draw(picture).ellipse((side // 4, side // 4, 3 * side // 4, 3 * side // 4), fill=colour)
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()
