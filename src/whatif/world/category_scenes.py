"""Edits of scenes that presuppositions of CFMM items speak of, and scenes with given nouns and colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from whatif.world.category_texts import Change, Names
from whatif.world.scene_words import with_article
from whatif.world.scenes import (
    BACKGROUNDS,
    COLOURS,
    NOUNS,
    Scene,
    Thing,
    draw_scene,
    one_of,
    relation_of,
)

_LARGEST_SEED = 2**32
AXES: dict[str, tuple[str, str]] = {"across": ("left", "right"), "down": ("above", "below")}


def fresh_scene(split: str, kind: str, generator: np.random.Generator) -> Scene:
    """Another scene of a split and a kind each time."""
    return draw_scene(split, 0, int(generator.integers(_LARGEST_SEED)), kind)


def with_things(scene: Scene, things: Sequence[Thing]) -> Scene:
    """The scene with other things; the relation of a pair follows from their places."""
    pair = scene.relation is not None and len(things) == 2
    return replace(scene, things=tuple(things), relation=relation_of(*things) if pair else None)


def swapped(scene: Scene, *fields: str) -> Scene:
    """The two things of a pair exchange the values of these fields."""
    first, second = scene.things
    return with_things(scene, [_like(first, second, fields), _like(second, first, fields)])


def swap(*fields: str) -> Callable[[Scene], Scene]:
    """`swapped` with these fields, as an edit."""
    return lambda scene: swapped(scene, *fields)


def mirrored(scene: Scene, across: bool = False, down: bool = False) -> Scene:
    """Every thing's place is mirrored, sideways (`across`), from top to bottom (`down`), or both: half a turn."""
    return with_things(
        scene,
        [replace(t, x=1 - t.x if across else t.x, y=1 - t.y if down else t.y) for t in scene.things],
    )


def with_background(scene: Scene) -> Scene:
    """The scene on another background; always the same one for a background."""
    names = list(BACKGROUNDS)
    return replace(scene, background=names[(names.index(scene.background) + 1) % len(names)])


def without(scene: Scene, gone: Callable[[Thing], bool]) -> Scene:
    """The scene without these things."""
    return with_things(scene, [thing for thing in scene.things if not gone(thing)])


def changed(scene: Scene, which: Callable[[Thing], bool], **values: str) -> Scene:
    """These things with other values of some fields."""
    return with_things(scene, [_valued(thing, values) if which(thing) else thing for thing in scene.things])


def with_colours(scene: Scene, colours: tuple[str, str]) -> Scene:
    """A pair whose first and second thing have these colours."""
    return with_things(
        scene, [replace(thing, colour=colour) for thing, colour in zip(scene.things, colours, strict=True)]
    )


def axis_of(scene: Scene) -> str:
    """The axis of a pair's relation: `across` or `down`."""
    return "across" if scene.relation in ("left of", "right of") else "down"


def some_names(generator: np.random.Generator) -> Names:
    """Two different nouns and two different colours."""
    return Names(_two_of(NOUNS, generator), _two_of(tuple(COLOURS), generator))


def pair_with(split: str, generator: np.random.Generator, field: str, values: tuple[str, str]) -> Scene:
    """A pair of a split whose things have these two nouns or colours, in random order.

    Drawing treats nouns and colours alike, and the split of a scene depends on places only: so this is a scene as
    it is drawn, given that it has these nouns or colours.
    """
    scene = fresh_scene(split, "pair", generator)
    ordered = values if generator.random() < 0.5 else values[::-1]
    return with_things(
        scene, [_valued(thing, {field: value}) for thing, value in zip(scene.things, ordered, strict=True)]
    )


