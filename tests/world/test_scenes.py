"""Scenes: true to their description, in one split only, the same for the same arguments."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from whatif.engine.errors import WhatifError
from whatif.world.scenes import (
    BACKGROUNDS,
    COLOURS,
    KINDS,
    NOUNS,
    RELATIONS,
    SIZES,
    SPLITS,
    Scene,
    Thing,
    draw_scene,
    split_of,
)

SCENES = [draw_scene("train", number, 0) for number in range(600)]
BY_KIND = {kind: [draw_scene("test", number, 3, kind) for number in range(200)] for kind in KINDS}


def picture(scene: Scene) -> tuple[str, frozenset[Thing]]:
    """The visible content: the order of the things does not matter."""
    return scene.background, frozenset(scene.things)


def test_there_is_enough_to_tell_apart() -> None:
    assert len(NOUNS) == len(set(NOUNS)) >= 14
    assert len(COLOURS) == 7
    assert len(BACKGROUNDS) == 6
    assert not set(COLOURS) & set(BACKGROUNDS)
    for some, other in combinations([*COLOURS.values(), *BACKGROUNDS.values()], 2):
        assert sum((a - b) ** 2 for a, b in zip(some, other, strict=True)) > 60**2


@pytest.mark.parametrize("kind", KINDS)
def test_things_are_inside_and_never_overlap(kind: str) -> None:
    for scene in BY_KIND[kind]:
        for thing in scene.things:
            reach = SIZES[thing.size] / 2
            assert reach <= min(thing.x, thing.y) and max(thing.x, thing.y) <= 1 - reach
        for first, second in combinations(scene.things, 2):
            apart = max(abs(first.x - second.x), abs(first.y - second.y))
            assert apart >= (SIZES[first.size] + SIZES[second.size]) / 2 + 0.01


def test_kinds_are_what_they_promise() -> None:
    assert {scene.kind for scene in SCENES} == set(KINDS)
    assert all(scene.kind == kind for kind, scenes in BY_KIND.items() for scene in scenes)
    assert all(len(scene.things) == 1 for scene in BY_KIND["one"])
    for scene in BY_KIND["pair"]:
        first, second = scene.things
        assert first.noun != second.noun
        along = {"left of": second.x - first.x, "right of": first.x - second.x}
        along |= {"above": second.y - first.y, "below": first.y - second.y}
        across = "xy"[scene.relation in ("left of", "right of")]
        assert along[scene.relation or ""] >= 0.28
        assert along[scene.relation or ""] > abs(getattr(first, across) - getattr(second, across))
    for scene in BY_KIND["counted"]:
        groups = scene.groups
        assert len(groups) <= 2 and all(1 <= group.count <= 6 for group in groups)
        assert len({(group.noun, group.colour) for group in groups}) == len(groups)
        assert 2 <= len(scene.things) == sum(group.count for group in groups) <= 9
        assert len(scene.things) <= 4 or {thing.size for thing in scene.things} == {"small"}


def test_everything_is_drawn_about_evenly() -> None:
    things = [thing for scene in SCENES for thing in scene.things[:1]]
    for field, names in (("noun", NOUNS), ("colour", COLOURS)):
        counts = Counter(getattr(thing, field) for thing in things)
        assert all(0.5 < counts[name] * len(names) / len(things) < 1.6 for name in names), counts
    relations = Counter(scene.relation for scene in SCENES if scene.relation)
    assert all(0.7 < relations[name] * 4 / relations.total() < 1.4 for name in RELATIONS), relations
    assert set(Counter(len(scene.things) for scene in SCENES)) == set(range(1, 10))


def test_no_scene_is_in_two_splits_whatever_the_seeds() -> None:
    pictures: dict[str, set[tuple[str, frozenset[Thing]]]] = {split: set() for split in SPLITS}
    topmost: dict[str, set[tuple[float, float]]] = {split: set() for split in SPLITS}
    for split, kind, seed in [(split, kind, seed) for split in SPLITS for kind in KINDS for seed in (0, 1, 2)]:
        for number in range(60):
            scene = draw_scene(split, number, seed, kind)
            assert split_of(scene.things) == split_of(reversed(scene.things)) == split
            pictures[split].add(picture(scene))
            topmost[split].add(min((thing.y, thing.x) for thing in scene.things))
    for some, other in combinations(SPLITS, 2):
        assert not pictures[some] & pictures[other]
        # Stronger: equal scenes have the same topmost place, and no two splits have one in common.
        assert not topmost[some] & topmost[other]


def test_every_place_belongs_to_one_split_in_the_promised_shares() -> None:
    places = [Thing("ball", "red", "small", x / 64, y / 64) for x in range(8, 57) for y in range(8, 57)]
    shares = Counter(split_of([place]) for place in places)
    assert all(abs(shares[split] / len(places) - tenths / 10) < 0.03 for split, tenths in SPLITS.items())


def test_a_scene_depends_on_its_arguments_alone() -> None:
    assert draw_scene("train", 17, 5) == draw_scene("train", 17, 5)
    assert draw_scene("train", 17, 5).scene_id == "scene-train-5-000017"
    assert draw_scene("train", 17, 5, "pair").scene_id == "scene-train-5-000017-pair"
    others = [("train", 18, 5), ("train", 17, 6), ("test", 17, 5)]
    assert all(draw_scene(*arguments) != draw_scene("train", 17, 5) for arguments in others)
    assert len({picture(scene) for scene in SCENES}) == len(SCENES)


def test_unknown_names_are_errors_that_list_the_known() -> None:
    with pytest.raises(WhatifError, match=r"unknown split 'dev'; choose one of train, validation, test"):
        draw_scene("dev", 0, 0)
    with pytest.raises(WhatifError, match=r"unknown kind 'many'; choose one of one, pair, counted"):
        draw_scene("train", 0, 0, "many")
