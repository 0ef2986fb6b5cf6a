"""CFMM's categories `direction` and `shape` in the drawn world: where one of two things is (CFMM 3.2)."""

from __future__ import annotations

import numpy as np

from whatif.world.category_scenes import (
    AXES,
    axis_of,
    changed,
    changes_of_identity,
    changes_of_view,
    pair_with,
    some_names,
    some_thing,
    swap,
    swapped,
    with_background,
)
from whatif.world.category_texts import Change, Core, ItemText, Names, presuppositions
from whatif.world.scenes import Scene, Thing, one_of

_RELATIONS = {"left": "left of", "right": "right of", "above": "above", "below": "below"}


def direction_text(places: frozenset[int], generator: np.random.Generator, names: Names | None = None) -> ItemText:
    """Whether a thing is left or right of another, or above or below it; `places` change nothing."""
    one, other = nouns = (names or some_names(generator)).nouns
    axis = one_of(tuple(AXES), generator)
    core = _core_of_directions(one, other, axis, turned=bool(generator.random() < 0.5))
    both = f"the {one} and the {other}"
    changes = [
        Change((f"{both} swapped places", f"the {other} and the {one} traded places"), swap("x", "y")),
        Change(
            (
                f"the {one} moved past the {other} to its other side",
                f"the {other} moved past the {one} to its other side",
            ),
            swap("x", "y"),
        ),
        Change((f"{both} swapped both their places and their colours",), swap("x", "y", "colour")),
        *changes_of_view(lambda seen: seen != axis, both=False),
        Change((f"{both} swapped colours", "the two things swapped colours"), swap("colour"), nothing=True),
        Change((f"{both} swapped sizes", "the two things swapped sizes"), swap("size"), nothing=True),
        Change(
            (f"the {one} were painted the colour of the {other}", f"the {one} had the colour that the {other} has"),
            lambda scene: changed(scene, lambda thing: thing.noun == one, colour=_colour(scene, other)),
            nothing=True,
        ),
        Change(("the background had another colour", "the background were repainted"), with_background, nothing=True),
        Change(
            ("the two things swapped places and then swapped them back",),
            lambda scene: swapped(swapped(scene, "x", "y"), "x", "y"),
            nothing=True,
        ),
    ]

    def scene(split: str, scenes: np.random.Generator) -> Scene | None:
        drawn = pair_with(split, scenes, "noun", nouns)
        return drawn if axis_of(drawn) == axis else None

    return ItemText(core, presuppositions(core, changes, places, generator), scene)


def shape_text(places: frozenset[int], generator: np.random.Generator, names: Names | None = None) -> ItemText:
    """Which outline is of a colour, or on a side of the image; presuppositions at `places` change nothing."""
    named = some_thing((names or some_names(generator)).colours, generator)
    one, other = named.words, named.opposite.words
    core = Core(
        basic=f"Which shape is {named.so}?",
        supposed=f"Which shape would be {named.so}",
        answer=lambda scene: _noun(named.of(scene)),
        seen=named.seen,
        would=lambda scene, still: f"the {_noun(named.of(scene))} would {'still ' * still}be {named.so}",
    )
    changes = [
        *changes_of_identity(named),
        Change((f"{one} and {other} swapped shapes", "the two things swapped shapes"), swap("noun")),
        Change(
            (f"{one} were cut to the outline of {other}", f"{one} took the shape of {other}"),
            lambda scene: _shaped(scene, named.of(scene), _noun(named.opposite.of(scene))),
        ),
        Change(
            (f"{other} were cut to the outline of {one}", f"{other} took the shape of {one}"),
            lambda scene: _shaped(scene, named.opposite.of(scene), _noun(named.of(scene))),
            nothing=True,
        ),
    ]
    return ItemText(core, presuppositions(core, changes, places, generator), named.scene)


def _core_of_directions(one: str, other: str, axis: str, turned: bool) -> Core:
    words = AXES[axis][::-1] if turned else AXES[axis]
    options = f"{' or '.join(words)}{' of' if axis == 'across' else ''}"

    def answer(scene: Scene) -> str | None:
        if axis_of(scene) != axis:
            return None
        first, second = (next(thing for thing in scene.things if thing.noun == noun) for noun in (one, other))
        before = first.x < second.x if axis == "across" else first.y < second.y
        return AXES[axis][not before]

    return Core(
        basic=f"Is the {one} {options} the {other}?",
        supposed=f"Would the {one} be {options} the {other}",
        answer=answer,
        seen=lambda scene: f"The {one} is {_RELATIONS[answer(scene) or '']} the {other}.",
        would=lambda scene, still: (
            f"the {one} would {'still ' * still}be {_RELATIONS[answer(scene) or '']} the {other}"
        ),
    )


def _shaped(scene: Scene, which: Thing | None, noun: str | None) -> Scene | None:
    if which is None or noun is None:
        return None
    return changed(scene, lambda thing: thing == which, noun=noun)


def _noun(thing: Thing | None) -> str | None:
    return None if thing is None else thing.noun


def _colour(scene: Scene, noun: str) -> str:
    return next(thing.colour for thing in scene.things if thing.noun == noun)
