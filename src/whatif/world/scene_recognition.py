"""Recognises what an image of one thing shows, from its pixels alone, to check images made by a model.

Independent of the drawing code: only the outlines and the named colours are shared. Templates are computed here by
counting points inside the outlines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image

from whatif.engine.errors import WhatifError
from whatif.world.drawing.geometry import inside
from whatif.world.scene_shapes import OUTLINES
from whatif.world.scenes import BACKGROUNDS, COLOURS, SIZES, Colour

Pixels: TypeAlias = npt.NDArray[np.float64]

SMALLEST_SIDE, LARGEST_SIDE = 32, 64
_BORDER = 0.6  # minimum fraction of the border's pixels with one colour, for a background
_NEAR = 70.0  # maximum distance of a pixel from a named colour, in 8-bit RGB
_LEAST_AREA = 0.012  # minimum area of a thing, as a fraction of the image
_LEAST_COLOURED = 0.5  # minimum fraction of the thing's inner pixels nearest to the same named colour
_FAINT = 35.0  # a pixel within this distance of the background's colour is background
_SHIFTS = 2  # tolerated error of the centre of mass, in pixels, each way
_SIZES = (0.85, 0.9, 0.95, 1.0, 1.05, 1.1)  # template diameters relative to those of things
_OUTLINE_SIDE = 64  # resolution in pixels for an outline's area
_POINTS = 5  # sample points per pixel of a template, in each direction


@dataclass(frozen=True)
class Recognised:
    """The findings; None for what cannot be determined.

    `score`, 0 to 1, is the overlap with the nearest template. `x` and `y` are the thing's centre of mass as fractions
    of the
    the image's side, `area` the fraction of the image that it covers.
    """

    background: str | None = None
    colour: str | None = None
    noun: str | None = None
    size: str | None = None
    score: float = 0.0
    x: float | None = None
    y: float | None = None
    area: float | None = None


def recognise(picture: Image.Image, least_score: float = 0.8) -> Recognised:
    """The content of a square RGB image of 32 to 64 pixels, if that is one thing on a background.

    The background is the colour of most of the border. Everything else is the thing; its colour is the named colour
    that most of its pixels are nearest to; its noun and size are those of the template with the highest overlap
    (intersection over union of soft masks, Tanimoto), if that is at least `least_score`; correctly drawn images reach
    0.93. A blank image has a background and nothing else; noise has neither.

    Raises WhatifError for an image of another shape.
    """
    side = picture.width
    if picture.height != side or not SMALLEST_SIDE <= side <= LARGEST_SIDE:
        raise WhatifError(
            f"picture of {picture.width} x {picture.height} pixels: only square images of 32 to 64 are recognised"
        )
    pixels = np.asarray(picture.convert("RGB"), np.float64)
    background, ground = _background(pixels)
    if background is None:
        return Recognised()
    colour, ink = _colour(pixels, ground)
    if colour is None:
        return Recognised(background)
    share, anything = _shares(pixels, ground, ink)
    noun, size, score = _shape(share, anything)
    known = score >= least_score
    x, y = _centre_of_mass(share)
    return Recognised(
        background,
        colour,
        noun=noun if known else None,
        size=size if known else None,
        score=score,
        x=x,
        y=y,
        area=float(share.mean()),
    )


@cache
def outline_mass(noun: str) -> tuple[float, float, float]:
    """The centre of mass of a noun's outline relative to the middle of its square (x, y), and the fraction it fills.

    All as fractions of the square.
    """
    mask = _mask(noun, _OUTLINE_SIDE)
    x, y = _centre_of_mass(mask)
    return x - 0.5, y - 0.5, float(mask.mean())


def _centre_of_mass(share: Pixels) -> tuple[float, float]:
    """x and y, as fractions of the side."""
    middles = (np.arange(len(share)) + 0.5) / len(share)
    x, y = (float(share.sum(axis=axis) @ middles / share.sum()) for axis in (0, 1))
    return x, y


def _background(pixels: Pixels) -> tuple[str | None, Pixels]:
    """The name of the border's colour, or None, and the colour as it is in this image."""
    border = np.concatenate([pixels[:2].reshape(-1, 3), pixels[-2:].reshape(-1, 3), pixels[2:-2, :2].reshape(-1, 3)])
    border = np.concatenate([border, pixels[2:-2, -2:].reshape(-1, 3)])
    name, members = _dominant(border, BACKGROUNDS)
    if members.mean() < _BORDER:
        return None, border[0]
    return name, np.median(border[members], axis=0)


