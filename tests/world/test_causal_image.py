"""Images of causes and effects: readable in every style, alike where nothing happened, the same on every machine."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from whatif.engine.errors import WhatifError
from whatif.world.causal_changes import CHANGES
from whatif.world.causal_events import EVENTS, EVENTS_OF, KINDS
from whatif.world.causal_image import draw_causal_picture
from whatif.world.causal_pairs import draw_group
from whatif.world.causal_scenes import DARK_COLOURS, LIGHT_COLOURS, LIGHTS, CausalScene, varied_scene
from whatif.world.causal_shapes import AGENT_SHAPES, CAUSAL_OUTLINES
from whatif.world.causal_sprites import agent_sprite
from whatif.world.causal_styles import INK, STYLES, in_style
from whatif.world.scenes import COLOURS

pytestmark = pytest.mark.slow

SIDE = 128
GROUPS = [draw_group("test", number, 1) for number in range(20)]  # a round: every event of every category


def pixels(scene: CausalScene, style: str, variation: int = 0, side: int = SIDE) -> np.ndarray:
    """The image of a scene: (side, side, 3), as numbers that can be subtracted."""
    return np.asarray(draw_causal_picture(scene, style, side, variation), np.int64)


def context(image: np.ndarray) -> np.ndarray:
    """The wall at the sides, the floor with the bystander, and the clock: where no agent and no thing is."""
    lower = image[SIDE * 45 // 100 :]
    return np.concatenate([lower[:, : SIDE * 22 // 100], lower[:, SIDE * 78 // 100 :]], axis=1)


def middle(image: np.ndarray) -> np.ndarray:
    """The thing on the table, and the air above it."""
    return image[: SIDE * 7 // 10, SIDE * 28 // 100 : SIDE * 72 // 100]


def differing(one: np.ndarray, other: np.ndarray) -> float:
    """The share of pixels that differ clearly."""
    return float((np.abs(one - other).max(axis=2) > 40).mean())


def test_every_word_is_drawn() -> None:
    assert {noun for nouns in KINDS.values() for noun in nouns} == set(CAUSAL_OUTLINES)
    assert {event.agent for event in EVENTS.values()} == set(AGENT_SHAPES)
    assert set(CHANGES) == set(EVENTS) == {name for names in EVENTS_OF.values() for name in names}


def test_pixels_are_the_same_on_every_machine() -> None:
    """A different hash on another machine would mean different images and different results."""
    digest = hashlib.sha256()
    for group in GROUPS:
        for style in STYLES:
            for scene in (group[1].cause_scene, group[2].effect_scene):
                digest.update(draw_causal_picture(scene, style, SIDE).tobytes())
                digest.update(draw_causal_picture(scene, style, 64, variation=2).tobytes())
    assert digest.hexdigest()[:16] == "5571991f6216ec2d"


@pytest.mark.parametrize("side", [64, 128, 200, 336])
def test_an_image_is_square_in_rgb_and_drawing_leaves_no_trace(side: int) -> None:
    scenes = [scene for group in GROUPS for scene in (group[0].cause_scene, group[0].effect_scene)]
    first = [draw_causal_picture(scene, "photograph", side) for scene in scenes]
    assert {(image.mode, image.size) for image in first} == {("RGB", (side, side))}
    again = [draw_causal_picture(scene, "photograph", side) for scene in reversed(scenes)]
    assert [image.tobytes() for image in first] == [image.tobytes() for image in reversed(again)]


def test_styles_differ_clearly() -> None:
    for group in GROUPS:
        scene = group[0].cause_scene
        photograph, comic, grey = (pixels(scene, style) for style in STYLES)
        for one, other in combinations((photograph, comic, grey), 2):
            assert np.abs(one - other).mean() > 8
        assert (grey == grey[..., :1]).all() and not (comic == comic[..., :1]).all()
        ink = [(np.abs(image - INK).max(axis=2) < 12).mean() for image in (photograph, comic)]
        assert ink[1] > ink[0] + 0.03
        colours = [len(np.unique(image.reshape(-1, 3), axis=0)) for image in (photograph, comic)]
        assert colours[0] > 2 * colours[1]


def test_colours_of_a_group_differ_without_hue() -> None:
    for dark in DARK_COLOURS:
        for light in LIGHT_COLOURS:
            grey = [in_style(COLOURS[colour], "black-white")[0] for colour in (dark, light)]
            assert grey[1] - grey[0] > 45


@pytest.mark.parametrize("style", STYLES)
def test_the_four_things_of_a_group_are_distinguishable(style: str) -> None:
    for group in GROUPS:
        for one, other in combinations(group, 2):
            for before, after in ((one.cause_scene, other.cause_scene), (one.effect_scene, other.effect_scene)):
                assert differing(pixels(before, style), pixels(after, style)) > 0.02, (one.pair_id, other.pair_id)


@pytest.mark.parametrize("style", STYLES)
def test_the_effect_shows_which_agent_acted(style: str) -> None:
    for group in GROUPS:
        scene = group[3].effect_scene
        drawn = {name: pixels(replace(scene, change=name), style) for name in EVENTS_OF[group[0].category]}
        drawn["nothing"] = pixels(replace(scene, change=None), style)
        for one, other in combinations(drawn, 2):
            assert differing(drawn[one], drawn[other]) > 0.012, (scene.scene_id, one, other)


@pytest.mark.parametrize("style", STYLES)
def test_agents_are_distinguishable_at_the_smallest_size(style: str) -> None:
    drawn = {}
    for agent in AGENT_SHAPES:
        sprite = agent_sprite(agent, 272, style, turned=False)
        wall = np.full((272, 272, 3), 240)
        image = np.where(np.asarray(sprite.mask)[..., None] > 0, np.asarray(sprite.image), wall)
        drawn[agent] = image.reshape(17, 16, 17, 16, 3).mean(axis=(1, 3))
        assert 0.1 < (np.asarray(sprite.mask) > 0).mean() < 0.8
    for one, other in combinations(drawn, 2):
        assert differing(drawn[one], drawn[other]) > 0.15, (one, other)


def test_only_the_cause_shows_agents() -> None:
    for group in GROUPS:
        scene = group[0].cause_scene
        without, image = pixels(replace(scene, agents=()), "comic"), pixels(scene, "comic")
        for half in (slice(0, SIDE // 3), slice(SIDE * 2 // 3, SIDE)):
            assert differing(image[: SIDE // 3, half], without[: SIDE // 3, half]) > 0.08
        other = pixels(replace(scene, agents=scene.agents[::-1]), "comic")
        assert differing(image, other) > 0.02


@pytest.mark.parametrize("style", STYLES)
def test_the_first_candidates_of_cause_and_effect_are_the_most_alike(style: str) -> None:
    for group in GROUPS:
        pair = group[2]
        if pair.event == "fall":
            continue  # the thing lies in the context
        cause = context(pixels(pair.cause_scene, style))
        distances = [np.abs(cause - context(pixels(pair.effect_scene, style, number))).mean() for number in range(7)]
        assert distances[0] < 1.5 and min(distances[1:]) > 2 * distances[0], (pair.pair_id, distances)


def test_candidates_are_different_images_of_the_same_things() -> None:
    for group in GROUPS[:8]:
        scene = group[1].cause_scene
        images = {draw_causal_picture(scene, "comic", SIDE, number).tobytes() for number in range(10)}
        assert len(images) == 10
        for number in range(1, 10):
            varied = varied_scene(scene, number)
            assert varied == varied_scene(scene, number) and varied.scale != 100 and varied.shift != 0
            assert (varied.thing, varied.bystander, varied.agents) == (scene.thing, scene.bystander, scene.agents)
            changed = (varied.light, varied.side, varied.bystander_scale) != (scene.light, scene.side, 100)
            assert changed
    effect = group[1].effect_scene
    assert any(varied_scene(scene, n).shift != varied_scene(effect, n).shift for n in range(1, 5))


def test_light_and_clock_are_visible() -> None:
    scene = GROUPS[0][0].cause_scene
    for style in STYLES:
        brightness = [pixels(replace(scene, light=light), style)[4:40, 50:80].mean() for light in LIGHTS]
        assert brightness[0] - brightness[1] > 8 and brightness[1] - brightness[2] > 8
        hours = {pixels(replace(scene, hour=hour), style).tobytes() for hour in range(1, 10)}
        assert len(hours) == 9


def test_wrong_arguments_are_errors_that_say_what_is_right() -> None:
    scene = GROUPS[0][0].cause_scene
    with pytest.raises(WhatifError, match=r"unknown style 'oil'; choose one of photograph, comic, black-white"):
        draw_causal_picture(scene, "oil", SIDE)
    for side in (63, 1025):
        with pytest.raises(WhatifError, match=f"side is {side}; it must be a number of pixels from 64 to 1024"):
            draw_causal_picture(scene, "comic", side)
    with pytest.raises(WhatifError, match=r"variation is -1; variations are counted from 0"):
        draw_causal_picture(scene, "comic", SIDE, -1)
