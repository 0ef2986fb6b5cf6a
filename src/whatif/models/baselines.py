"""Baselines that a model should beat: they answer without looking at the image or the words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from whatif.engine.language.options import LETTERS
from whatif.engine.params.models import Baseline
from whatif.engine.random_streams import stream
from whatif.models import Answer, Model, Question


@dataclass(frozen=True)
class _Rule:
    """A model that answers each question independently, by a rule."""

    rule: Callable[[Question], Answer]
    identity: None = None  # not stored, because it costs nothing

    def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
        return map(self.rule, questions)


def random_choice(settings: Baseline, seed: int) -> Model:
    """Draws each letter with equal probability, or, for an open question, each correct answer of the group.

    Each draw depends only on the seed and the question's id, so a question gets the same answer in any shard. An open
    question whose group has no known answers is an `error`.
    """

    def rule(question: Question) -> Answer:
        generator = stream(seed, "random baseline", question.question_id)
        if number := _options(question):
            return Answer(LETTERS[int(generator.integers(number))])
        if not question.group_answers:
            return _unknown(f"answers of group {question.group}")
        answers = sorted(set(question.group_answers))
        return Answer(response=answers[int(generator.integers(len(answers)))])

    return _Rule(rule)


def first_option(settings: Baseline, seed: int) -> Model:
    """Always answers A, which shows whether correct answers are balanced. An open question is an `error`."""

    def rule(question: Question) -> Answer:
        if _options(question):
            return Answer(LETTERS[0])
        return Answer(status="error", reason="the question is open: there is no first option")

    return _Rule(rule)


def majority(settings: Baseline, seed: int) -> Model:
    """Answers with the most frequent correct answer of the question's group and variant.

    An oracle baseline rather than a model: the best that a constant answer can reach (C-VQA 4.2 finds models that
    answer D to most questions). A question whose majority answer is unknown is an `error`.
    """

    def rule(question: Question) -> Answer:
        if question.majority_answer is None:
            return _unknown(f"answers of group {question.group}, variant {question.variant}")
        return Answer(question.majority_answer) if _options(question) else Answer(response=question.majority_answer)

    return _Rule(rule)


def _options(question: Question) -> int:
    """The number of options; a baseline chooses one even in a turn before they are ranked, which ends the turns."""
    return len(question.options) or question.letters


def _unknown(what: str) -> Answer:
    return Answer(status="error", reason=f"the right {what} are not known")
