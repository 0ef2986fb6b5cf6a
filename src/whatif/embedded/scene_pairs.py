"""Captions of the embedded world that differ in one noun, and whether a picture shows what its caption says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whatif.artifacts.reader import canonical_json
from whatif.embedded.scene_captions import WORDINGS, full_caption
from whatif.embedded.scene_edits import edit
from whatif.embedded.scenes import draw_scene
from whatif.random_streams import stream

if TYPE_CHECKING:
    from PIL.Image import Image


def caption_pair(split: str, number: int, seed: int) -> dict[str, str]:
    """Pair `number` of a split: a scene of one thing, and the same with another noun; it depends on these alone.

    As columns of `pairs`. Both captions have the same words but for the noun; `provenance` names colour and background.
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
    """What a picture of one thing does not show as it should: (`object`, what was seen), and so on; none when all is.

    Seen by the recogniser that knows nothing of how the picture was made. Raises WhatifError for a picture that is
    not square or not of 32 to 64 pixels.
    """
    from whatif.embedded.scene_recognition import recognise

    seen = recognise(picture, least_score)
    asked = {"object": (noun, seen.noun), "colour": (colour, seen.colour), "background": (background, seen.background)}
    return [
        (what, f"{what}: {found or 'none'} is seen, {wanted} was asked for")
        for what, (wanted, found) in asked.items()
        if found != wanted
    ]
