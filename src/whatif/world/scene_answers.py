"""Understands counting and yes-or-no questions about scenes, and answers them from the content of a scene."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from whatif.world.scene_changes import WORDS, chosen, is_placed
from whatif.world.scene_words import plural
from whatif.world.scenes import BACKGROUNDS, NOUNS, OPPOSITES, Scene, relation_of

# How a counting question ends, and how it ends when something is supposed.
COUNT_ENDINGS = {
    "are there": "would there be",
    "are there in the image": "would there be in the image",
    "are there in total": "would there be in total",
    "are in the image": "would be in the image",
    "are shown": "would be shown",
    "are visible": "would be visible",
    "can be seen": "could be seen",
    "can you see": "could you see",
    "do you see": "would you see",
    "does the image show": "would the image show",
}
_SINGULAR = {word: noun for noun in NOUNS for word in (plural(noun), noun)} | {"things": None, "thing": None}
_NOUNS = "|".join(sorted(_SINGULAR, key=lambda word: -len(word)))
_SIZES, _COLOURS = ("|".join(WORDS[attribute]) for attribute in ("size", "colour"))
_KIND = rf"((?:(?:{_SIZES}) )?(?:(?:{_COLOURS}) )?(?:{_NOUNS}))"
_WHERE = "|".join(rf"(?:to the )?{relation}" for relation in OPPOSITES)


@dataclass(frozen=True)
class Asked:
    """What a question asks about a scene.

    `kinds` are the things in question: noun, colour and size, as far as they are named. `value` is the colour, size,
    background or relation that is asked about; for `count`, the end of the question (a key of `COUNT_ENDINGS`).
    """

    form: str
    kinds: tuple[dict[str, str], ...] = ()
    value: str = ""


def asked_about(question: str) -> Asked | None:
    """What a counting or yes-or-no question asks; None if it is not understood.

    The forms: `count`, `there` (is there a red ball), `colour`, `size`, `background`, `relation`, `more` and `as many`
    (two kinds), `all` (are all things red), `same colour` and `same size` (of all things of a kind).
    """
    words = question.strip().lower().rstrip("?").strip()
    for pattern, read in _FORMS.items():
        found = re.fullmatch(pattern, words)
        if found:
            return read(*found.groups())
    return None


def count_asked(question: str) -> Asked | None:
    """What a question counts; None if it is no counting question about the things of a scene."""
    asked = asked_about(question)
    return asked if asked is not None and asked.form == "count" else None


def answer_in(scene: Scene, asked: Asked) -> str | None:
    """The answer in this scene: a number, `yes` or `no`.

    None if the scene has no single answer: there is no such thing, there are several with different answers, or the
    place of a thing is unknown.
    """
    answer = _ANSWERS[asked.form](scene, asked)
    if answer is None:
        return None
    return {True: "yes", False: "no"}[answer] if isinstance(answer, bool) else str(answer)


def _kind(words: str) -> dict[str, str]:
    """The noun, colour and size in words such as `large red balls`."""
    *adjectives, last = words.split()
    noun = _SINGULAR[last]
    named = {attribute: word for word in adjectives for attribute in ("colour", "size") if word in WORDS[attribute]}
    return {"noun": noun, **named} if noun else named


def _of_a_value(kind: str, value: str) -> Asked:
    return Asked("colour" if value in WORDS["colour"] else "size", (_kind(kind),), value)


_FORMS: dict[str, Callable[..., Asked]] = {
    rf"how many {_KIND} ({'|'.join(COUNT_ENDINGS)})": lambda kind, end: Asked("count", (_kind(kind),), end),
    rf"(?:is there an?|are there any) {_KIND}(?: in the image)?": lambda kind: Asked("there", (_kind(kind),)),
    rf"are there (more|as many) {_KIND} (?:than|as) {_KIND}": lambda form, kind, other: Asked(
        form, (_kind(kind), _kind(other))
    ),
    rf"is the background ({'|'.join(BACKGROUNDS)})": lambda value: Asked("background", value=value),
    rf"is the {_KIND} ({_WHERE}) the {_KIND}": lambda kind, where, other: Asked(
        "relation", (_kind(kind), _kind(other)), where.removeprefix("to the ")
    ),
    rf"(?:are all(?: the)?|is every) {_KIND} ({_COLOURS}|{_SIZES})": lambda kind, value: Asked(
        "all", (_kind(kind),), value
    ),
    rf"(?:do|are) all(?: the)? {_KIND} (?:have |of )?the same (colour|size)": lambda kind, value: Asked(
        f"same {value}", (_kind(kind),), value
    ),
    rf"(?:is|are) the {_KIND} ({_COLOURS}|{_SIZES})": _of_a_value,
}


def _count(scene: Scene, asked: Asked, place: int = 0) -> int:
    return len(chosen(scene, asked.kinds[place]))


def _values(scene: Scene, asked: Asked, attribute: str) -> set[Any]:
    return {getattr(scene.things[number], attribute) for number in chosen(scene, asked.kinds[0])}


def _is_value(scene: Scene, asked: Asked) -> bool | None:
    values = _values(scene, asked, asked.form)
    return values == {asked.value} if len(values) == 1 else None


def _are_all(scene: Scene, asked: Asked) -> bool | None:
    values = _values(scene, asked, "colour" if asked.value in WORDS["colour"] else "size")
    return values == {asked.value} if values else None


def _are_the_same(scene: Scene, asked: Asked) -> bool | None:
    return len(_values(scene, asked, asked.value)) == 1 if _count(scene, asked) > 1 else None


def _is_where(scene: Scene, asked: Asked) -> bool | None:
    first, second = (chosen(scene, kind) for kind in asked.kinds)
    if len(first) != 1 or len(second) != 1:
        return None
    thing, other = scene.things[first[0]], scene.things[second[0]]
    return relation_of(thing, other) == asked.value if is_placed(thing) and is_placed(other) else None


_ANSWERS: dict[str, Callable[[Scene, Asked], int | bool | None]] = {
    "count": _count,
    "there": lambda scene, asked: _count(scene, asked) > 0,
    "colour": _is_value,
    "size": _is_value,
    "background": lambda scene, asked: scene.background == asked.value,
    "relation": _is_where,
    "more": lambda scene, asked: _count(scene, asked) > _count(scene, asked, 1),
    "as many": lambda scene, asked: _count(scene, asked) == _count(scene, asked, 1),
    "all": _are_all,
    "same colour": _are_the_same,
    "same size": _are_the_same,
}
