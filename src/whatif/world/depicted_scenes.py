"""What the image of a drawn scene shows, for tools that know it."""

from __future__ import annotations

import itertools
import re
from functools import cache

from whatif.models.depicted import Depicted, DepictedThing
from whatif.world.scene_answers import answer_in, asked_about
from whatif.world.scene_image import square_of
from whatif.world.scene_words import plural
from whatif.world.scenes import NOUNS, Scene, Thing, draw_scene

_WHAT_COLOUR = re.compile(r"what (colou?r|size) (?:is|are) the (.+)")


@cache
def depicted_scene(split: str, number: int, seed: int, side: int) -> Depicted:
    """The content of the image of a scene (`draw_scene`) whose side has so many pixels."""
    return depicted(draw_scene(split, number, seed), side)


def depicted(scene: Scene, side: int) -> Depicted:
    """The content of the image of a scene whose side has so many pixels."""
    things = tuple(DepictedThing(_phrases(thing), _box(thing, side)) for thing in scene.things)
    return Depicted(side, side, things, lambda question: _answer(scene, question))


def _phrases(thing: Thing) -> frozenset[str]:
    """Size, colour and noun or `thing`, each of which may be left out."""
    named = itertools.product(("", thing.size), ("", thing.colour), ("", thing.noun, "thing", "object"))
    return frozenset(filter(None, (" ".join(filter(None, words)) for words in named)))


def _box(thing: Thing, side: int) -> tuple[float, float, float, float]:
    left, top, diameter = square_of(thing, side)
    return left, top, left + diameter, top + diameter


def _answer(scene: Scene, question: str) -> str | None:
    """The answer to a counting or yes-or-no question, or one about a colour or a size; None otherwise."""
    asked = asked_about(question)
    if asked is not None:
        return answer_in(scene, asked)
    found = _WHAT_COLOUR.fullmatch(question.strip().lower().rstrip("? "))
    if found is None:
        return None
    attribute, named = ("size" if found[1] == "size" else "colour"), found[2]
    if named == "background":
        return scene.background if attribute == "colour" else None
    values = {str(getattr(thing, attribute)) for thing in scene.things if named in _names()[thing.noun]}
    return values.pop() if len(values) == 1 else None


@cache
def _names() -> dict[str, tuple[str, str]]:
    """The singular and the plural of each noun."""
    return {noun: (noun, plural(noun)) for noun in NOUNS}
