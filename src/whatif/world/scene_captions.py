"""Captions of scenes: true, in several wordings, naming all or part of the content."""

from __future__ import annotations

from itertools import product

import numpy as np

from whatif.engine.errors import WhatifError
from whatif.world.scene_words import COUNT_WORDS, adjectives_of, counted, relation_words, with_article
from whatif.world.scenes import Group, Scene

WORDINGS = 5  # of a full caption, for every kind of scene


def full_caption(scene: Scene, wording: int = 0) -> str:
    """The caption that names every noun, colour, size and count, the background and the relation.

    `wording` selects one of `WORDINGS` sentences with the same content. Raises ValueError if it is out of range.
    """
    if not 0 <= wording < WORDINGS:
        raise ValueError(f"wording {wording}: there are {WORDINGS}, counted from 0")
    return _sentence(_worded(scene, wording, size=True, colour=True, background=True))


def short_caption(scene: Scene, wording: int, *, size: bool) -> str:
    """A true caption of a scene of one thing or of a pair, without colours and background; `size`: with sizes.

    Raises ValueError for counted things, which only their colours may distinguish.
    """
    if scene.kind == "counted":
        raise ValueError(f"{scene.scene_id}: counted things need their colours")
    return _sentence(_worded(scene, wording, size=size, colour=False, background=False))


def captions(scene: Scene, number: int, generator: np.random.Generator) -> list[str]:
    """`number` different captions; the first names everything, others may omit a part. All are true.

    Raises WhatifError when there are fewer captions.
    """
    first = full_caption(scene, int(generator.integers(WORDINGS)))
    others = [caption for caption in all_captions(scene) if caption != first]
    if number - 1 > len(others):
        raise WhatifError(f"{scene.scene_id}: {number} captions were requested; there are {len(others) + 1}")
    chosen = generator.permutation(len(others))[: max(0, number - 1)]
    return [first, *(others[int(place)] for place in chosen)][:number]


def all_captions(scene: Scene) -> list[str]:
    """Every caption of a scene, full and partial ones, without duplicates."""
    found = {}
    for wording, (size, colour, background) in product(range(WORDINGS), product((True, False), repeat=3)):
        if not colour and len({group.noun for group in scene.groups}) < len(scene.groups):
            continue  # `three balls and two balls`
        found[_sentence(_worded(scene, wording, size, colour, background))] = True
    return list(found)


def _worded(scene: Scene, wording: int, size: bool, colour: bool, background: bool) -> str:
    words = {"one": _one, "pair": _pair, "counted": _counted}[scene.kind]
    return words(scene, wording, size, colour, scene.background if background else None)


def _one(scene: Scene, wording: int, size: bool, colour: bool, background: str | None) -> str:
    thing = scene.things[0]
    adjectives = adjectives_of(thing, size, colour)
    named = counted(1, thing.noun, adjectives)
    if wording == 2 and adjectives:
        is_so = f"the {thing.noun} is {adjectives.replace(' ', ' and ')}"
        return f"{is_so}, and the background is {background}" if background else is_so
    return _listed(f"there is {named}", named, wording, background)


def _counted(scene: Scene, wording: int, size: bool, colour: bool, background: str | None) -> str:
    named = " and ".join(_group_words(group, size, colour) for group in scene.groups)
    verb = "is" if scene.groups[0].count == 1 else "are"
    if wording == 2:
        total = COUNT_WORDS[len(scene.things)]
        return _with_background(f"{total} things: {named}", background)
    return _listed(f"there {verb} {named}", named, wording, background)


def _listed(stated: str, named: str, wording: int, background: str | None) -> str:
    """The content in five wordings; `stated` is `there is` or `there are` before what is `named`."""
    if background is None:
        return (named, stated, named, f"a picture with {named}", f"a picture of {named}")[wording]
    return (
        f"{named} on {with_article(background)} background",
        f"{stated} in front of {with_article(background)} background",
        f"{named} with {with_article(background)} background",
        f"on {with_article(background)} background {stated}",
        f"a picture of {named}, and the background is {background}",
    )[wording]


def _pair(scene: Scene, wording: int, size: bool, colour: bool, background: str | None) -> str:
    """Wordings 1 and 3 begin with the second thing, so that word order does not reveal the relation."""
    assert scene.relation is not None
    first, second = (counted(1, thing.noun, adjectives_of(thing, size, colour)) for thing in scene.things)
    there = relation_words(scene.relation)
    there_at_length = relation_words(scene.relation, longer=True)
    back = relation_words(scene.relation, seen_from_first=True)
    back_at_length = relation_words(scene.relation, seen_from_first=True, longer=True)
    words = (
        f"{first} {there} {second}",
        f"{second} is {back} {first}",
        f"there is {first} {there_at_length} {second}",
        f"{second} {back_at_length} {first}",
        f"{first} that is {there} {second}",
    )[wording]
    return (
        f"on {with_article(background)} background, {words}"
        if wording == 1 and background
        else _with_background(words, background)
    )


def _with_background(words: str, background: str | None) -> str:
    return f"{words}, on {with_article(background)} background" if background else words


def _group_words(group: Group, size: bool, colour: bool) -> str:
    return counted(group.count, group.noun, adjectives_of(group, size, colour))


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