def _colour(pixels: Pixels, ground: Pixels) -> tuple[str | None, Pixels]:
    """The name of the thing's colour, or None if there is no thing, and the colour as it is in this image."""
    distances = np.linalg.norm(pixels - ground, axis=2)
    different = distances > _FAINT
    if different.mean() < _LEAST_AREA:
        return None, ground
    # Only the half that is furthest from the background: the rest is the soft edge, a large part of a small thing.
    thing = pixels[different & (distances >= np.median(distances[different]))]
    name, members = _dominant(thing, COLOURS)
    if members.mean() < _LEAST_COLOURED:
        return None, ground
    return name, np.median(thing[members], axis=0)


def _dominant(points: Pixels, palette: Mapping[str, Colour]) -> tuple[str, npt.NDArray[np.bool_]]:
    """The named colour that most of (n, 3) pixels are nearest to, and a mask of those pixels.

    A pixel counts for a name only if no other colour of things or backgrounds is nearer.
    """
    names, colours = _all_colours()
    distances = np.linalg.norm(points[:, None] - colours, axis=2)
    nearest = np.where(distances.min(axis=1) <= _NEAR, distances.argmin(axis=1), -1)
    most = max(palette, key=lambda name: int((nearest == names.index(name)).sum()))
    return most, nearest == names.index(most)


@cache
def _all_colours() -> tuple[list[str], Pixels]:
    return [*COLOURS, *BACKGROUNDS], np.array([*COLOURS.values(), *BACKGROUNDS.values()], np.float64)


def _shares(pixels: Pixels, ground: Pixels, ink: Pixels) -> tuple[Pixels, Pixels]:
    """How much of each pixel is the thing, and how much is anything but background: 0 to 1.

    The first is the pixel's position between the background's colour and the thing's.
    """
    way = ink - ground
    thing = ((pixels - ground) @ way / (way @ way)).clip(0, 1)
    distances = np.linalg.norm(pixels - ground, axis=2)
    anything = (distances / np.linalg.norm(way)).clip(0, 1)
    faint = distances <= _FAINT
    return np.where(faint, 0, thing), np.where(faint, 0, anything)


def _shape(share: Pixels, anything: Pixels) -> tuple[str, str, float]:
    """Noun and size of the nearest template, and its overlap, 0 to 1."""
    side = len(share)
    named, templates, areas = _templates(side)
    window = round(templates.shape[1] ** 0.5)
    rows, columns = (_middle_of_mass(share.sum(axis=axis)) for axis in (1, 0))
    padded = np.pad(share, window)
    top, left = rows + window - window // 2, columns + window - window // 2
    shifts = range(-_SHIFTS, _SHIFTS + 1)
    views = np.stack(
        [padded[top + y : top + y + window, left + x : left + x + window].ravel() for y in shifts for x in shifts]
    )
    # Anything outside the window, and anything of another colour, counts against every template.
    both = views @ templates.T
    overlap = both / ((anything**2).sum() + areas - both)
    best = int(overlap.max(axis=0).argmax())
    return *named[best], float(overlap.max())


def _middle_of_mass(profile: Pixels) -> int:
    return int(np.floor(profile @ np.arange(len(profile)) / profile.sum() + 0.5))


@lru_cache(maxsize=8)
def _templates(side: int) -> tuple[list[tuple[str, str]], Pixels, Pixels]:
    """Noun and size of each template; the templates (n, pixels of a window); the sum of squares of each (n,).

    Each template's centre of mass is in the middle of its window, up to half a pixel.
    """
    named, masks = [], []
    window = 2 * round(max(SIZES.values()) * max(_SIZES) * side * 0.7) + 1  # wider: outlines are rarely centred
    for noun in OUTLINES:
        for size, share in SIZES.items():
            for diameter in _different(round(share * scale * side) for scale in _SIZES):
                mask = _mask(noun, diameter)
                top, left = (window // 2 - _middle_of_mass(mask.sum(axis=axis)) for axis in (1, 0))
                framed = np.zeros((window, window))
                framed[top : top + diameter, left : left + diameter] = mask
                named.append((noun, size))
                masks.append(framed.ravel())
    templates = np.stack(masks)
    return named, templates, (templates**2).sum(axis=1)


def _mask(noun: str, diameter: int) -> Pixels:
    """The fraction of each pixel that is inside the outline: (diameter, diameter)."""
    steps = (np.arange(diameter * _POINTS) + 0.5) / (diameter * _POINTS) * 2 - 1
    x, y = np.meshgrid(steps, steps)
    points = np.stack([x.ravel(), y.ravel()], axis=1)
    filled = np.any([inside(points, np.array(polygon)) for polygon in OUTLINES[noun]], axis=0)
    mask: Pixels = filled.reshape(diameter, _POINTS, diameter, _POINTS).mean(axis=(1, 3))
    return mask


def _different(numbers: Iterable[int]) -> list[int]:
    return sorted(set(numbers))
