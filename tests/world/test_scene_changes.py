"""Changes of scenes: what each does, what it leaves as it is, and what it refuses."""

from __future__ import annotations

import re
from typing import Any

import pytest

from whatif.engine.errors import WhatifError
from whatif.world.scene_changes import NOWHERE, REGIONS, changed, chosen
from whatif.world.scenes import Scene, Thing, draw_scene

BALLS = Thing("ball", "red", "small", 0.2, 0.2), Thing("ball", "blue", "small", 0.8, 0.2)
STAR = Thing("star", "blue", "large", 0.5, 0.7)
SCENE = Scene("scene", "white", (*BALLS, STAR))
PAIR = Scene("pair", "black", (BALLS[0], STAR), "above")


@pytest.mark.parametrize(
    ("which", "numbers"),
    [
        ({}, [0, 1, 2]),
        ({"noun": "ball"}, [0, 1]),
        ({"colour": "blue"}, [1, 2]),
        ({"colour": "blue", "noun": "ball"}, [1]),
        ({"size": "large"}, [2]),
        ({"not": {"noun": "ball"}}, [2]),
        ({"colour": "blue", "not": {"noun": "star"}}, [1]),
        ({"within": "top half"}, [0, 1]),
        ({"within": "top left quarter"}, [0]),
        ({"within": "right third"}, [1]),
        ({"within": "bottom third"}, [2]),
        ({"further": "left of", "than": {"noun": "star"}}, [0]),
        ({"further": "above", "than": {"noun": "star"}}, [0, 1]),
        ({"further": "below", "than": {"colour": "red"}}, [2]),
        ({"outermost": "right"}, [1]),
        ({"outermost": "bottom"}, [2]),
        ({"outermost": "right", "number": 2}, [1, 2]),
        ({"noun": "ball", "outermost": "left"}, [0]),
        ({"nearest": {"colour": "red"}}, [2]),
        ({"noun": "ball", "nearest": {"colour": "red"}}, [1]),
    ],
)
def test_things_are_chosen(which: dict[str, Any], numbers: list[int]) -> None:
    assert chosen(SCENE, which) == numbers


@pytest.mark.parametrize("side", ["left", "top"])
def test_regions_divide_the_image(side: str) -> None:
    other = {"left": "right", "top": "bottom"}[side]
    for part in ("half", "third"):
        first, last = REGIONS[f"{side} {part}"], REGIONS[f"{other} {part}"]
        assert tuple(round(1 - edge, 9) for edge in (last[2], last[3], last[0], last[1])) == pytest.approx(first)


def after(change: dict[str, Any], scene: Scene = SCENE) -> list[tuple[str, str, str]]:
    return [(one.noun, one.colour, one.size) for one in changed(scene, change).things]


RED, BLUE, LARGE = ("ball", "red", "small"), ("ball", "blue", "small"), ("star", "blue", "large")


@pytest.mark.parametrize(
    ("change", "things"),
    [
        ({"remove": {"colour": "blue"}}, [RED]),
        ({"hide": {}}, []),
        ({"remove": {"noun": "ball"}, "number": 1}, [BLUE, LARGE]),
        ({"add": {"noun": "cup", "colour": "pink"}, "number": 2}, [RED, BLUE, LARGE, *[("cup", "pink", "small")] * 2]),
        ({"add": {"noun": "cup", "colour": "pink", "size": "large"}}, [RED, BLUE, LARGE, ("cup", "pink", "large")]),
        ({"multiply": {"noun": "star"}, "by": 3}, [RED, BLUE, LARGE, LARGE, LARGE]),
        ({"recolour": {"noun": "ball"}, "to": "green"}, [("ball", "green", "small")] * 2 + [LARGE]),
        ({"rename": {"colour": "blue"}, "to": "kite"}, [RED, ("kite", "blue", "small"), ("kite", "blue", "large")]),
        ({"resize": {"noun": "star"}, "to": "small"}, [RED, BLUE, ("star", "blue", "small")]),
        (
            {"replace": {"noun": "ball"}, "by": {"noun": "box"}, "number": 1},
            [LARGE, ("box", "red", "small"), ("box", "blue", "small")],
        ),
        (
            {"exchange": "noun", "of": [{"noun": "ball"}, {"noun": "star"}]},
            [("star", "red", "small"), ("star", "blue", "small"), ("ball", "blue", "large")],
        ),
        (
            {"exchange": "colour", "of": [{"size": "large"}, {"colour": "red"}]},
            [("ball", "blue", "small"), BLUE, ("star", "red", "large")],
        ),
        ({"steps": [{"remove": {"noun": "star"}}, {"recolour": {}, "to": "pink"}]}, [("ball", "pink", "small")] * 2),
    ],
)
def test_a_change_does_what_it_says(change: dict[str, Any], things: list[tuple[str, str, str]]) -> None:
    assert after(change) == things


