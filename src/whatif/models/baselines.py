"""Baselines that answer without a look at picture or words: the lines that a model must pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from whatif.models import Answerer, ChoiceAnswer, ChoiceQuestion
from whatif.params import Baseline
from whatif.random_streams import stream
from whatif.text.options import LETTERS


def random_choice(settings: Baseline, seed: int) -> Answerer:
    """Draws each letter with equal chance, from the seed and the question's id.

    Drawing by id, not in turn, gives a question the same letter whatever shard it is asked in.
    """

    def answer(questions: Sequence[ChoiceQuestion]) -> Iterator[ChoiceAnswer]:
        for question in questions:
            generator = stream(seed, "random baseline", question.question_id)
            yield ChoiceAnswer(LETTERS[int(generator.integers(len(question.options)))])

    return answer


def first_option(settings: Baseline, seed: int) -> Answerer:
    """Always answers A: shows whether right answers are placed evenly."""

    def answer(questions: Sequence[ChoiceQuestion]) -> Iterator[ChoiceAnswer]:
        for _ in questions:
            yield ChoiceAnswer(LETTERS[0])

    return answer


def majority(settings: Baseline, seed: int) -> Answerer:
    """Answers the letter that is right most often in the question's group and variant.

    An oracle line, no model: it is the best that answering with a constant letter could reach (C-VQA 4.2 finds
    models that answer D to most questions). A question without a known majority letter is an `error`.
    """

    def answer(questions: Sequence[ChoiceQuestion]) -> Iterator[ChoiceAnswer]:
        for question in questions:
            if question.majority_letter is None:
                reason = f"the right letters of group {question.group}, variant {question.variant} are not known"
                yield ChoiceAnswer(None, "error", reason)
            else:
                yield ChoiceAnswer(question.majority_letter)

    return answer
