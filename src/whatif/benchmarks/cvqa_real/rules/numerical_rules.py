"""Rules for numerical questions: how many there would be if some came or left (C-VQA 3.1, the direct group)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from whatif.benchmarks.cvqa_real.rules.numerical_grammar import Counted, counted_kind
from whatif.benchmarks.cvqa_real.rules.question_words import (
    AIRCRAFT,
    FLYING,
    FOOD,
    PERSON,
    SWIMMING,
    VEHICLE,
    has_singular,
    numbers_in,
    singular,
    with_article,
)

_Option = TypeVar("_Option")

LARGEST = 20  # answers that people can still count
_MANY = range(2, 6)
_FEWER = 0.25  # how often some leave; more often, and where none leaves, there would mostly have been one or none
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class Change(NamedTuple):
    """A presupposition: the condition after `if`, the calculation from the original answer, and the new answer."""

    condition: str
    step: str
    calculation: str
    answer: int


def changes(counted: Counted, number: int, generator: np.random.Generator) -> Iterator[Change]:
    """Presuppositions for an original answer of `number`, in random order; most can be tried, and none repeats."""
    makers = [_added, _added, _removed, _removed, _all_removed, _doubled, _halved, _two_steps]
    for place in generator.permutation(len(makers)).tolist():
        made = makers[place](counted, number, generator)
        if made is not None:
            yield made


def open_changes(counted: Counted, number: int, generator: np.random.Generator) -> list[Change]:
    """Every presupposition whose words leave the answer to the image, in random order, each in one wording.

    None of them leaves nothing, or says by its words that there was one thing or none.
    """
    some = 1 if counted.addition in {"did the same", "did too"} else 2  # of none, fewer than these come
    made = [_with_more(counted, number, more, generator) for more in range(1, 6) if number or more < some]
    made.append(_doubled(counted, number, generator))
    if counted.addition is None and has_singular(counted.noun):
        made += [_come_and_gone(counted, number, come, go, generator) for come in _MANY for go in range(1, come)]
    if generator.random() < _FEWER:
        made = [_with_fewer(counted, number, fewer, generator) for fewer in range(1, min(number, 7))] or made
        made.append(_halved(counted, number, generator))
        if counted.addition is None and has_singular(counted.noun):
            made += [
                _exchanged(counted, number, go, come, generator) for go in range(1, min(number, 6)) for come in _MANY
            ]
    known = [change for change in made if change is not None]
    return [known[place] for place in generator.permutation(len(known)).tolist()]


def new_question(counted: Counted, change: Change) -> str:
    """The counterfactual question."""
    return f"{counted.frame} if {change.condition}?"


def is_allowed(question: str, answer: int) -> bool:
    """Whether a new question may be used: its answer is none of the numbers in it."""
    return str(answer) not in numbers_in(question)


def kind_verbs(counted: Counted) -> tuple[str, str]:
    """How more of the counted things come and how they leave: (`came`, `left`), (`were added`, `were removed`)."""
    kind = counted_kind(counted)
    arrive, leave = _VERBS.get(kind, ("were added", "were removed"))
    return arrive, leave


_VERBS = {
    PERSON: ("came", "left"),
    FLYING: ("came", "flew away"),
    SWIMMING: ("came", "swam away"),
    "animal": ("came", "left"),
    FOOD: ("were added", "were eaten"),
    VEHICLE: ("came", "left"),
    AIRCRAFT: ("came", "flew away"),
}
_OTHER_ARRIVALS = {"came": ("came", "appeared", "were added"), "were added": ("were added", "appeared")}
_OTHER_DEPARTURES = {
    "left": ("left", "went away", "disappeared"),
    "flew away": ("flew away", "left"),
    "swam away": ("swam away", "disappeared"),
    "were eaten": ("were eaten", "were taken away", "were removed"),
    "were removed": ("were removed", "were taken away", "disappeared"),
}


def _among(counted: Counted) -> str:
    """`the dogs`; `them` where not all dogs are counted, but only those that are or do something."""
    return f"the {counted.phrase}" if counted.addition in {None, "were there", "were added"} else "them"


def _added(counted: Counted, number: int, generator: np.random.Generator) -> Change | None:
    if number == 0 and counted.addition in {"did the same", "did too"}:
        return None
    return _with_more(counted, number, int(generator.integers(1, 6)), generator, told=True)


def _with_more(
    counted: Counted, number: int, more: int, generator: np.random.Generator, *, told: bool = False
) -> Change | None:
    """More of them come; `told`: the words may tell whether there were any before."""
    arrive = counted.addition or _one(_OTHER_ARRIVALS[kind_verbs(counted)[0]], generator)
    if more == 1 or number == 0:  # more than one of none would be the answer itself
        if not has_singular(counted.noun):
            return None
        more, single = 1, single_phrase(counted)
        if told:
            amount = f"{_one(('another', 'one more'), generator)} {single}" if number else with_article(single)
        else:
            amount = _one((f"another {single}", with_article(single)), generator)
        arrive = _was(arrive)
    else:
        amount = f"{_figure(more, generator)} more {counted.phrase}"
    step = f"Add {more} {single_phrase(counted) if more == 1 else counted.phrase}."
    return Change(f"{amount} {arrive}", step, f"{number} + {more}", number + more)


def _removed(counted: Counted, number: int, generator: np.random.Generator) -> Change | None:
    if number < 2 or not has_singular(counted.noun):
        return None
    return _with_fewer(counted, number, int(generator.integers(1, min(number, 7))), generator)


def _with_fewer(counted: Counted, number: int, fewer: int, generator: np.random.Generator) -> Change | None:
    if not has_singular(counted.noun):
        return None
    leave = _one(_OTHER_DEPARTURES[kind_verbs(counted)[1]], generator)
    step = f"Remove {fewer} {single_phrase(counted) if fewer == 1 else counted.phrase}."
    amount = f"{_figure(fewer, generator)} of {_among(counted)}"
    return Change(f"{amount} {_was(leave) if fewer == 1 else leave}", step, f"{number} - {fewer}", number - fewer)


def _all_removed(counted: Counted, number: int, generator: np.random.Generator) -> Change | None:
    one_of_several = number == 1 and _among(counted) == "them"  # `the bike`, of which only one has a basket
    if number == 0 or one_of_several or (number == 1 and not has_singular(counted.noun)):
        return None
    leave = _one(_OTHER_DEPARTURES[kind_verbs(counted)[1]], generator)
    if number == 1:
        condition = f"the {single_phrase(counted)} {_was(leave)}"
    else:
        condition = f"{_one(('all of the', 'all the'), generator)} {counted.phrase} {leave}"
    step = f"Remove {'the only one' if number == 1 else 'all of them'}."
    return Change(condition, step, f"{number} - {number}", 0)


def _doubled(counted: Counted, number: int, generator: np.random.Generator) -> Change | None:
    if number == 0 or number > LARGEST // 2:
        return None
    # Of what is or does something, not all the new ones need to be or do so.
    forms = ("there were twice as many", f"the number of {counted.phrase} doubled")
    condition = _one(forms if counted.addition in {None, "were there", "were added"} else forms[:1], generator)
    return Change(condition, f"Double the number of {counted.phrase}.", f"{number} * 2", 2 * number)


def _halved(counted: Counted, number: int, generator: np.random.Generator) -> Change | None:
    if number < 2 or number % 2:
        return None
    leave = _one(_OTHER_DEPARTURES[kind_verbs(counted)[1]], generator)
    return Change(
        f"half of {_among(counted)} {leave}", f"Remove half of the {counted.phrase}.", f"{number} / 2", number // 2
    )


def _two_steps(counted: Counted, number: int, generator: np.random.Generator) -> Change | None:
    """Some leave and others come. Where there was none, some come and then fewer of them leave."""
    placed = counted.addition == "were there"
    if not (counted.addition is None or (placed and number == 0)) or not has_singular(counted.noun):
        return None
    if number == 0:
        come, go = _one([(3, 1), (3, 2), (4, 1), (4, 3), (5, 1), (5, 2), (5, 3), (5, 4), (6, 1), (6, 2)], generator)
        return _come_and_gone(counted, number, come, go, generator)
    come, go = int(generator.integers(2, 6)), int(generator.integers(1, min(number, 5) + 1))
    return _exchanged(counted, number, go, come, generator)


def _come_and_gone(counted: Counted, number: int, come: int, go: int, generator: np.random.Generator) -> Change:
    """Some come, and fewer of them leave again."""
    arrive, leave = kind_verbs(counted)
    if counted.addition == "were there":
        arrive = f"{'were put' if arrive == 'were added' else 'came'} there"
    first = f"{_figure(come, generator)} {counted.phrase} {arrive}"
    last = f"{_figure(go, generator)} of them {_was(leave) if go == 1 else leave}"
    step = f"Add {come} {counted.phrase}, then remove {go}."
    return Change(f"{first} and then {last}", step, f"{number} + {come} - {go}", number + come - go)


def _exchanged(counted: Counted, number: int, go: int, come: int, generator: np.random.Generator) -> Change:
    """Some leave, and others come."""
    arrive, leave = kind_verbs(counted)
    if number == 1:
        first = f"the {single_phrase(counted)} {_was(leave)}"
    elif go == number:
        first = f"all the {counted.phrase} {leave}"
    else:
        first = f"{_figure(go, generator)} of the {counted.phrase} {_was(leave) if go == 1 else leave}"
    last = f"{_figure(come, generator)} other {counted.phrase} {arrive}"
    step = f"Remove {go} and add {come}."
    return Change(f"{first} and {last}", step, f"{number} - {go} + {come}", number - go + come)


def single_phrase(counted: Counted) -> str:
    """The counted noun phrase in the singular."""
    words = counted.phrase.split()
    place = words.index(counted.noun)
    return " ".join([*words[:place], singular(counted.noun), *words[place + 1 :]])


def _was(verb: str) -> str:
    """A verb for one thing: `was removed` of `were removed`."""
    return re.sub(r"^were\b", "was", verb)


def _figure(number: int, generator: np.random.Generator) -> str:
    return _WORDS[number] if number <= 10 and generator.random() < 0.5 else str(number)


def _one(options: Sequence[_Option], generator: np.random.Generator) -> _Option:
    return options[int(generator.integers(len(options)))]
