"""Answers counting puzzles from their pixels, sharing no code with what laid them out, drew them or checked them.

From the row it takes what the question tells a reader (template, colours, N) and, to say in which polygon a flower
lies, the polygons; `outline_errors` says whether these are where the pixels show them.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import shapely
from PIL import Image
from scipy import ndimage

from whatif.world.drawing.palette import POLYGON_COLOURS

_TOUCHING = np.ones((3, 3), np.int8)  # diagonal neighbours belong together
_WHITE = 245  # in every channel: lighter is background


def recount_puzzle(png_bytes: bytes, row: Mapping[str, Any]) -> tuple[int, int]:
    """The original and the counterfactual answer that the image shows; ValueError if it shows no such puzzle."""
    pixels = _pixels(png_bytes)
    left, top, right, bottom = _boxes(pixels)
    if row["polygons"]:
        outlines = np.argmax((right - left) * (bottom - top))
        flowers = np.arange(len(left)) != outlines
        middle = np.stack([(left + right) / 2, (top + bottom) / 2], axis=1)[flowers]
        first, second = (shapely.contains_xy(polygon, middle) for polygon in _polygons(row))
        return _flower_answers(row, first, second)
    wide = right - left > 0.15 * len(pixels)
    if wide.sum() != 6:
        raise ValueError(f"{row['pair_id']}: {wide.sum()} circles")
    return _dot_answers(row, (left + right) / 2, (top + bottom) / 2, (right - left) / 2, wide)


def outline_errors(png_bytes: bytes, row: Mapping[str, Any], tolerance: float = 1.5) -> list[str]:
    """Where the outlines in the image and the stored polygons differ by more than `tolerance` pixels.

    Every pixel of a polygon's colour must lie on its stored outline, and the whole stored outline must be painted in
    its colour except where the other outline crosses it.
    """
    pixels = _pixels(png_bytes)
    width = 0.012 * len(pixels)
    colours = [POLYGON_COLOURS[polygon["colour"]] for polygon in row["polygons"]]
    masks = [np.abs(pixels - np.array(colour, np.int16)).max(axis=2) <= 6 for colour in colours]
    errors = []
    for polygon, outline, mask, other in zip(row["polygons"], _polygons(row), masks, masks[::-1], strict=True):
        y, x = np.nonzero(mask)
        away = shapely.distance(shapely.points(x + 0.5, y + 0.5), outline.exterior).max(initial=0)
        if away > width / 2 + tolerance:
            errors.append(f"{polygon['colour']}: painted {away:.1f} pixels from its outline")
        steps = shapely.line_interpolate_point(outline.exterior, np.arange(0, outline.exterior.length, 2.0))
        at = np.floor(shapely.get_coordinates(steps)).astype(int)
        painted = ndimage.binary_dilation(mask) | ndimage.binary_dilation(other, iterations=2)
        if not painted[at[:, 1], at[:, 0]].all():
            errors.append(f"{polygon['colour']}: a part of its outline is not painted")
    return errors


def _pixels(png_bytes: bytes) -> npt.NDArray[np.int16]:
    with Image.open(io.BytesIO(png_bytes)) as picture:
        return np.asarray(picture.convert("RGB")).astype(np.int16)


def _boxes(pixels: npt.NDArray[np.int16]) -> npt.NDArray[np.int64]:
    """Left, top, right and bottom of every connected thing on the white ground: (4, things)."""
    labels, _ = ndimage.label(pixels.min(axis=2) < _WHITE, _TOUCHING)
    boxes = [(x.start, y.start, x.stop, y.stop) for y, x in ndimage.find_objects(labels)]
    return np.array(boxes).T


def _polygons(row: Mapping[str, Any]) -> list[shapely.Polygon]:
    return [shapely.Polygon([(point["x"], point["y"]) for point in polygon["points"]]) for polygon in row["polygons"]]


def _flower_answers(
    row: Mapping[str, Any], first: npt.NDArray[np.bool_], second: npt.NDArray[np.bool_]
) -> tuple[int, int]:
    if row["group"] == "flower-recolour":
        return int(np.sum(~first)), int(np.sum(~first & ~second))
    if row["group"] == "flower-removal":
        return int(np.sum(first)), int(np.sum(first)) - int(row["removed"])
    return int(np.sum(first)), int(np.sum(first & ~second))


def _dot_answers(
    row: Mapping[str, Any],
    x: npt.NDArray[np.float64],
    y: npt.NDArray[np.float64],
    radius: npt.NDArray[np.float64],
    is_circle: npt.NDArray[np.bool_],
) -> tuple[int, int]:
    distance = np.hypot(x[is_circle, None] - x[~is_circle], y[is_circle, None] - y[~is_circle])
    counts = (distance < radius[is_circle, None]).sum(axis=1)
    if counts.sum() != (~is_circle).sum():
        raise ValueError(f"{row['pair_id']}: {(~is_circle).sum()} dots, {counts.sum()} of them in circles")
    upper = np.argsort(y[is_circle])[:3]
    rightmost = np.argsort(x[is_circle])[4:]
    total, in_order = int(counts.sum()), np.sort(counts)
    if row["group"] == "dot-removal":
        return total, total - int(row["removed"])
    if row["group"] == "dot-columns":
        return int(counts[upper].sum()), int(counts[np.setdiff1d(upper, rightmost)].sum())
    return int(in_order[-1]), int(in_order[-2])
