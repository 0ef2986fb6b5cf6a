"""Images of scenes: the things and nothing else, at any size, always the same pixels."""

from __future__ import annotations

import hashlib
from itertools import combinations

import numpy as np
import pytest

from whatif.engine.errors import WhatifError
from whatif.engine.files import png
from whatif.world.scene_image import draw_scene_picture, silhouette, square_of
from whatif.world.scene_shapes import OUTLINES
from whatif.world.scenes import BACKGROUNDS, COLOURS, NOUNS, Scene, Thing, draw_scene


@pytest.mark.parametrize("side", [16, 32, 64, 99, 512])
def test_each_thing_is_where_the_scene_says_in_its_colour(side: int) -> None:
    for number in range(30):
        scene = draw_scene("train", number, 1)
        picture = draw_scene_picture(scene, side)
        assert (picture.mode, picture.size) == ("RGB", (side, side))
        pixels = np.asarray(picture)
        elsewhere = np.ones((side, side), np.bool_)
        for thing in scene.things:
            left, top, diameter = square_of(thing, side)
            assert abs(left + diameter / 2 - thing.x * side) <= 0.5 and abs(top + diameter / 2 - thing.y * side) <= 0.5
            square = pixels[top : top + diameter, left : left + diameter]
            assert square.shape == (diameter, diameter, 3)
            if side >= 64:
                assert (square == COLOURS[thing.colour]).all(axis=2).mean() > 0.1
            elsewhere[top : top + diameter, left : left + diameter] = False
        assert (pixels[elsewhere] == BACKGROUNDS[scene.background]).all()


def test_pixels_are_the_same_on_every_machine() -> None:
    """A different hash on another machine would mean different images and differently trained models."""
    digest = hashlib.sha256()
    for number in range(200):
        for side in (32, 64, 128):
            digest.update(draw_scene_picture(draw_scene("train", number, 0), side).tobytes())
    assert digest.hexdigest()[:16] == "ec5f7d9e316d1f08"


def test_png_holds_the_picture() -> None:
    picture = draw_scene_picture(draw_scene("test", 2, 0))
    assert png.encode(picture) == png.encode(draw_scene_picture(draw_scene("test", 2, 0)))


def test_different_scenes_are_different_pictures() -> None:
    scenes = [draw_scene(split, number, 0, "one") for split in ("train", "test") for number in range(500)]
    assert len({draw_scene_picture(scene).tobytes() for scene in scenes}) == len(set(scenes))


def test_neighbouring_places_are_drawn_apart() -> None:
    for size in ("small", "large"):
        lefts = [square_of(Thing("ball", "red", size, step / 64, 0.5), 64)[0] for step in range(14, 51)]
        assert len(set(lefts)) == len(lefts)


@pytest.mark.parametrize("noun", NOUNS)
def test_a_silhouette_fills_its_square_and_has_soft_edges(noun: str) -> None:
    mask = np.asarray(silhouette(noun, 215))
    rows, columns = np.flatnonzero(mask.max(axis=1)), np.flatnonzero(mask.max(axis=0))
    assert max(np.ptp(rows), np.ptp(columns)) == 214
    assert abs(rows[0] - (214 - rows[-1])) <= 2 and abs(columns[0] - (214 - columns[-1])) <= 2
    assert 0.15 < mask.mean() / 255 <= 1
    if noun != "box":
        assert ((mask > 0) & (mask < 255)).any()


def test_silhouettes_differ_at_the_smallest_size_that_models_see() -> None:
    masks = {noun: np.asarray(silhouette(noun, 15), np.float64) / 255 for noun in OUTLINES}
    for some, other in combinations(masks.values(), 2):
        assert np.minimum(some, other).sum() / np.maximum(some, other).sum() < 0.85


@pytest.mark.parametrize("side", [15, 513])
def test_other_sizes_are_errors(side: int) -> None:
    scene = Scene("x", "white", (Thing("ball", "red", "small", 0.5, 0.5),))
    with pytest.raises(WhatifError, match=f"side is {side}; it must be a number of pixels from 16 to 512"):
        draw_scene_picture(scene, side)
