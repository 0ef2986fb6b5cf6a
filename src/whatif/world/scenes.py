"""The embedded world: seeded scenes of coloured things on a plain background; splits have different layouts."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

import numpy as np

from whatif.engine.errors import WhatifError
from whatif.engine.random_streams import stream
from whatif.world.scene_layout import Place, pair_places, places_for_any_size, scattered_places
from whatif.world.scene_shapes import OUTLINES

Colour: TypeAlias = tuple[int, int, int]
_Option = TypeVar("_Option")

NOUNS: tuple[str, ...] = tuple(OUTLINES)
COLOURS: dict[str, Colour] = {
    "red": (222, 32, 38),
    "orange": (250, 136, 20),
    "yellow": (246, 214, 20),
    "green": (28, 152, 62),
    "blue": (32, 80, 224),
    "purple": (138, 40, 182),
    "pink": (255, 104, 186),
}
BACKGROUNDS: dict[str, Colour] = {
    "white": (255, 255, 255),
    "black": (16, 16, 18),
    "grey": (148, 150, 152),
    "brown": (106, 68, 42),
    "cream": (252, 230, 184),
    "cyan": (156, 226, 240),
}
SIZES: dict[str, float] = {"small": 0.24, "large": 0.42}  # diameter as a fraction of the image's side
OPPOSITES = {"left of": "right of", "right of": "left of", "above": "below", "below": "above"}
RELATIONS: tuple[str, ...] = tuple(OPPOSITES)
SPLITS: dict[str, int] = {"train": 8, "validation": 1, "test": 1}  # tenths of the possible places of the topmost thing
KINDS: dict[str, int] = {"one": 5, "pair": 8, "counted": 7}  # twentieths of the scenes
MOST_OF_A_KIND = 6
MOST_THINGS = 9
MOST_LARGE_THINGS = 4


@dataclass(frozen=True)
class Thing:
    """A thing by name; `x` and `y` are its centre as fractions of the image's side, y downwards."""

    noun: str
    colour: str
    size: str
    x: float
    y: float


@dataclass(frozen=True)
class Group:
    """Things of a scene that a caption names together."""

    noun: str
    colour: str
    size: str
    count: int


@dataclass(frozen=True)
class Scene:
    """Things on a background. For a pair, `relation` is the position of the first thing relative to the second.

    Scenes with the same content are equal, even if their ids differ.
    """

    scene_id: str = field(compare=False)
    background: str
    things: tuple[Thing, ...]
    relation: str | None = None

    @property
    def kind(self) -> str:
        """`one` thing; a `pair` of different nouns, with a relation; or things that are `counted`."""
        if self.relation is not None:
            return "pair"
        return "one" if len(self.things) == 1 else "counted"

    @property
    def groups(self) -> tuple[Group, ...]:
        """The things by noun, colour and size, in order of occurrence; no two groups share both noun and colour."""
        counts = Counter((thing.noun, thing.colour, thing.size) for thing in self.things)
        return tuple(Group(*names, count) for names, count in counts.items())


def draw_scene(split: str, number: int, seed: int, kind: str | None = None) -> Scene:
    """Scene `number` of a split; depends only on the arguments. `kind` is drawn at random unless it is given.

    Layouts are divided among the splits by `split_of`: for any seeds, no scene is in two splits. Raises WhatifError for
    an unknown split or kind.
    """
    if split not in SPLITS:
        raise WhatifError(f"scenes: unknown split {split!r}; choose one of {', '.join(SPLITS)}")
    if kind is not None and kind not in KINDS:
        raise WhatifError(f"scenes: unknown kind {kind!r}; choose one of {', '.join(KINDS)}")
    generator = stream(seed, "scene", split, number)
    drawn = one_of([name for name, share in KINDS.items() for _ in range(share)], generator)
    scene_id = f"scene-{split}-{seed}-{number:06d}" + (f"-{kind}" if kind else "")
    while True:
        things = _DRAWN[kind or drawn](generator)
        if things is not None and split_of(things) == split:
            break
    background = one_of(tuple(BACKGROUNDS), generator)
    relation = relation_of(*things) if (kind or drawn) == "pair" else None
    return Scene(scene_id, background, things, relation)


