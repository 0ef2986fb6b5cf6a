"""CFMM's category `common` in the drawn world: common knowledge about a thing in the image (CFMM 3.2)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from whatif.world.category_scenes import Named, changes_of_identity, some_names, some_thing, swap, with_things
from whatif.world.category_texts import Change, Core, ItemText, Names, presuppositions
from whatif.world.scene_words import with_article
from whatif.world.scenes import Scene, Thing, one_of


@dataclass(frozen=True)
class Property:
    """A property of things. `asked` and `supposed` have a place for `red`, `is_so` and `is_not` for `a cup`.

    `yes` and `no` are the nouns that certainly have it or certainly do not. A noun that people could disagree about
    (whether a heart is alive, whether one drinks from a box) is in neither and is not used with the property.
    """

    asked: str
    supposed: str
    is_so: str
    is_not: str
    yes: tuple[str, ...]
    no: tuple[str, ...]

    def some_nouns(self, generator: np.random.Generator) -> tuple[str, str]:
        """A noun that has the property and one that has not, in random order."""
        yes, no = one_of(self.yes, generator), one_of(self.no, generator)
        return (yes, no) if generator.random() < 0.5 else (no, yes)

    def divides(self, nouns: tuple[str, str]) -> bool:
        """Whether one of the nouns has the property and the other has not."""
        first, second = nouns
        return (first in self.yes and second in self.no) or (first in self.no and second in self.yes)


PROPERTIES: dict[str, Property] = {
    "alive": Property(
        "Is anything {so} alive?",
        "Would anything {so} be alive",
        "{a} is alive",
        "{a} is not alive",
        # A fungus, a plant and an animal. A heart can be an organ or a sign.
        ("tree", "fish", "mushroom"),
        ("ball", "box", "house", "cup", "kite", "boat", "flag", "ring", "umbrella", "arrow"),
    ),
    "grows": Property(
        "Does anything {so} grow in a forest?",
        "Would anything {so} grow in a forest",
        "{a} grows in a forest",
        "{a} does not grow",
        ("tree", "mushroom"),
        ("ball", "box", "house", "cup", "kite", "moon", "boat", "flag", "ring", "umbrella", "arrow"),
    ),
    "water": Property(
        "Does anything {so} move through water?",
        "Would anything {so} move through water",
        "{a} moves through water",
        "{a} does not move through water",
        ("fish", "boat"),
        ("tree", "house", "cup", "kite", "moon", "mushroom", "flag", "umbrella", "box"),
    ),
    "sky": Property(
        "Can anything {so} be seen in the sky?",
        "Could anything {so} be seen in the sky",
        "people see {a} in the sky",
        "people do not see {a} in the sky",
        # A kite is flown; a star and the moon shine at night.
        ("star", "moon", "kite"),
        ("box", "tree", "house", "fish", "cup", "boat", "mushroom", "ring"),
    ),
    "drink": Property(
        "Can people drink from anything {so}?",
        "Could people drink from anything {so}",
        "people drink from {a}",
        "people do not drink from {a}",
        ("cup",),
        ("star", "tree", "house", "fish", "kite", "moon", "flag", "arrow", "boat"),
    ),
    "eat": Property(
        "Do people eat anything {so}?",
        "Would people eat anything {so}",
        "people eat {a}",
        "people do not eat {a}",
        ("fish", "mushroom"),
        ("ball", "box", "house", "cup", "kite", "moon", "boat", "flag", "ring", "umbrella"),
    ),
    "live": Property(
        "Do families live in anything {so}?",
        "Would families live in anything {so}",
        "families live in {a}",
        "families do not live in {a}",
        ("house",),
        ("ball", "star", "tree", "fish", "cup", "kite", "mushroom", "flag", "ring", "arrow", "umbrella"),
    ),
    "rain": Property(
        "Do people carry anything {so} against the rain?",
        "Would people carry anything {so} against the rain",
        "people carry {a} against the rain",
        "people do not carry {a} against the rain",
        ("umbrella",),
        ("star", "tree", "house", "fish", "cup", "kite", "moon", "boat", "mushroom", "ring", "arrow"),
    ),
    "finger": Property(
        "Do people wear anything {so} on a finger?",
        "Would people wear anything {so} on a finger",
        "people wear {a} on a finger",
        "people do not wear {a} on a finger",
        ("ring",),
        ("box", "tree", "house", "fish", "kite", "moon", "boat", "umbrella", "flag"),
    ),
}

# Events that change neither what a thing is nor what it is for.
_EVENTS: tuple[tuple[str, ...], ...] = (
    ("today were a Sunday", "today were the first day of the year"),
    ("the price of bread doubled", "everybody spoke the same language"),
    ("the image hung in a museum", "a museum bought the image"),
)


def common_text(places: frozenset[int], generator: np.random.Generator, names: Names | None = None) -> ItemText:
    """Whether anything of a colour, or on a side, has a property; presuppositions at `places` change nothing.

    One thing of each scene has the property and the other has not. A presupposition that made every thing have it, or
    none, would make the image superfluous, so there is none. If `names` are given, one noun has some property that the
    other has not.
    """
    if names is None:
        known = one_of(tuple(PROPERTIES.values()), generator)
        names = Names(known.some_nouns(generator), some_names(generator).colours)
    else:
        known = one_of([each for each in PROPERTIES.values() if each.divides(names.nouns)], generator)
    nouns = names.nouns
    named = some_thing(names.colours, generator)
    one, other = named.words, named.opposite.words
    core = Core(
        basic=known.asked.format(so=named.so),
        supposed=known.supposed.format(so=named.so),
        answer=lambda scene: _answer(known, named.of(scene)),
        seen=named.seen,
        would=lambda scene, still: _would(known, named, scene, still),
        known=lambda scene: f" {_sentence(_fact(known, named.of(scene)))}",
    )
    changes = [
        *changes_of_identity(named),
        Change(
            (
                f"{one} turned into what {other} is and {other} into what {one} is",
                "each of the two things turned into what the other is",
            ),
            swap("noun"),
        ),
        Change(
            (f"every {nouns[0]} became {with_article(nouns[1])} and every {nouns[1]} {with_article(nouns[0])}",),
            lambda scene: _renamed(scene, dict(zip(nouns, nouns[::-1], strict=True))),
        ),
        *(Change(wordings, lambda scene: scene, nothing=True) for wordings in _EVENTS),
    ]
    return ItemText(
        core,
        presuppositions(core, changes, places, generator),
        lambda split, scenes: _scene(known, named, split, scenes),
    )


def _scene(known: Property, named: Named, split: str, generator: np.random.Generator) -> Scene | None:
    """A pair with a noun that has the property and one that has not, in random order."""
    scene = named.scene(split, generator)
    if scene is None:
        return None
    nouns = known.some_nouns(generator)
    return with_things(scene, [replace(t, noun=noun) for t, noun in zip(scene.things, nouns, strict=True)])


def _answer(known: Property, thing: Thing | None) -> str | None:
    if thing is None or thing.noun not in (*known.yes, *known.no):
        return None
    return "yes" if thing.noun in known.yes else "no"


def _renamed(scene: Scene, names: dict[str, str]) -> Scene:
    return with_things(scene, [replace(thing, noun=names.get(thing.noun, thing.noun)) for thing in scene.things])


def _fact(known: Property, thing: Thing | None) -> str:
    assert thing is not None
    return (known.is_so if thing.noun in known.yes else known.is_not).format(a=with_article(thing.noun))


def _would(known: Property, named: Named, scene: Scene, still: bool) -> str:
    thing = named.of(scene)
    assert thing is not None
    return f"{named.words} would {'still ' * still}be {with_article(thing.noun)}, and {_fact(known, thing)}"


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
