"""Draws a thing after an event: in pieces, melted, flat, covered, and so on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from PIL import Image, ImageChops, ImageDraw

from whatif.world.causal_sprites import Canvas, Sprite
from whatif.world.causal_styles import in_style

_SNOW, _WATER, _PAINT = (240, 245, 252), (92, 164, 236), (24, 24, 28)
_STRING = (90, 70, 60)

# Draws a sprite whose middle (x) and lower edge (y) are in pixels; `away` is 1 for the right side of the table, or -1.
Change: TypeAlias = Callable[[Canvas, Sprite, int, int, int], None]


def standing(canvas: Canvas, sprite: Sprite, x: int, y: int, away: int = 1) -> None:
    """As it is, on its lower edge."""
    canvas.put(sprite, x - sprite.width // 2, y - sprite.height)


def _broken(canvas: Canvas, sprite: Sprite, x: int, y: int, away: int) -> None:
    width, height = sprite.width, sprite.height
    left, top, gap = x - width // 2, y - height, canvas.side // 24
    tooth = width // 9
    across = [(0, height // 2 + tooth), (width // 4, height // 2 - tooth), (width // 2, height // 2 + tooth)]
    along = [(3 * width // 4, height // 2 - tooth), (width, height // 2 + tooth)]
    upper = [(width // 2 - tooth, 0), (width // 2 + tooth, height // 4), (width // 2, height // 2 + tooth)]
    lower = [(width // 2 - tooth, 3 * height // 4), (width // 2 + tooth, height)]
    middle = across[2]
    parts = (
        ([(0, 0), *upper, across[1], across[0]], (-gap, -gap)),
        ([*upper[:2], middle, *along, (width, 0)], (gap, -gap * 3 // 2)),
        ([*across, *lower, (0, height)], (-gap * 3 // 2, 0)),
        ([middle, *along, (width, height), lower[1], lower[0]], (gap * 3 // 2, 0)),
    )
    for outline, (right, down) in parts:
        inside = Image.new("L", (width, height))
        ImageDraw.Draw(inside).polygon(outline, fill=255)
        canvas.put(_masked(sprite, inside), left + right, top + down)


def _halved(canvas: Canvas, sprite: Sprite, x: int, y: int, away: int) -> None:
    middle, gap, top = sprite.width // 2, canvas.side // 20, y - sprite.height
    canvas.put(sprite.cropped((0, 0, middle, sprite.height)), x - middle - gap, top)
    canvas.put(sprite.cropped((middle, 0, sprite.width, sprite.height)), x + gap, top)


def _melted(canvas: Canvas, sprite: Sprite, x: int, y: int, away: int) -> None:
    rest = sprite.cropped((0, 0, sprite.width, sprite.height * 11 // 20))
    half, deep = canvas.side * 24 // 100, canvas.side * 5 // 200
    standing(canvas, rest, x, y + deep // 2, away)
    canvas.ellipse((x - half, y - deep, x + half, y + 2 * deep), sprite.colour)
    for side, drop in ((-1, 4), (1, 6)):
        reach = x + side * half * 3 // 4
        canvas.ellipse((reach - deep, y, reach + deep, y + drop * deep), sprite.colour, outline=False)


def _flat(canvas: Canvas, sprite: Sprite, x: int, y: int, away: int) -> None:
    standing(canvas, sprite.resized(sprite.width * 13 // 10, max(1, sprite.height * 3 // 10)), x, y, away)


def _painted(canvas: Canvas, sprite: Sprite, x: int, y: int, away: int) -> None:
    width, height = sprite.width, sprite.height
    painted = sprite.image.copy()
    draw = ImageDraw.Draw(painted)
    colour = in_style(_PAINT, canvas.style)
    draw.rectangle((0, 0, width, height * 45 // 100), fill=colour)
    for number, length in enumerate((66, 54, 76, 58, 70)):
        start = width * (2 * number) // 10
        draw.rectangle((start, 0, start + width // 9, height * length // 100), fill=colour)
    unit = canvas.side // 100
    canvas.ellipse(_box(x, y + unit, 21 * unit, 5 * unit // 2), _PAINT)
    for right, drop in ((-17, 9), (-12, 5), (14, 7)):
        canvas.ellipse(_box(x + right * unit, y + drop * unit, 3 * unit // 2, drop * unit), _PAINT, outline=False)
    standing(canvas, replace(sprite, image=painted), x, y, away)


def _covered(canvas: Canvas, sprite: Sprite, x: int, y: int, away: int) -> None:
    unit = canvas.side // 100
    standing(canvas, sprite, x, y, away)
    below = ImageChops.offset(sprite.mask, 0, 7 * unit)
    below.paste(0, (0, 0, sprite.width, 7 * unit))
    cap = ImageChops.subtract(sprite.mask, below)
    snow = Sprite(Image.new("RGB", cap.size, in_style(_SNOW, canvas.style)), cap, _SNOW)
    canvas.put(snow, x - sprite.width // 2, y - sprite.height - 3 * unit)
    for middle, half, high in ((-13, 8, 5), (12, 9, 6), (0, 12, 3)):
        canvas.ellipse(_box(x + middle * unit, y, half * unit, high * unit), _SNOW)
    for right, up in ((-21, 34), (22, 30), (-24, 16), (25, 12), (-8, 44), (10, 42)):
        canvas.ellipse(_box(x + right * unit, y - up * unit, 3 * unit // 2, 3 * unit // 2), _SNOW)


def _fallen(canvas: Canvas, sprite: Sprite, x: int, y: int, away: int) -> None:
    lying = sprite.lying()
    edge = canvas.side // 24 + lying.width // 2
    place = canvas.side - edge if away > 0 else edge
    standing(canvas, lying, place, canvas.side * 97 // 100, away)


def _lifted(canvas: Canvas, sprite: Sprite, x: int, y: int, away: int) -> None:
    base, width = canvas.side * 52 // 100, max(1, canvas.side // 160)
    canvas.rectangle((x - width, 0, x + width, base - sprite.height // 2), _STRING, outline=False)
    standing(canvas, sprite, x, base, away)


def _wet(canvas: Canvas, sprite: Sprite, x: int, y: int, away: int) -> None:
    unit = canvas.side // 100
    canvas.ellipse(_box(x, y + unit, 25 * unit, 3 * unit), _WATER)
    standing(canvas, sprite, x, y, away)
    for across, down in ((24, 34), (70, 26), (48, 56), (82, 64), (16, 72)):
        _drop(canvas, x + sprite.width * (across - 50) // 100, y - sprite.height * (100 - down) // 100, 2 * unit)
    for right, up in ((-20, 8), (21, 10), (-23, 22), (23, 24)):
        _drop(canvas, x + right * unit, y - up * unit, 2 * unit)


def _fat(canvas: Canvas, sprite: Sprite, x: int, y: int, away: int) -> None:
    standing(canvas, sprite.resized(sprite.width * 7 // 5, sprite.height * 9 // 10), x, y, away)


def _tall(canvas: Canvas, sprite: Sprite, x: int, y: int, away: int) -> None:
    standing(canvas, sprite.resized(sprite.width * 11 // 10, sprite.height * 17 // 10), x, y, away)


def _bent(canvas: Canvas, sprite: Sprite, x: int, y: int, away: int) -> None:
    """Every row is moved sideways, the more the higher it is."""
    low = sprite.resized(sprite.width, sprite.height * 85 // 100)
    height, reach = low.height, sprite.height // 2
    rows = height - 1 - np.arange(height)
    columns = np.arange(low.width)[None, :] + (rows * rows * reach // (height * height))[:, None]
    image = np.zeros((height, low.width + reach, 3), np.uint8)
    mask = np.zeros((height, low.width + reach), np.uint8)
    image[np.arange(height)[:, None], columns] = np.asarray(low.image)
    mask[np.arange(height)[:, None], columns] = np.asarray(low.mask)
    bent = replace(sprite, image=Image.fromarray(image), mask=Image.fromarray(mask))
    canvas.put(bent, x - low.width // 2, y - height)


CHANGES: dict[str, Change] = {
    "break": _broken,
    "melt": _melted,
    "paint": _painted,
    "squash": _flat,
    "cut": _halved,
    "fall": _fallen,
    "lift": _lifted,
    "cover": _covered,
    "wet": _wet,
    "fatten": _fat,
    "grow": _tall,
    "wilt": _bent,
}


def _masked(sprite: Sprite, inside: Image.Image) -> Sprite:
    return replace(sprite, mask=ImageChops.multiply(sprite.mask, inside))


def _box(x: int, y: int, half_width: int, half_height: int) -> tuple[int, int, int, int]:
    return x - half_width, y - half_height, x + half_width, y + half_height


def _drop(canvas: Canvas, x: int, y: int, radius: int) -> None:
    canvas.ellipse(_box(x, y, radius, 3 * radius // 2), _WATER)