def split_of(things: Iterable[Thing]) -> str:
    """The split of a scene with these things: depends only on the place of the topmost (on a tie, the leftmost).

    An image has one topmost thing, so it is in one split. Noun, colour, size and background do not matter, so a scene
    and its edits are in the same split.
    """
    topmost = min((thing.y, thing.x) for thing in things)
    digest = hashlib.sha256(json.dumps(topmost).encode()).digest()
    tenth = int.from_bytes(digest[:8], "big") % sum(SPLITS.values())
    for split, share in SPLITS.items():
        if tenth < share:
            return split
        tenth -= share
    raise AssertionError("the splits' shares add up to more than the number of places")


def relation_of(first: Thing, second: Thing) -> str:
    """The position of the first thing relative to the second, along the axis on which they are further apart."""
    across, down = first.x - second.x, first.y - second.y
    if abs(across) > abs(down):
        return "left of" if across < 0 else "right of"
    return "above" if down < 0 else "below"


def one_of(options: Sequence[_Option], generator: np.random.Generator) -> _Option:
    """One of the options, uniformly at random."""
    return options[int(generator.integers(len(options)))]


def _draw_one(generator: np.random.Generator) -> tuple[Thing, ...]:
    noun, colour, size = one_of(NOUNS, generator), one_of(tuple(COLOURS), generator), one_of(tuple(SIZES), generator)
    return _placed([(noun, colour, size)], [one_of(places_for_any_size(), generator)])


def _draw_pair(generator: np.random.Generator) -> tuple[Thing, ...]:
    nouns = _two_of(NOUNS, generator)
    names = [(noun, one_of(tuple(COLOURS), generator), one_of(tuple(SIZES), generator)) for noun in nouns]
    first, second = pair_places([SIZES[size] for _, _, size in names], generator)
    if generator.random() < 0.5:
        first, second = (first[1], first[0]), (second[1], second[0])  # horizontally instead of vertically
    return _placed(names, [first, second])


def _draw_counted(generator: np.random.Generator) -> tuple[Thing, ...] | None:
    """Several things of one kind, or at least three of two kinds; None if there is no room for them."""
    counts = generator.integers(1, MOST_OF_A_KIND + 1, 1 + int(generator.random() < 0.65)).tolist()
    if max(counts) < 2 or sum(counts) > MOST_THINGS:
        return None
    nouns, colours = _two_of(NOUNS, generator), _two_of(tuple(COLOURS), generator)
    likeness = generator.random()
    if likeness < 0.3:
        nouns = (nouns[0], nouns[0])
    elif likeness < 0.5:
        colours = (colours[0], colours[0])
    sizes = ["small"] if sum(counts) > MOST_LARGE_THINGS else list(SIZES)
    names = []
    for noun, colour, count in zip(nouns, colours, counts, strict=False):
        names += [(noun, colour, one_of(sizes, generator))] * count
    places = scattered_places([SIZES[size] for _, _, size in names], generator)
    return None if places is None else _placed(names, places)


_DRAWN: dict[str, Callable[[np.random.Generator], tuple[Thing, ...] | None]] = {
    "one": _draw_one,
    "pair": _draw_pair,
    "counted": _draw_counted,
}


def _placed(names: Sequence[tuple[str, str, str]], places: Sequence[Place]) -> tuple[Thing, ...]:
    return tuple(Thing(*name, *place) for name, place in zip(names, places, strict=True))


def _two_of(options: Sequence[str], generator: np.random.Generator) -> tuple[str, str]:
    """Two different options."""
    first = int(generator.integers(len(options)))
    second = (first + 1 + int(generator.integers(len(options) - 1))) % len(options)
    return options[first], options[second]
