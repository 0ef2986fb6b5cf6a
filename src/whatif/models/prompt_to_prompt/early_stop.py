"""Stops candidates whose images, as predicted after some of the steps, are far below the thresholds.

Whether a candidate is stopped depends on this candidate and its place alone, and the others keep their places: they
come out with the same bytes as without the setting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whatif.engine.params.checkpoints import EarlyStop
from whatif.models.prompt_to_prompt.attention import Begun
from whatif.models.prompt_to_prompt.image_maker import PictureMaker

if TYPE_CHECKING:
    from PIL.Image import Image


@dataclass(frozen=True)
class Predicted:
    """A run after `done` steps: its items that stop and those that go on, each at its place, with None at the others.

    `pictures` are the images predicted for the end, `scores` their similarities.
    """

    done: int
    stopped: list[Any]
    going: list[Any]
    begun: list[Begun]
    pictures: list[tuple[Image, Image]]
    scores: list[dict[str, float]]


def begin(run: Sequence[Any], maker: PictureMaker) -> Predicted:
    """Draws the first steps of a run, whose items end with a row of `pairs`; None marks an unused place.

    Raises WhatifError as `PictureMaker.begin` and `PictureMaker.measure` do, ValueError if the maker stops nothing.
    """
    if maker.stop is None:
        raise ValueError("the maker has no setting `stop`")
    rows = [item and item[-1] for item in run]
    done = steps_before(maker.stop, maker.steps)
    begun, pictures = maker.begin(rows, done)
    scores = maker.measure(rows, pictures)
    hopeless = [is_hopeless(found, maker.stop) for found in scores]
    return Predicted(
        done,
        [item if stops else None for item, stops in zip(run, hopeless, strict=True)],
        [None if stops else item for item, stops in zip(run, hopeless, strict=True)],
        begun,
        pictures,
        scores,
    )


def steps_before(stop: EarlyStop, steps: int) -> int:
    """The number of steps after which images are predicted, at least 1.

    Raises ValueError for a single step, of which nothing can be left out.
    """
    if steps < 2:
        raise ValueError("`stop` needs at least 2 steps")
    return min(steps - 1, max(1, round(stop.after * steps)))


def is_hopeless(scores: Mapping[str, float], stop: EarlyStop) -> bool:
    """Whether one of the similarities of the predicted images is below its minimum."""
    told = min(scores["caption_image_0"], scores["caption_image_1"])
    return (
        told < stop.caption_image
        or scores["image_image"] < stop.image_image
        or scores["directional"] < stop.directional
    )
