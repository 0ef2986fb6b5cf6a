"""The recogniser: always right on correctly drawn images, and None where there is nothing to recognise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from whatif.engine.errors import WhatifError
from whatif.engine.random_streams import stream
from whatif.world import scene_recognition
from whatif.world.scene_image import draw_scene_picture
from whatif.world.scene_recognition import Recognised, recognise
from whatif.world.scenes import BACKGROUNDS, COLOURS, NOUNS, Scene, Thing, draw_scene


def shown(scene: Scene) -> tuple[str, str, str, str]:
    thing = scene.things[0]
    return thing.noun, thing.colour, thing.size, scene.background


def told(found: Recognised) -> tuple[str | None, str | None, str | None, str | None]:
    return found.noun, found.colour, found.size, found.background


@pytest.mark.slow
@pytest.mark.parametrize(("side", "number"), [(64, 1000), (48, 200), (32, 1000)])
def test_true_pictures_are_always_recognised(side: int, number: int) -> None:
    scenes = [draw_scene("test", place, 0, "one") for place in range(number)]
    found = [recognise(draw_scene_picture(scene, side)) for scene in scenes]
    assert [told(one) for one in found] == [shown(scene) for scene in scenes]
    assert min(one.score for one in found) > 0.9
    # The centre of mass is inside the thing, whose own centre is in the middle of its square.
    for one, scene in zip(found, scenes, strict=True):
        thing = scene.things[0]
        assert one.x is not None and abs(one.x - thing.x) < 0.12 and one.y is not None and abs(one.y - thing.y) < 0.12


@pytest.mark.parametrize("background", BACKGROUNDS)
def test_every_noun_in_every_colour_is_recognised(background: str) -> None:
    for noun in NOUNS:
        for colour in COLOURS:
            scene = Scene("x", background, (Thing(noun, colour, "small", 0.4, 0.6),))
            assert told(recognise(draw_scene_picture(scene))) == (noun, colour, "small", background)


@pytest.mark.parametrize("side", [32, 64])
def test_a_little_noise_does_not_matter(side: int) -> None:
    generator = stream(0, "noise")
    for number in range(100):
        scene = draw_scene("test", number, 1, "one")
        pixels = np.asarray(draw_scene_picture(scene, side)) + generator.normal(0, 8, (side, side, 3))
        assert told(recognise(Image.fromarray(pixels.clip(0, 255).astype(np.uint8)))) == shown(scene)


@pytest.mark.parametrize("background", BACKGROUNDS)
def test_a_blank_picture_has_a_background_and_nothing_else(background: str) -> None:
    blank = Image.new("RGB", (64, 64), BACKGROUNDS[background])
    assert recognise(blank) == Recognised(background)


def test_noise_has_nothing() -> None:
    generator = stream(0, "nothing")
    for cells in (4, 8, 64):
        for _ in range(20):
            noise = Image.fromarray(generator.integers(0, 256, (cells, cells, 3), np.uint8))
            assert recognise(noise.resize((64, 64), Image.Resampling.BILINEAR)) == Recognised()


def test_a_shape_that_has_no_name_has_none() -> None:
    scratch = Image.new("RGB", (64, 64), BACKGROUNDS["white"])
    for step in range(40):
        scratch.paste(COLOURS["blue"], (12 + step, 50 - step, 15 + step, 53 - step))
    found = recognise(scratch)
    assert (found.noun, found.size, found.colour, found.background) == (None, None, "blue", "white")
    assert 0 < found.score < 0.8


def test_several_things_are_not_taken_for_one() -> None:
    scenes = [draw_scene("test", number, 0, "counted") for number in range(60)]
    assert sum(recognise(draw_scene_picture(scene)).noun is not None for scene in scenes) <= 2
    equal = Scene("x", "white", (Thing("ball", "red", "small", 0.3, 0.3), Thing("ball", "blue", "small", 0.7, 0.7)))
    assert recognise(draw_scene_picture(equal)).noun is None


def test_nothing_of_the_drawing_is_used() -> None:
    """An error in drawing must not be repeated by the check."""
    assert "scene_picture" not in Path(scene_recognition.__file__).read_text(encoding="utf-8")


@pytest.mark.parametrize("size", [(64, 32), (31, 31), (128, 128)])
def test_pictures_of_another_shape_are_errors(size: tuple[int, int]) -> None:
    with pytest.raises(WhatifError, match=f"picture of {size[0]} x {size[1]} pixels: only square images of 32 to 64"):
        recognise(Image.new("RGB", size))
