"""Minimal pairs: one property changes, the rest stays in place, and the edited scene stays in its split."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.world.test_scenes import BY_KIND
from whatif.engine.errors import WhatifError
from whatif.engine.random_streams import stream
from whatif.world.scene_edits import EDITS, edit
from whatif.world.scene_layout import fits
from whatif.world.scenes import OPPOSITES, SIZES, Scene, Thing, relation_of, split_of

CASES = [(kind, what) for kind, edits in EDITS.items() for what in edits]


def edits_of(kind: str, what: str) -> list[tuple[Scene, Scene]]:
    scenes = BY_KIND[kind]
    return [(scene, edit(scene, what, stream(0, "edit", number))) for number, scene in enumerate(scenes)]


@pytest.mark.parametrize(("kind", "what"), CASES)
def test_an_edited_scene_is_a_scene_of_the_same_split(kind: str, what: str) -> None:
    for scene, edited in edits_of(kind, what):
        assert edited != scene
        assert edited.scene_id == f"{scene.scene_id}-{what}"
        assert split_of(edited.things) == split_of(scene.things) == "test"
        places = [(thing.x, thing.y) for thing in edited.things]
        assert fits([SIZES[thing.size] for thing in edited.things], places)
        assert len({(group.noun, group.colour) for group in edited.groups}) == len(edited.groups)
        if edited.relation:
            assert edited.relation == relation_of(*edited.things)


@pytest.mark.parametrize(("kind", "what"), [case for case in CASES if case[1] in ("noun", "colour", "size")])
def test_one_word_changes_for_one_group(kind: str, what: str) -> None:
    for scene, edited in edits_of(kind, what):
        assert (edited.background, edited.relation) == (scene.background, scene.relation)
        changed = [pair for pair in zip(scene.things, edited.things, strict=True) if pair[0] != pair[1]]
        assert len({_names(before) for before, _ in changed}) == len({_names(after) for _, after in changed}) == 1
        assert len(changed) in {group.count for group in scene.groups}
        for before, after in changed:
            fields = ("noun", "colour", "size", "x", "y")
            assert [field for field in fields if getattr(before, field) != getattr(after, field)] == [what]


@pytest.mark.parametrize("kind", EDITS)
def test_another_background_leaves_the_things(kind: str) -> None:
    for scene, edited in edits_of(kind, "background"):
        assert edited.things == scene.things
        assert edited.background != scene.background


def test_by_relation_the_two_exchange_places() -> None:
    for scene, edited in edits_of("pair", "relation"):
        first, second = scene.things
        assert [_names(thing) for thing in edited.things] == [_names(first), _names(second)]
        assert [(thing.x, thing.y) for thing in edited.things] == [(second.x, second.y), (first.x, first.y)]
        assert edited.relation == OPPOSITES[scene.relation or ""]
        assert edited.background == scene.background


def test_by_count_things_of_one_group_come_or_go() -> None:
    came = []
    for scene, edited in edits_of("counted", "count"):
        before, after = set(scene.things), set(edited.things)
        assert before < after or after < before
        assert len({_names(thing) for thing in before ^ after}) == 1
        assert edited.background == scene.background
        counts = [{group.noun + group.colour: group.count for group in each.groups} for each in (scene, edited)]
        assert counts[0].keys() == counts[1].keys()
        assert all(1 <= count <= 6 for count in counts[1].values())
        came.append(before < after)
    assert min(Counter(came).values()) > len(came) / 10


def test_edits_that_a_scene_does_not_have_are_errors() -> None:
    generator = stream(0, "edit")
    with pytest.raises(
        WhatifError, match=r"kind one has no edit 'relation'; choose one of noun, colour, size, background"
    ):
        edit(BY_KIND["one"][0], "relation", generator)
    with pytest.raises(WhatifError, match="no edit 'weather'"):
        edit(BY_KIND["pair"][0], "weather", generator)
    at_the_edge = Scene("scene-x", "white", (Thing("ball", "red", "small", 0.125, 0.5),))
    with pytest.raises(WhatifError, match="scene-x: no room for another size"):
        edit(at_the_edge, "size", generator)


def _names(thing: Thing) -> tuple[str, str, str]:
    return thing.noun, thing.colour, thing.size
