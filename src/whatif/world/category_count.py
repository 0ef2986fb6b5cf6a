"""CFMM's category `count` in the drawn world: how many things of a noun, or of a colour, there are (CFMM 3.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from whatif.world.category_scenes import (
    changed,
    fresh_scene,
    mirrored,
    some_names,
    with_background,
    with_things,
    without,
)
from whatif.world.category_texts import Change, Core, ItemText, Names, presuppositions
from whatif.world.scene_words import COUNT_WORDS, plural, with_article
from whatif.world.scenes import COLOURS, NOUNS, Scene, Thing, one_of

_MOST_REMOVED = 3
_MOST_ADDED = 3


@dataclass(frozen=True)
class _Counted:
    """What is counted: things whose `field` is `value`, among others whose `field` is `other`."""

    field: str
    value: str
    other: str

    def is_one(self, thing: Thing) -> bool:
        return bool(getattr(thing, self.field) == self.value)

    def is_other(self, thing: Thing) -> bool:
        return bool(getattr(thing, self.field) == self.other)

    def words(self, count: int = 2) -> str:
        return _words(self.field, self.value, count)

    def other_words(self, count: int = 2) -> str:
        return _words(self.field, self.other, count)


def count_text(places: frozenset[int], generator: np.random.Generator, names: Names | None = None) -> ItemText:
    """The text of an item; presuppositions at `places` change nothing."""
    names = names or some_names(generator)
    nouns, colours = names.nouns, names.colours
    by_noun = generator.random() < 0.5
    counted = _Counted("noun", *nouns) if by_noun else _Counted("colour", *colours)
    core = Core(
        basic=f"How many {counted.words()} are there?",
        supposed=f"How many {counted.words()} would there be",
        answer=lambda scene: str(_number(scene, counted.is_one)),
        seen=lambda scene: _seen(scene, nouns, colours),
        would=lambda scene, still: _would(_number(scene, counted.is_one), counted, still),
    )
    changes = [
        *_that_change(counted, nouns[0], colours[0], generator),
        *_that_do_not(counted, nouns, colours, generator),
    ]
    return ItemText(
        core,
        presuppositions(core, changes, places, generator),
        lambda split, scenes: counted_scene(split, scenes, names),
    )


def _that_change(counted: _Counted, noun: str, colour: str, generator: np.random.Generator) -> list[Change]:
    removed = int(generator.integers(1, _MOST_REMOVED + 1))
    added = int(generator.integers(1, _MOST_ADDED + 1))
    part = f"{colour} {plural(noun)}"

    def is_part(thing: Thing) -> bool:
        return (thing.noun, thing.colour) == (noun, colour)

    def is_rest(thing: Thing) -> bool:
        return not is_part(thing)

    these = counted.words()
    turned = (
        (f"every {counted.other} turned into {with_article(counted.value)}",)
        if counted.field == "noun"
        else (f"every {counted.other} thing were painted {counted.value}",)
    )
    return [
        Change(
            (
                f"{COUNT_WORDS[removed]} of the {these} were removed",
                f"someone took away {COUNT_WORDS[removed]} of the {these}",
            ),
            lambda scene: _fewer(scene, counted, removed),
        ),
        Change(
            (
                f"{COUNT_WORDS[added]} more {counted.words(added)} were added",
                f"someone brought {COUNT_WORDS[added]} more {counted.words(added)}",
            ),
            lambda scene: _more(scene, counted.is_one, added),
        ),
        Change(
            (f"all {part} were removed", f"someone took away all {part}"),
            lambda scene: without(scene, is_part),
        ),
        Change(
            (f"only the {part} were left", f"everything but the {part} were removed"),
            lambda scene: without(scene, is_rest),
        ),
        Change(
            (f"the number of {these} doubled", f"there were twice as many {these}"),
            lambda scene: with_things(scene, [*scene.things, *filter(counted.is_one, scene.things)]),
        ),
        Change(turned, lambda scene: changed(scene, counted.is_other, **{counted.field: counted.value})),
    ]


def _that_do_not(
    counted: _Counted, nouns: tuple[str, str], colours: tuple[str, str], generator: np.random.Generator
) -> list[Change]:
    these, those = counted.words(), counted.other_words()
    more = int(generator.integers(1, _MOST_ADDED + 1))
    if counted.field == "noun":
        other = one_of([colour for colour in COLOURS if colour not in colours], generator)
        relabelled = (f"the {these} were painted {other}", f"all {these} turned {other}")
        values = {"colour": other}
    else:
        other = one_of([noun for noun in NOUNS if noun not in nouns], generator)
        relabelled = (
            f"the {these} turned into {plural(other)}",
            f"every {counted.words(1)} became {with_article(other)}",
        )
        values = {"noun": other}
    return [
        Change(
            (f"all {those} were removed", f"someone took away all {those}"),
            lambda scene: without(scene, counted.is_other),
            nothing=True,
        ),
        Change(
            (f"{COUNT_WORDS[more]} more {counted.other_words(more)} were added",),
            lambda scene: _more(scene, counted.is_other, more),
            nothing=True,
        ),
        Change(relabelled, lambda scene: changed(scene, counted.is_one, **values), nothing=True),
        Change(
            ("the image were turned upside down", "the image were rotated by half a turn"),
            lambda scene: mirrored(scene, across=True, down=True),
            nothing=True,
        ),
        Change(
            ("the background had another colour", "the background were repainted"),
            with_background,
            nothing=True,
        ),
    ]


def counted_scene(split: str, generator: np.random.Generator, names: Names) -> Scene:
    """Counted things, each with one of the two nouns and one of the two colours, in random numbers.

    Things of different sizes keep different nouns, so that things of one noun and one colour have one size.
    """
    scene = fresh_scene(split, "counted", generator)
    if len({thing.size for thing in scene.things}) == 1:
        first = _some_places(len(scene.things), generator)
    else:
        first = {place for place, thing in enumerate(scene.things) if thing.size == scene.things[0].size}
    nouns, colours = names.nouns, names.colours
    named = nouns if generator.random() < 0.5 else nouns[::-1]
    coloured = _some_places(len(scene.things), generator)
    return with_things(
        scene,
        [
            replace(thing, noun=named[place not in first], colour=colours[place not in coloured])
            for place, thing in enumerate(scene.things)
        ],
    )


def _some_places(number: int, generator: np.random.Generator) -> set[int]:
    """A random number of places, at least one and not all."""
    return set(generator.permutation(number)[: generator.integers(1, number)].tolist())


def _number(scene: Scene, which: Callable[[Thing], bool]) -> int:
    return sum(map(which, scene.things))


def _fewer(scene: Scene, counted: _Counted, removed: int) -> Scene | None:
    """None unless some are left."""
    places = [place for place, thing in enumerate(scene.things) if counted.is_one(thing)]
    if len(places) <= removed:
        return None
    gone = set(places[:removed])
    return with_things(scene, [thing for place, thing in enumerate(scene.things) if place not in gone])


def _more(scene: Scene, which: Callable[[Thing], bool], added: int) -> Scene | None:
    """None unless there is one already."""
    there = [thing for thing in scene.things if which(thing)]
    return with_things(scene, [*scene.things, *there[:1] * added]) if there else None


def _words(field: str, value: str, count: int) -> str:
    noun = value if field == "noun" else "thing"
    words = noun if count == 1 else plural(noun)
    return words if field == "noun" else f"{value} {words}"


def _seen(scene: Scene, nouns: tuple[str, str], colours: tuple[str, str]) -> str:
    groups = [(colour, noun) for noun in nouns for colour in colours]
    counts = [(sum((t.colour, t.noun) == group for t in scene.things), *group) for group in groups]
    named = [f"{n} {colour} {noun if n == 1 else plural(noun)}" for n, colour, noun in counts if n]
    return f"The image shows {', '.join(named[:-1])} and {named[-1]}." if named[1:] else f"The image shows {named[0]}."


def _would(number: int, counted: _Counted, still: bool) -> str:
    return f"there would {'still ' * still}be {number} {counted.words(number)}"
