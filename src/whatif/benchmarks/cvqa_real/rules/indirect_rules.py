"""Rules for the numerical indirect group: only changes whose result follows from the text alone (C-VQA 3.1).

Most indirect questions need the image: which of them are on the left, which are red. The rules keep to what is certain:
a place that is emptied, a kind that leaves, and changes that neither add nor remove anything.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from whatif.benchmarks.cvqa_real.rules.numerical_grammar import Counted, counted_kind, single_head
from whatif.benchmarks.cvqa_real.rules.numerical_rules import Change, single_phrase
from whatif.benchmarks.cvqa_real.rules.question_words import (
    AIRCRAFT,
    ANIMAL,
    FLYING,
    FOOD,
    PERSON,
    SWIMMING,
    THING,
    VEHICLE,
    is_part,
    words_of,
)

_COLOURS = words_of(
    "red blue green yellow black white brown orange pink purple grey gray colored coloured color colors"
)
_ANIMALS = frozenset({ANIMAL, FLYING, SWIMMING})
_KIND_LEAVES = {
    PERSON: ("everyone left", "everybody went home"),
    ANIMAL: ("no animal had come", "all animals went away"),
    FLYING: ("all animals went away", "a loud noise drove all animals away"),
    SWIMMING: ("all animals went away",),
    FOOD: ("all food was eaten", "all food was taken away"),
    VEHICLE: ("all vehicles went away", "all vehicles were towed away"),
    AIRCRAFT: ("all aircraft flew away",),
}
_NOTHING_CHANGES = {
    PERSON: ("everyone smiled", "everyone put on a hat", "everyone closed their eyes"),
    ANIMAL: ("all of them fell asleep", "all of them closed their eyes"),
    FLYING: ("all of them fell asleep", "all of them closed their eyes"),
    VEHICLE: ("all of them were painted in another colour", "each of them was washed"),
    THING: ("all of them were painted in another colour", "each of them was washed"),
}
# Kinds of which the words are too wide: not every picture or shadow can be washed or painted.
_PLAIN = words_of(
    "chair table plate cup bowl bottle bench lamp vase umbrella clock sign pillow bed sink toilet mirror "
    "box ball bat racket skateboard surfboard snowboard kite bag backpack suitcase hat helmet fork knife "
    "spoon phone remote keyboard laptop monitor computer television tv door pole fence basket bucket "
    "candle toy tie shelf cabinet drawer oven stove refrigerator microwave towel tent house tower star "
    "heart moon boat cactus tree flower thing key"
)


_NO_PLACES = words_of("air distance middle front foreground background left right wall tower")


def indirect_changes(counted: Counted, number: int, generator: np.random.Generator) -> Iterator[Change]:
    """The certain changes of a question, in random order; none where the result needs the image, or none is there."""
    if number == 0:
        return
    noun = single_head(counted)
    kind = counted_kind(counted)
    leaving = _KIND_LEAVES.get(kind, ()) if counted.addition in {None, "were there"} or _alive(kind) else ()
    empty = [*_emptied(counted, kind, noun), *leaving]
    made = [Change(text, f"Suppose that {text}. None would be left.", f"{number} - {number}", 0) for text in empty]
    if counted.addition in {None, "were there"} and _plain(counted, noun, kind):
        same = "That adds none and removes none."
        texts = [_of_one(text, counted) if number == 1 else text for text in _NOTHING_CHANGES.get(kind, ())]
        made += [Change(text, f"Suppose that {text}. {same}", f"{number} + 0", number) for text in texts]
    for place in generator.permutation(len(made)).tolist():
        yield made[place]


def _alive(kind: str) -> bool:
    return kind == PERSON or kind in _ANIMALS


def _of_one(text: str, counted: Counted) -> str:
    """A change of all of them where there is only one: `the cup was washed`."""
    one = f"the {single_phrase(counted)}"
    for several, alone in (
        ("all of them closed their", f"{one} closed its"),
        ("all of them were", f"{one} was"),
        ("each of them", one),
        ("all of them", one),
    ):
        text = text.replace(several, alone)
    return text


def _emptied(counted: Counted, kind: str, noun: str) -> list[str]:
    """A place that is emptied: `everything on the bed was taken away`."""
    words = counted.place.lower().split()
    if counted.addition != "were there" or words[:1] not in (["on"], ["in"], ["inside"]) or len(words) > 4:
        return []
    if words[1] not in {"the", "this", "that"} or words[-1] in _NO_PLACES:
        return []
    if _alive(kind):
        return [f"no living thing was {counted.place}"]
    loose = kind == FOOD or noun in _PLAIN  # not a stripe on a kite, or a button on a coat
    return [f"everything {counted.place} was taken away"] if loose else []


def _plain(counted: Counted, noun: str, kind: str) -> bool:
    """Whether colour, sleep and dirt make no difference to what is counted."""
    words = set(counted.phrase.lower().split())
    if words & _COLOURS or " of " in counted.phrase or is_part(noun):
        return False
    if kind == THING:
        return noun in _PLAIN
    return kind != FOOD and len(words) <= 2 and not any(word.endswith(("ing", "ed")) for word in words)
