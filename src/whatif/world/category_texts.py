"""The text of a CFMM item in the drawn world: one core question, and presuppositions under which it is asked again."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from whatif.engine.errors import WhatifError
from whatif.world.scene_words import COUNT_WORDS
from whatif.world.scenes import Scene, one_of

QUESTIONS = 4  # counterfactual questions of an item

_SMALL, _LARGE = ("small", "smaller", "smallest", "little"), ("large", "larger", "largest", "big", "bigger", "biggest")
_RELATED = {"small": _SMALL, "smaller": _SMALL, "large": _LARGE, "larger": _LARGE, "above": ("over", "top", "up")}
_RELATED |= {"below": ("under", "bottom", "down"), "left": ("leftmost",), "right": ("rightmost",)}

Edit = Callable[[Scene], Scene | None]


@dataclass(frozen=True)
class Names:
    """The two nouns and the two colours that a text speaks of; the first ones are asked about."""

    nouns: tuple[str, str]
    colours: tuple[str, str]


@dataclass(frozen=True)
class Core:
    """What all questions of an item ask.

    `basic` is the whole basic question; `supposed` is the same in the conditional, without question mark. `answer`
    gives the answer in a scene, or None where the question has no certain answer. `seen` is a sentence with what the
    answer follows from, and `would(scene, still)` a clause in the conditional that leads to the answer. `known`
    is a sentence of knowledge beyond the image that the basic answer needs.
    """

    basic: str
    supposed: str
    answer: Callable[[Scene], str | None]
    seen: Callable[[Scene], str]
    would: Callable[[Scene, bool], str]
    known: Callable[[Scene], str] = lambda _: ""


@dataclass(frozen=True)
class Change:
    """A presupposition: its wordings, and the edit of the scene, which is None where the scene does not allow it.

    `nothing` says that it never changes the answer; otherwise, it must change the answer of every scene that is used.
    """

    wordings: tuple[str, ...]
    edit: Edit
    nothing: bool = False


@dataclass(frozen=True)
class Presupposition:
    """A presupposition of an item, with its clause (without `if`) and the whole question."""

    clause: str
    question: str
    edit: Edit
    nothing: bool


@dataclass(frozen=True)
class ItemText:
    """The text of all five questions. `scene` draws an independent scene that has what the core question mentions.

    It is called with the split and a generator, and may return None; then it is called again.
    """

    core: Core
    presuppositions: tuple[Presupposition, ...]
    scene: Callable[[str, np.random.Generator], Scene | None]


def unchanged_places(number: int, unchanged: float) -> frozenset[int]:
    """Which of the four questions of item `number` have a presupposition that changes nothing.

    The share is exact over the items in order, and each place has equally many. Raises WhatifError for a share outside
    0 to 1.
    """
    if not 0 <= unchanged <= 1:
        raise WhatifError(f"category items: unchanged is {unchanged}; it must be a share from 0 to 1")
    before, after = (int(QUESTIONS * unchanged * count + 1e-9) for count in (number, number + 1))
    return frozenset((before + step) % QUESTIONS for step in range(after - before))


def presuppositions(
    core: Core, changes: Sequence[Change], places: frozenset[int], generator: np.random.Generator
) -> tuple[Presupposition, ...]:
    """Four different changes in random wordings; those at `places` change nothing, and only those."""
    pools = {
        nothing: [changes[int(at)] for at in generator.permutation(len(changes)) if changes[int(at)].nothing == nothing]
        for nothing in (False, True)
    }
    return tuple(_worded(core, pools[place in places].pop(), generator) for place in range(QUESTIONS))


def leaks(clause: str, answer: str) -> bool:
    """Whether a clause contains the answer: as a word, in the plural, as a number in words, or as a related word."""
    words = re.findall(r"[a-z]+|\d+", clause.lower())
    said = {str(COUNT_WORDS.index(word)) if word in COUNT_WORDS else word for word in words}
    return any(word in said for word in (answer, f"{answer}s", f"{answer}es", *_RELATED.get(answer, ())))


def _worded(core: Core, change: Change, generator: np.random.Generator) -> Presupposition:
    clause = one_of(change.wordings, generator)
    if generator.random() < 0.5:
        question = f"{core.supposed} if {clause}?"
    else:
        question = f"If {clause}, {core.supposed[0].lower()}{core.supposed[1:]}?"
    return Presupposition(clause, question, change.edit, change.nothing)
