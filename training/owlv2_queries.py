"""Queries of an open-vocabulary detector about scenes: a noun or any thing, with or without colour and size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from whatif.engine.random_streams import stream
from whatif.world.scene_words import plural, with_article
from whatif.world.scenes import COLOURS, NOUNS, SIZES, Scene, Thing, draw_scene, one_of

# The attributes that queries of each kind name; without a noun they ask for a thing or an object.
KINDS: dict[str, tuple[str, ...]] = {
    "noun": ("noun",),
    "colour and noun": ("colour", "noun"),
    "size and noun": ("size", "noun"),
    "size, colour and noun": ("size", "colour", "noun"),
    "thing": (),
    "colour and thing": ("colour",),
    "size and thing": ("size",),
    "size, colour and thing": ("size", "colour"),
}
_SHARES = {"colour and noun": 3, "noun": 2, "size, colour and noun": 2}  # of the queries; the other kinds have 1
_ANY = ("thing", "object")
_VALUES: dict[str, tuple[str, ...]] = {"noun": NOUNS, "colour": tuple(COLOURS), "size": tuple(SIZES)}
_NUMBERS = {name: {value: number for number, value in enumerate(values, 1)} for name, values in _VALUES.items()}
WORDINGS = 5


@dataclass(frozen=True)
class Query:
    """What to look for; an attribute that is None may have any value."""

    noun: str | None = None
    colour: str | None = None
    size: str | None = None

    def finds(self, thing: Thing) -> bool:
        """Whether a thing is one of those that the query asks for."""
        return all(getattr(self, name) in (None, getattr(thing, name)) for name in _VALUES)

    def text(self, wording: int = 0, word: str = _ANY[0]) -> str:
        """The query in one of WORDINGS: `red ball`, `a red ball`, `the red ball`, `red balls`, `the red balls`.

        `word` stands for the noun if the query has none: `thing` or `object`.
        """
        noun = self.noun or word
        adjectives = " ".join(value for value in (self.size, self.colour) if value)
        phrase = f"{adjectives} {noun if wording < 3 else plural(noun)}".strip()
        if wording == 1:
            return with_article(phrase)
        return f"the {phrase}" if wording in (2, 4) else phrase


def query_of(thing: Thing, kind: str) -> Query:
    """The query of a kind that finds this thing."""
    return Query(**{name: getattr(thing, name) for name in KINDS[kind]})


def changed(query: Query, generator: np.random.Generator) -> Query:
    """The query with another value of one of its attributes; as it is when it has none."""
    named = [name for name in _VALUES if getattr(query, name) is not None]
    if not named:
        return query
    name = one_of(named, generator)
    others = [value for value in _VALUES[name] if value != getattr(query, name)]
    return replace(query, **{name: one_of(others, generator)})


@dataclass(frozen=True)
class Asked:
    """The scenes of a training step, and queries with their texts that are asked about each of the scenes."""

    scenes: list[Scene]
    queries: list[Query]
    texts: list[str]


def draw_asked(number: int, step: int, seed: int) -> Asked:
    """The `number` scenes of a training step, from the split `train`, with a query about each and its neighbours.

    Half of the queries are drawn a second time with one word changed: most of these find nothing, or other things.
    """
    generator = stream(seed, "queries", step)
    kinds = [kind for kind in KINDS for _ in range(_SHARES.get(kind, 1))]
    scenes = [draw_scene("train", step * number + place, seed) for place in range(number)]
    asked: dict[str, Query] = {}
    for place, scene in enumerate(scenes):
        query = query_of(one_of(scene.things, generator), one_of(kinds, generator))
        for one in (query, changed(query, generator))[: 1 + place % 2]:
            asked[one.text(int(generator.integers(WORDINGS)), one_of(_ANY, generator))] = one
    return Asked(scenes, list(asked.values()), list(asked))


def found(queries: Sequence[Query], things: Sequence[Thing]) -> NDArray[np.bool_]:
    """Whether each query finds each thing: (queries, things)."""
    wanted, there = numbers(queries)[:, None], numbers(things)[None]
    same: NDArray[np.bool_] = ((wanted == 0) | (wanted == there)).all(axis=-1)
    return same


def numbers(named: Iterable[Query | Thing]) -> NDArray[np.int64]:
    """The attributes as numbers from 1, with 0 for none: (n, 3)."""
    rows = [[_NUMBERS[name].get(getattr(one, name), 0) for name in _VALUES] for one in named]
    return np.array(rows, np.int64).reshape(-1, len(_VALUES))


def texts_for_tokenizer() -> list[str]:
    """Every query in every wording."""
    queries = [
        Query(noun, colour, size) for noun in (None, *NOUNS) for colour in (None, *COLOURS) for size in (None, *SIZES)
    ]
    return [query.text(wording, word) for query in queries for wording in range(WORDINGS) for word in _ANY]
