"""Measures how far an object moves, and how much it grows, between the two images of a pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import hypot, log, sqrt
from typing import Any

from PIL.Image import Image

from whatif.engine.artifacts.images import DecodedPictures
from whatif.world.scene_recognition import Recognised, outline_mass, recognise


@dataclass(frozen=True)
class Movement:
    """The change of position and size, corrected for the different outlines of the two nouns.

    `shift`: the distance moved, as a fraction of the image's side. `growth`: the natural logarithm of the ratio of the
    areas: 0 for the same size, about 0.1 for an area that is larger by a tenth.
    """

    shift: float
    growth: float


def movement(original: Image, counterfactual: Image, least_score: float = 0.8) -> Movement | None:
    """The movement between two images of one thing each; None if a thing is not recognised in both.

    Raises WhatifError as `recognise` does.
    """
    before, after = (recognise(picture, least_score) for picture in (original, counterfactual))
    if before.noun is None or after.noun is None:
        return None
    (x_0, y_0, area_0), (x_1, y_1, area_1) = _square(before), _square(after)
    return Movement(hypot(x_1 - x_0, y_1 - y_0), log(area_1 / area_0))


def moved_too_far(pictures: DecodedPictures, most: float | None, row: Mapping[str, Any]) -> tuple[str, str] | None:
    """The reason and detail if a row of `pairs` is rejected because its thing moved by more than `most`, else None.

    A pair in which a thing is not recognised is not rejected here; verification reports it.
    """
    if most is None:
        return None
    found = movement(pictures.get(row["image_id_0"]), pictures.get(row["image_id_1"]))
    if found is None or found.shift <= most:
        return None
    return "thing moved", f"moved by {found.shift:.3f} of the picture's side, more than {most}"


def _square(seen: Recognised) -> tuple[float, float, float]:
    """Centre and area of the square in which the outline of a recognised thing is drawn."""
    assert seen.noun is not None and seen.x is not None and seen.y is not None and seen.area is not None
    x, y, filled = outline_mass(seen.noun)
    area = seen.area / filled
    return seen.x - x * sqrt(area), seen.y - y * sqrt(area), area
