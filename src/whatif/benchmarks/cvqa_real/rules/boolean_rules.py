"""Rules for boolean questions: flip the answer, then find what would make the new one true (C-VQA 3.1)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from whatif.benchmarks.cvqa_real.rules.boolean_clauses import UNKNOWN_PREDICATE, UNKNOWN_VERB, Flipped
from whatif.benchmarks.cvqa_real.rules.boolean_existence import compared, existing, having
from whatif.benchmarks.cvqa_real.rules.boolean_predicates import (
    of_doing,
    of_kind,
    of_place,
    of_relation,
    of_state,
    of_weather,
)
from whatif.benchmarks.cvqa_real.rules.question_words import NotChangedError, cleaned, refuse_if

_FORMS: tuple[Callable[[str, bool, np.random.Generator], Flipped | None], ...] = (
    compared,
    of_weather,
    existing,
    having,
    of_relation,
    of_kind,
    of_doing,
    of_state,
    of_place,
)
_PAST = frozenset({"was", "were", "did", "has", "have", "had"})


def flipped(question: str, yes: bool, generator: np.random.Generator) -> Flipped | str:
    """The question under a presupposition that flips its answer, or why the rules find none.

    `yes` is whether the original answer is yes.
    """
    text = cleaned(question)
    try:
        return _made(text, yes, generator)
    except NotChangedError as reason:
        return str(reason)


def _made(text: str, yes: bool, generator: np.random.Generator) -> Flipped:
    lower = f" {text.lower()} "
    refuse_if(
        (" or " in lower or "," in text, "offers alternatives, or has several parts"),
        (" not " in lower or "n't " in lower or " no " in lower, "has a negation"),
    )
    for form in _FORMS:
        made = form(text, yes, generator)
        if made is not None:
            return made
    first = text.partition(" ")[0].lower()
    refuse_if(
        (first in _PAST, "asks about the past"),
        (first in {"does", "do", "can"}, UNKNOWN_VERB),
        (first not in {"is", "are"}, "begins with a word that the rules do not know"),
    )
    raise NotChangedError(UNKNOWN_PREDICATE)