@dataclass(frozen=True)
class Named:
    """A thing of a pair by its colour (`field` is `colour`) or by its side (`across` or `down`), and the other one.

    A question about `anything red` or `anything on the left` is about what is so under the presupposition. `Would the
    red thing ...` could also mean the thing that is red in the image.
    """

    field: str
    value: str
    other: str

    @property
    def so(self) -> str:
        """What the thing is: `red`, `on the left`, `at the top`."""
        return {
            "colour": self.value,
            "across": f"on the {self.value}",
            "down": "at the top" if self.value == "above" else "at the bottom",
        }[self.field]

    @property
    def words(self) -> str:
        """`the red thing`, `the thing on the left`."""
        return f"the {self.so} thing" if self.field == "colour" else f"the thing {self.so}"

    @property
    def opposite(self) -> Named:
        """The name of the other thing."""
        return Named(self.field, self.other, self.value)

    def of(self, scene: Scene) -> Thing | None:
        """The thing that is so; None where the words do not tell the two things apart."""
        first, second = scene.things
        if self.field == "colour":
            named = [thing for thing in scene.things if thing.colour == self.value]
            return named[0] if len(named) == 1 else None
        if axis_of(scene) != self.field:
            return None
        first_is_so = (first.x < second.x if self.field == "across" else first.y < second.y) == (
            self.value in ("left", "above")
        )
        return first if first_is_so else second

    def seen(self, scene: Scene) -> str:
        """`The red thing is a cup and the blue thing is an arrow.`"""
        nouns = [with_article(thing.noun) for thing in (self.of(scene), self.opposite.of(scene)) if thing is not None]
        words = f"{self.words} is {nouns[0]} and {self.opposite.words} is {nouns[-1]}."
        return f"{words[0].upper()}{words[1:]}"

    def scene(self, split: str, generator: np.random.Generator) -> Scene | None:
        """A drawn pair in which the words tell the things apart, or None."""
        if self.field == "colour":
            return pair_with(split, generator, "colour", (self.value, self.other))
        scene = fresh_scene(split, "pair", generator)
        return scene if axis_of(scene) == self.field else None


def some_thing(colours: tuple[str, str], generator: np.random.Generator) -> Named:
    """A random way to name a thing of a pair: half of the time by its colour."""
    if generator.random() < 0.5:
        return Named("colour", *colours)
    axis = one_of(tuple(AXES), generator)
    sides = AXES[axis] if generator.random() < 0.5 else AXES[axis][::-1]
    return Named(axis, *sides)


def changes_of_identity(named: Named) -> list[Change]:
    """Presuppositions about colours, places, sizes and the view; some make the other thing the named one."""
    by_colour = named.field == "colour"
    one, other = named.words, named.opposite.words
    both = f"{one} and {other}"
    changes = [
        Change((f"{both} swapped colours", "the two things swapped colours"), swap("colour"), not by_colour),
        Change((f"{both} swapped places", "the two things swapped places"), swap("x", "y"), by_colour),
        Change((f"{both} swapped sizes", "the two things swapped sizes"), swap("size"), True),
        Change(
            ("the two things swapped sizes and then swapped colours",), swap("size", "colour"), nothing=not by_colour
        ),
        Change(("the two things swapped sizes and then swapped places",), swap("size", "x", "y"), nothing=by_colour),
        Change(("the background had another colour", "the background were repainted"), with_background, True),
        *changes_of_view(lambda axis: by_colour or axis != named.field, both=by_colour),
    ]
    if by_colour:
        changes.append(
            Change(
                (
                    f"{one} were painted {named.other} and {other} were painted {named.value}",
                    f"{one} turned {named.other} and {other} turned {named.value}",
                ),
                swap("colour"),
            )
        )
    return changes


def changes_of_view(nothing: Callable[[str], bool], both: bool) -> list[Change]:
    """The image mirrored across and down, and turned by half a turn; `nothing` says which axes do not matter.

    `both` says that half a turn does not matter either.
    """
    return [
        Change(
            ("the image were mirrored sideways", "the image were seen in a mirror on a wall"),
            lambda scene: mirrored(scene, across=True),
            nothing("across"),
        ),
        Change(
            ("the image were flipped vertically", "the image were seen as a reflection in a lake"),
            lambda scene: mirrored(scene, down=True),
            nothing("down"),
        ),
        Change(
            ("the image were rotated by half a turn", "the image were turned by 180 degrees"),
            lambda scene: mirrored(scene, across=True, down=True),
            both,
        ),
    ]


def _two_of(options: Sequence[str], generator: np.random.Generator) -> tuple[str, str]:
    first, second = (options[int(place)] for place in generator.permutation(len(options))[:2])
    return first, second


def _like(thing: Thing, other: Thing, fields: Sequence[str]) -> Thing:
    return replace(thing, **{field: getattr(other, field) for field in fields})


def _valued(thing: Thing, values: dict[str, str]) -> Thing:
    return replace(thing, **values)  # type: ignore[arg-type]
