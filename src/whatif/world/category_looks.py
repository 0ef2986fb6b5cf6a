"""CFMM's categories `color` and `size` in the drawn world: the looks of one of two things (CFMM 3.2)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from whatif.world.category_scenes import (
    changed,
    changes_of_view,
    pair_with,
    some_names,
    swapped,
    without,
)
from whatif.world.category_texts import Change, Core, ItemText, Names, presuppositions
from whatif.world.scenes import Scene, Thing

_COMPARATIVES = {"small": "smaller", "large": "larger"}
# Mixtures of two paints, in the order of the alphabet.
MIXTURES = {("red", "yellow"): "orange", ("blue", "yellow"): "green", ("blue", "red"): "purple"}


def color_text(places: frozenset[int], generator: np.random.Generator, names: Names | None = None) -> ItemText:
    """What colour a thing has; presuppositions at `places` change nothing."""
    one, other = nouns = (names or some_names(generator)).nouns
    core = Core(
        basic=f"What colour is the {one}?",
        supposed=f"What colour would the {one} be",
        answer=lambda scene: _thing(scene, one).colour,
        seen=lambda scene: (
            f"The {one} is {_thing(scene, one).colour}, the {other} is {_thing(scene, other).colour}, and the "
            f"background is {scene.background}."
        ),
        would=lambda scene, still: f"the {one} would {'still ' * still}be {_thing(scene, one).colour}",
    )
    changes = [
        Change(
            (f"the {one} and the {other} swapped colours", f"the {other} and the {one} traded colours"),
            lambda scene: swapped(scene, "colour"),
        ),
        Change(
            (f"the {one} were painted the colour of the {other}", f"the {one} had the colour that the {other} has"),
            lambda scene: _painted(scene, one, _thing(scene, other).colour),
        ),
        Change(
            (f"the {one} were painted the colour of the background", f"the {one} had the colour of the background"),
            lambda scene: _painted(scene, one, scene.background),
        ),
        Change(
            (f"the {one} and the background swapped colours",),
            lambda scene: replace(_painted(scene, one, scene.background), background=_thing(scene, one).colour),
        ),
        Change(
            (
                f"the {one} were painted with a mixture of its own colour and that of the {other}",
                f"paint of the colour of the {other} were mixed into the paint of the {one}",
            ),
            lambda scene: _mixed(scene, one, other),
        ),
        Change(
            (f"the {other} were painted the colour of the {one}", f"the {other} had the colour that the {one} has"),
            lambda scene: _painted(scene, other, _thing(scene, one).colour),
            nothing=True,
        ),
        Change(
            (f"the {other} were painted the colour of the background", f"the {other} had the colour of the background"),
            lambda scene: _painted(scene, other, scene.background),
            nothing=True,
        ),
        *_of_places_and_views(one, other),
        Change((f"the {one} and the {other} swapped sizes",), lambda scene: swapped(scene, "size"), nothing=True),
        _removal(other),
    ]
    return ItemText(
        core,
        presuppositions(core, changes, places, generator),
        lambda split, scenes: pair_with(split, scenes, "noun", nouns),
    )


def size_text(places: frozenset[int], generator: np.random.Generator, names: Names | None = None) -> ItemText:
    """Whether a thing is small or large, or larger or smaller than the other; `places` change nothing."""
    one, other = nouns = (names or some_names(generator)).nouns
    compared = bool(generator.random() < 0.5)
    core = _core_of_sizes(one, other, compared, turned=bool(generator.random() < 0.5))
    changes = [
        Change(
            (f"the {one} and the {other} swapped sizes", f"the {other} and the {one} traded sizes"),
            lambda scene: swapped(scene, "size"),
        ),
        Change(
            (
                f"the {one} and the {other} swapped both their sizes and their places",
                "the two things swapped sizes and then swapped places",
            ),
            lambda scene: swapped(scene, "size", "x", "y"),
        ),
        Change(
            (
                f"the {one} and the {other} swapped both their sizes and their colours",
                "the two things swapped sizes and then swapped colours",
            ),
            lambda scene: swapped(scene, "size", "colour"),
        ),
        Change(
            (
                "each of the two things took the size of the other",
                "each thing grew or shrank to the width of the other",
            ),
            lambda scene: swapped(scene, "size"),
        ),
        Change(
            ("the two things swapped sizes and then swapped them back",),
            lambda scene: swapped(swapped(scene, "size"), "size"),
            nothing=True,
        ),
        Change((f"the {one} and the {other} swapped colours",), lambda scene: swapped(scene, "colour"), nothing=True),
        Change(
            (f"the {one} were painted the colour of the {other}", f"the {one} had the colour that the {other} has"),
            lambda scene: _painted(scene, one, _thing(scene, other).colour),
            nothing=True,
        ),
        *_of_places_and_views(one, other),
    ]
    if not compared:
        changes += [
            Change(
                (f"the {one} were as wide as the {other}", f"the {one} took the size of the {other}"),
                lambda scene: changed(scene, lambda thing: thing.noun == one, size=_thing(scene, other).size),
            ),
            Change(
                (f"the {other} were as wide as the {one}", f"the {other} took the size of the {one}"),
                lambda scene: changed(scene, lambda thing: thing.noun == other, size=_thing(scene, one).size),
                nothing=True,
            ),
            _removal(other),
        ]
    return ItemText(
        core,
        presuppositions(core, changes, places, generator),
        lambda split, scenes: pair_with(split, scenes, "noun", nouns),
    )


def _core_of_sizes(one: str, other: str, compared: bool, turned: bool) -> Core:
    words = ("larger", "smaller") if compared else ("large", "small")
    options = " or ".join(words[::-1] if turned else words)
    than = f" than the {other}" if compared else ""

    def answer(scene: Scene) -> str | None:
        mine = _thing(scene, one).size
        if not compared:
            return mine
        theirs = _thing(scene, other).size
        return None if mine == theirs else _COMPARATIVES[mine]

    return Core(
        basic=f"Is the {one} {options}{than}?",
        supposed=f"Would the {one} be {options}{than}",
        answer=answer,
        seen=lambda scene: f"The {one} is {_thing(scene, one).size} and the {other} is {_thing(scene, other).size}.",
        would=lambda scene, still: f"the {one} would {'still ' * still}be {answer(scene)}{than}",
    )


def _of_places_and_views(one: str, other: str) -> list[Change]:
    return [
        Change(
            (f"the {one} and the {other} swapped places", "the two things swapped places"),
            lambda scene: swapped(scene, "x", "y"),
            nothing=True,
        ),
        *changes_of_view(lambda _: True, both=True)[:2],
    ]


def _removal(other: str) -> Change:
    return Change(
        (f"the {other} were removed", f"someone took away the {other}"),
        lambda scene: without(scene, lambda thing: thing.noun == other),
        nothing=True,
    )


def _thing(scene: Scene, noun: str) -> Thing:
    (thing,) = (one for one in scene.things if one.noun == noun)
    return thing


def _painted(scene: Scene, noun: str, colour: str) -> Scene:
    return changed(scene, lambda thing: thing.noun == noun, colour=colour)


def _mixed(scene: Scene, one: str, other: str) -> Scene | None:
    """None unless the two colours are paints whose mixture has a name."""
    mixture = MIXTURES.get(_ordered(_thing(scene, one).colour, _thing(scene, other).colour))
    return None if mixture is None else _painted(scene, one, mixture)


def _ordered(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)
