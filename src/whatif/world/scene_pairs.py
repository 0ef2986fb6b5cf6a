"""Captions of the embedded world that differ in one noun, and whether an image shows the content of its caption."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.random_streams import stream
from whatif.world.scene_captions import WORDINGS, full_caption
from whatif.world.scene_edits import edit
from whatif.world.scenes import draw_scene

if TYPE_CHECKING:
    from PIL.Image import Image


def caption_pair(split: str, number: int, seed: int) -> dict[str, str]:
    """Pair `number` of a split: a scene of one thing, and the same with another noun; depends only on the arguments.

    The keys are columns of `pairs`. The captions differ only in the noun; `provenance` has colour and background.
    """
    scene = draw_scene(split, number, seed, "one")
    generator = stream(seed, "caption pair", split, number)
    other = edit(scene, "noun", generator)
    wording = int(generator.integers(WORDINGS))
    return {
        "pair_id": f"scene-pair-{number + 1:06d}",
        "caption_0": full_caption(scene, wording),
        "caption_1": full_caption(other, wording),
        "subject_0": scene.things[0].noun,
        "subject_1": other.things[0].noun,
        "provenance": canonical_json({"background": scene.background, "colour": scene.things[0].colour}),
    }


def picture_defects(
    picture: Image, *, noun: str, colour: str, background: str, least_score: float
) -> list[tuple[str, str]]:
    """What an image of one thing shows wrongly: (`object`, what was seen), and so on; empty if everything is correct.

    Seen by the recogniser, which does not know how the image was made. Raises WhatifError for an image that is not
    square or not of 32 to 64 pixels.
    """
    from whatif.world.scene_recognition import recognise

    seen = recognise(picture, least_score)
    asked = {"object": (noun, seen.noun), "colour": (colour, seen.colour), "background": (background, seen.background)}
    return [
        (what, f"{what}: {found or 'none'} is seen, {wanted} was asked for")
        for what, (wanted, found) in asked.items()
        if found != wanted
    ]
