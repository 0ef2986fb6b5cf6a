"""Says what a picture of one thing shows, from its pixels alone: the check on pictures that a model has made.

Independent of the drawing: nothing is shared with it but the outlines and the names of the colours. Templates are
made here by counting points inside the outlines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image

from whatif.drawing.geometry import inside
from whatif.embedded.scene_shapes import OUTLINES
from whatif.embedded.scenes import BACKGROUNDS, COLOURS, SIZES, Colour
from whatif.errors import WhatifError

Pixels: TypeAlias = npt.NDArray[np.float64]

SMALLEST_SIDE, LARGEST_SIDE = 32, 64
_BORDER = 0.6  # of the border's pixels must have one colour for there to be a background
_NEAR = 70.0  # how far a pixel may be from a named colour, in the space of 8-bit RGB
_LEAST_AREA = 0.012  # of the picture: less is no thing
_LEAST_COLOURED = 0.5  # of the thing's pixels, but for its edge, must be nearest to the same named colour
_FAINT = 35.0  # as near to the background's colour, a pixel is background
_SHIFTS = 2  # pixels that the middle of mass may be off, each way
_SIZES = (0.85, 0.9, 0.95, 1.0, 1.05, 1.1)  # templates' diameters beside those of things
_OUTLINE_SIDE = 64  # pixels at which an outline's area is counted
_POINTS = 5  # in a row of a template's pixel


@dataclass(frozen=True)
class Recognised:
    """What was found; None for what cannot be told.

    `score`, 0 to 1, is the overlap with the nearest template. `x` and `y` are the thing's centre of mass as shares of
    the picture's side, `area` the share of the picture that it covers.
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
    """What a square RGB picture of 32 to 64 pixels shows, if that is one thing on a background.

    The background is the colour that most of the border has; what is not background is the thing, its colour the
    named one that most of its pixels are nearest to; its noun and size those of the template with the best overlap
    (intersection over union of soft masks, Tanimoto), if that is at least `least_score`; true pictures reach 0.93. A
    blank picture has a background and nothing else; noise has nothing.

    Raises WhatifError for a picture of another shape.
    """
    side = picture.width
    if picture.height != side or not SMALLEST_SIDE <= side <= LARGEST_SIDE:
        raise WhatifError(
            f"picture of {picture.width} x {picture.height} pixels: only square ones of 32 to 64 are recognised"
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
    """Where the centre of mass of a noun's outline is, x and y from the middle of its square; the share that it fills.

    All in shares of the square.
    """
    mask = _mask(noun, _OUTLINE_SIDE)
    x, y = _centre_of_mass(mask)
    return x - 0.5, y - 0.5, float(mask.mean())


def _centre_of_mass(share: Pixels) -> tuple[float, float]:
    """x and y, as shares of the side."""
    middles = (np.arange(len(share)) + 0.5) / len(share)
    x, y = (float(share.sum(axis=axis) @ middles / share.sum()) for axis in (0, 1))
    return x, y


def _background(pixels: Pixels) -> tuple[str | None, Pixels]:
    """The name of the border's colour, None when it has none, and the colour as it is in this picture."""
    border = np.concatenate([pixels[:2].reshape(-1, 3), pixels[-2:].reshape(-1, 3), pixels[2:-2, :2].reshape(-1, 3)])
    border = np.concatenate([border, pixels[2:-2, -2:].reshape(-1, 3)])
    name, members = _dominant(border, BACKGROUNDS)
    if members.mean() < _BORDER:
        return None, border[0]
    return name, np.median(border[members], axis=0)


def _colour(pixels: Pixels, ground: Pixels) -> tuple[str | None, Pixels]:
    """The name of the thing's colour, None when there is no thing, and the colour as it is in this picture."""
    distances = np.linalg.norm(pixels - ground, axis=2)
    different = distances > _FAINT
    if different.mean() < _LEAST_AREA:
        return None, ground
    # The half that is furthest from the background: the others are the soft edge, which is much of a small thing.
    thing = pixels[different & (distances >= np.median(distances[different]))]
    name, members = _dominant(thing, COLOURS)
    if members.mean() < _LEAST_COLOURED:
        return None, ground
    return name, np.median(thing[members], axis=0)


def _dominant(points: Pixels, palette: Mapping[str, Colour]) -> tuple[str, npt.NDArray[np.bool_]]:
    """The named colour that most of (n, 3) pixels are nearest to, and which pixels those are.

    A pixel counts for a name only when no other colour of things or backgrounds is nearer.
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
    """How much of each pixel is the thing, and how much of it is not background, whatever else it is: 0 to 1.

    The first is the pixel's place on the way from the background's colour to the thing's.
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
    # What lies outside the window, and what has another colour, counts against every template.
    both = views @ templates.T
    overlap = both / ((anything**2).sum() + areas - both)
    best = int(overlap.max(axis=0).argmax())
    return *named[best], float(overlap.max())


def _middle_of_mass(profile: Pixels) -> int:
    return int(np.floor(profile @ np.arange(len(profile)) / profile.sum() + 0.5))


@lru_cache(maxsize=8)
def _templates(side: int) -> tuple[list[tuple[str, str]], Pixels, Pixels]:
    """Noun and size of each template; the templates (n, pixels of a window); the sum of squares of each (n,).

    The middle of mass of each is in the middle of its window, up to half a pixel.
    """
    named, masks = [], []
    window = 2 * round(max(SIZES.values()) * max(_SIZES) * side * 0.7) + 1  # wider, as few balance at their centre
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
    """The share of each pixel that is inside the outline: (diameter, diameter)."""
    steps = (np.arange(diameter * _POINTS) + 0.5) / (diameter * _POINTS) * 2 - 1
    x, y = np.meshgrid(steps, steps)
    points = np.stack([x.ravel(), y.ravel()], axis=1)
    filled = np.any([inside(points, np.array(polygon)) for polygon in OUTLINES[noun]], axis=0)
    mask: Pixels = filled.reshape(diameter, _POINTS, diameter, _POINTS).mean(axis=(1, 3))
    return mask


def _different(numbers: Iterable[int]) -> list[int]:
    return sorted(set(numbers))
