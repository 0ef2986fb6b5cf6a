"""Captions of scenes: every caption is true when it is parsed, and is natural English."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tests.world.test_scenes import BY_KIND
from whatif.engine.errors import WhatifError
from whatif.engine.random_streams import stream
from whatif.world.scene_captions import WORDINGS, all_captions, captions, full_caption
from whatif.world.scene_edits import EDITS, edit
from whatif.world.scene_words import plural
from whatif.world.scenes import COLOURS, KINDS, NOUNS, SIZES, Scene, draw_scene

NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9}
SINGULAR = {plural(noun): noun for noun in NOUNS} | {noun: noun for noun in NOUNS}
PHRASE = re.compile(
    rf"\b(?P<count>an?|the|{'|'.join(NUMBERS)})(?: (?P<size>{'|'.join(SIZES)}))?(?: (?P<colour>{'|'.join(COLOURS)}))?"
    rf" (?P<noun>{'|'.join(sorted(SINGULAR, key=len, reverse=True))})\b"
)
SCENES = [draw_scene("train", number, 0) for number in range(150)]


def read_back(caption: str) -> list[tuple[str, int, str | None, str | None]]:
    """Noun, count, size and colour of every group that a caption names."""
    return [
        (SINGULAR[found["noun"]], NUMBERS.get(found["count"], 1), found["size"], found["colour"])
        for found in PHRASE.finditer(caption.lower())
    ]


def is_true(caption: str, scene: Scene) -> bool:
    text = caption.lower()
    background = re.search(r"background is (\w+)|\b(?!the )(\w+) background\b", text)
    if background and scene.background not in background.groups():
        return False
    said_of_it = re.match(r"the \w+ is (?:(\w+) and )?(\w+)", text)
    if said_of_it and not {*said_of_it.groups()} <= {None, scene.things[0].size, scene.things[0].colour}:
        return False
    named = read_back(text)
    groups = list(scene.groups)
    for noun, count, size, colour in named:
        fit = [
            group
            for group in groups
            if (group.noun, group.count) == (noun, count) and size in (None, group.size)
            if colour in (None, group.colour)
        ]
        if not fit:
            return False
        groups.remove(fit[0])
    total = re.search(r"(\w+) things:", text)
    if total and NUMBERS[total[1]] != len(scene.things):
        return False
    if scene.relation:
        places = {thing.noun: (thing.x, thing.y) for thing in scene.things}
        (x, y), (other_x, other_y) = places[named[0][0]], places[named[1][0]]
        said = {"left of": x < other_x, "right of": x > other_x, "above": y < other_y, "below": y > other_y}
        return [word in text for word in said].count(True) == 1 and all(said[word] for word in said if word in text)
    return not groups


@pytest.mark.parametrize("kind", KINDS)
def test_every_caption_is_true(kind: str) -> None:
    for scene in BY_KIND[kind][:100]:
        for caption in all_captions(scene):
            assert is_true(caption, scene), (caption, scene)


@pytest.mark.parametrize("kind", EDITS)
def test_the_full_caption_of_an_edited_scene_is_false_of_the_first(kind: str) -> None:
    for number, scene in enumerate(BY_KIND[kind][:60]):
        for what in EDITS[kind]:
            edited = edit(scene, what, stream(0, "edit", number))
            for wording in range(WORDINGS):
                caption = full_caption(edited, wording)
                assert is_true(caption, edited) and not is_true(caption, scene), (caption, scene)
                assert caption != full_caption(scene, wording)


def test_a_full_caption_names_everything() -> None:
    for scene in SCENES:
        assert len({full_caption(scene, wording) for wording in range(WORDINGS)}) == WORDINGS
        for wording in range(WORDINGS):
            words = Counter(re.findall("[a-z]+", full_caption(scene, wording).lower()))
            needed = Counter([scene.background])
            for group in scene.groups:
                noun = group.noun if group.count == 1 else plural(group.noun)
                needed.update({noun, group.colour, group.size})
            assert not Counter(set(needed)) - words
    with pytest.raises(ValueError, match=f"there are {WORDINGS}"):
        full_caption(SCENES[0], WORDINGS)


def test_captions_are_different_and_depend_on_the_generator_alone() -> None:
    for number, scene in enumerate(SCENES):
        some = captions(scene, 5, stream(0, "captions", number))
        assert some == captions(scene, 5, stream(0, "captions", number))
        assert len(set(some)) == 5
        assert some[0] in {full_caption(scene, wording) for wording in range(WORDINGS)}
    assert captions(SCENES[0], 0, stream(0, "none")) == []
    with pytest.raises(WhatifError, match=r"999 captions were requested; there are \d+"):
        captions(SCENES[0], 999, stream(0, "many"))


def test_captions_are_plain_english() -> None:
    words: set[str] = set()
    for scene in SCENES:
        for caption in all_captions(scene):
            assert re.fullmatch(r"[A-Z][a-z,: ]+\.", caption), caption
            assert "  " not in caption
            assert not re.search(r"\ba (?=[aeiou])|\ban (?![aeiou])", caption.lower()), caption
            assert not re.search(r"\bboxs\b|\bfishs\b|\bis (?:two|three|four|five|six)\b", caption)
            words.update(re.findall("[a-z]+", caption.lower()))
    assert len(words) < 150


def test_examples() -> None:
    scenes = {kind: BY_KIND[kind][0] for kind in KINDS}
    assert full_caption(scenes["one"]) == "A small red cup on a black background."
    assert full_caption(scenes["pair"]) == "A small yellow ring above a small yellow umbrella, on a grey background."
    assert full_caption(scenes["counted"]) == "Three small pink rings and two small red rings on a white background."