def test_changed_things_keep_their_places_and_added_ones_have_none() -> None:
    recoloured = changed(SCENE, {"recolour": {}, "to": "green"})
    assert [(one.x, one.y) for one in recoloured.things] == [(one.x, one.y) for one in SCENE.things]
    for change in ({"add": {"noun": "cup", "colour": "red"}}, {"multiply": {"noun": "star"}, "by": 2}):
        made = changed(SCENE, change)
        assert made.things[:3] == SCENE.things
        assert [(one.x, one.y) for one in made.things[3:]] == [(NOWHERE, NOWHERE)]
    added = changed(SCENE, {"add": {"noun": "cup", "colour": "red"}})
    assert chosen(added, {"within": "left half"}) == [0]
    assert chosen(added, {"further": "left of", "than": {"noun": "star"}}) == [0]


def test_the_relation_of_a_pair_follows_its_places() -> None:
    assert changed(PAIR, {"mirror": "top-bottom"}).relation == "below"
    assert changed(PAIR, {"mirror": "left-right"}).relation == "above"
    assert changed(PAIR, {"exchange": "place", "of": [{"noun": "ball"}, {"noun": "star"}]}).relation == "below"
    assert changed(PAIR, {"remove": {"noun": "star"}}).relation is None
    assert changed(PAIR, {"replace": {"noun": "star"}, "by": {"noun": "cup"}, "number": 1}).relation is None
    assert changed(SCENE, {"remove": {"colour": "red"}}).relation is None


def test_the_background_changes_alone_and_the_scene_itself_never() -> None:
    black = changed(SCENE, {"background": "black"})
    assert (black.background, black.things, SCENE.background) == ("black", SCENE.things, "white")
    assert black.scene_id == changed(black, {"background": "cream"}).scene_id == "scene-changed"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"paint": {}}, "unknown change {'paint': {}}; choose one of steps, remove, hide, add"),
        ({"remove": {}, "colour": "red"}, "unknown change"),
        ({"remove": {"color": "red"}}, "unknown key 'color' in {'color': 'red'}; choose one of noun, colour, size"),
        ({"remove": {"colour": "grey"}}, "unknown colour 'grey'; choose one of red, orange"),
        ({"remove": {"within": "middle"}}, "unknown within 'middle'; choose one of left half"),
        ({"remove": {"than": {"noun": "star"}}}, "unknown key 'than'"),
        ({"remove": {"number": 2}}, "unknown key 'number'"),
        ({"remove": {"nearest": {"noun": "ball"}}}, "{'noun': 'ball'} names 2 things; it must name one"),
        ({"remove": {"noun": "ball"}, "number": 3}, "3 things cannot be removed; {'noun': 'ball'} names 2"),
        ({"add": {"noun": "dog", "colour": "red"}}, "unknown noun 'dog'"),
        ({"recolour": {}, "to": "white"}, "unknown colour 'white'"),
        ({"rename": {}, "to": "red"}, "unknown noun 'red'"),
        ({"exchange": "colour", "of": [{"noun": "ball"}, {"noun": "star"}]}, "each of the two must have one colour"),
        ({"mirror": "left"}, "unknown mirror 'left'; choose left-right or top-bottom"),
        ({"background": "red"}, "unknown background 'red'; choose one of white"),
    ],
)
def test_impossible_changes_are_errors(change: dict[str, Any], message: str) -> None:
    with pytest.raises(WhatifError, match=f"^scene: .*{re.escape(message)}"):
        changed(SCENE, change)


def test_every_drawn_scene_can_be_changed() -> None:
    for number in range(200):
        scene = draw_scene("train", number, 3)
        assert len(changed(scene, {"multiply": {}, "by": 2}).things) == 2 * len(scene.things)
        assert changed(changed(scene, {"mirror": "left-right"}), {"mirror": "left-right"}).things == scene.things
