"""Leaves out questions with open answers that their text gives away, until text gives no more than a guess does."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from whatif.engine.random_streams import stream
from whatif.scoring.shortcuts.open_answers import MODELS, OpenQuestion, predicted
from whatif.scoring.statistics import wilson

_STEP = 1 / 3  # of the questions that would have to go if the best model stayed as it is
_LEAST = 2  # times as many images as folds must be left
_DIVISIONS = 3  # into folds, for the models that know all questions


class _Reading(NamedTuple):
    """The places of the questions that a model of the text was asked, and of those that it answered correctly."""

    asked: frozenset[int]
    right: frozenset[int]


def given_away(
    questions: Sequence[OpenQuestion], *, variant: str, folds: int, seed: int, confidence: float = 0.95
) -> dict[int, int]:
    """Which of the questions are to be left out: for each its place, and the round that chose it.

    The models of the audit (`MODELS`) answer each question without having seen any about its image. Some learn from all
    the others, whether they are left out or not: they know how such questions are written. Some learn in each round
    from what is left, as an audit of the result does. If the whole interval of a model is above the share of the most
    frequent answer, some of the questions that most models answer correctly go; dropping all at once would turn a model
    into its opposite. The rounds end when no interval is above, with the folds of the audit of the `variant` and with
    others; or when too few images would be left for `folds` folds.
    """
    if len({question.cluster for question in questions}) < _LEAST * folds:
        return {}
    order = stream(seed, "given away", variant).permutation(len(questions)).tolist()
    left = list(range(len(questions)))

    def readings(name: str, number: int) -> list[_Reading]:
        other = int(stream(seed, name, variant, number).integers(2**31))
        return list(_readings(questions, left, variant, folds, other))

    informed = [one for number in range(_DIVISIONS) for one in readings("given away by all", number)]
    dropped: dict[int, int] = {}
    number = 0
    while left:
        found = informed + readings("given away", number)
        surplus = _surplus(questions, left, found, confidence)
        if not surplus:
            found = list(_readings(questions, left, variant, folds, seed))
            surplus = _surplus(questions, left, found, confidence)
        if not surplus:
            break
        number += 1
        votes = Counter(place for one in found for place in one.right)
        chosen = set(sorted(left, key=lambda place: (-votes[place], order[place]))[: math.ceil(_STEP * surplus)])
        rest = [place for place in left if place not in chosen]
        if len({questions[place].cluster for place in rest}) < _LEAST * folds:
            break
        dropped |= dict.fromkeys(chosen, number)
        left = rest
    return dict(sorted(dropped.items()))


def _readings(
    questions: Sequence[OpenQuestion], places: Sequence[int], variant: str, folds: int, seed: int
) -> Iterator[_Reading]:
    """What each model answers of the questions at these places, when it learns from them."""
    for rule in MODELS:
        asked = [place for place in places if rule == "question" or questions[place].presupposition]
        rows = [questions[place] for place in asked]
        answers, _ = predicted(rule, rows, variant=variant, folds=folds, seed=seed)
        right = (place for place, row, answer in zip(asked, rows, answers, strict=True) if row.answer == answer)
        yield _Reading(frozenset(asked), frozenset(right))


def _surplus(
    questions: Sequence[OpenQuestion], left: Sequence[int], found: Iterable[_Reading], confidence: float
) -> float:
    """How many of the questions would have to go for the best model to be no better than the most frequent answer.

    0 if no model's whole interval is above.
    """
    usual = max(Counter(questions[place].answer for place in left).values()) / len(left)
    here = frozenset(left)
    most = 0.0
    for asked, right in found:
        hits, n = len(right & here), len(asked & here)
        if n and wilson(hits, n, confidence).low > usual:
            most = max(most, (hits - usual * n) / (1 - usual))
    return most
