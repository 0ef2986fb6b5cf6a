"""How far a thing has moved, and how much it has grown, from one picture of a pair to the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import hypot, log, sqrt
from typing import Any

from PIL.Image import Image

from whatif.artifacts.images import DecodedPictures
from whatif.embedded.scene_recognition import Recognised, outline_mass, recognise


@dataclass(frozen=True)
class Movement:
    """What changed beside the noun, after the differences that the outlines of both nouns make in place and at size.

    `shift`: how far the thing moved, as a share of the picture's side. `growth`: the natural logarithm of how many
    times larger it is: 0 where the size stays the same, about 0.1 where its area grew by a tenth.
    """

    shift: float
    growth: float


def movement(original: Image, counterfactual: Image, least_score: float = 0.8) -> Movement | None:
    """The movement of a pair of pictures of one thing each; None where a thing is not recognised in both.

    Raises WhatifError as `recognise` does.
    """
    before, after = (recognise(picture, least_score) for picture in (original, counterfactual))
    if before.noun is None or after.noun is None:
        return None
    (x_0, y_0, area_0), (x_1, y_1, area_1) = _square(before), _square(after)
    return Movement(hypot(x_1 - x_0, y_1 - y_0), log(area_1 / area_0))


def moved_too_far(pictures: DecodedPictures, most: float | None, row: Mapping[str, Any]) -> tuple[str, str] | None:
    """Why a row of `pairs` is refused, as reason and detail: its thing moved by more than `most`; None when it is kept.

    A pair in which a thing is not recognised is not refused here: verification says what it shows instead.
    """
    if most is None:
        return None
    found = movement(pictures.get(row["image_id_0"]), pictures.get(row["image_id_1"]))
    if found is None or found.shift <= most:
        return None
    return "thing moved", f"moved by {found.shift:.3f} of the picture's side, more than {most}"


def _square(seen: Recognised) -> tuple[float, float, float]:
    """The middle and the area of the square in which the outline of a recognised thing is drawn."""
    assert seen.noun is not None and seen.x is not None and seen.y is not None and seen.area is not None
    x, y, filled = outline_mass(seen.noun)
    area = seen.area / filled
    return seen.x - x * sqrt(area), seen.y - y * sqrt(area), area
