"""The examples that a model is fine-tuned on: questions exactly as they are asked, with their correct answers.

The code that asks the questions of a benchmark runs with a `Recorder` instead of a model. So an example has the words
and images of the question as it is asked after training, whatever its form.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.language.options import LETTERS
from whatif.engine.random_streams import sample
from whatif.models import Answer, Model, Question
from whatif.models.local.answerer import LocalModel
from whatif.models.local.faults import about_one_question, first_line

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Example:
    """A question as it is put to a model, and the text of the correct answer."""

    question: Question
    answer: str


@dataclass
class Recorder:
    """A model that answers nothing and keeps the questions that it is asked."""

    asked: list[Question]
    identity: None = None

    def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
        """An error for each question."""
        self.asked.extend(questions)
        return (Answer(status="error", reason="the question was only recorded") for _ in questions)


def examples_of(rows: Sequence[Row], ask: Callable[[Model], Iterable[Any]]) -> list[Example]:
    """The examples of multiple-choice questions, in the order in which `ask` puts `rows` to a model.

    The answer is what the form of the questions calls for: of ranked texts the text of the correct choice, otherwise
    its letter. Raises WhatifError when `ask` asks other questions than `rows`, or some of them twice.
    """
    answers = {str(row["question_id"]): str(row["answer"]) for row in rows}
    recorder = Recorder([])
    deque(ask(recorder), maxlen=0)
    if sorted(one.question_id for one in recorder.asked) != sorted(answers):
        raise WhatifError(
            f"fine-tuning: {len(recorder.asked):,} turns were asked for {len(answers):,} questions; use a strategy "
            "with one turn and one sample"
        )
    return [Example(one, _expected(one, answers[one.question_id])) for one in recorder.asked]


def _expected(question: Question, letter: str) -> str:
    return question.options[LETTERS.index(letter)] if question.options else letter


def held_out_groups(groups: Iterable[str], share: float, seed: int) -> set[str]:
    """A share of the groups, rounded down, drawn by `seed`; at least one group is not among them."""
    known = set(groups)
    return sample(seed, "held-out groups", known, int(share * len(known)))


def readable(model: LocalModel, examples: Iterable[Example]) -> tuple[list[Example], Counter[str]]:
    """The examples that a checkpoint can be shown, and the reasons for which others cannot.

    Images that cannot be decoded, and conversations that the chat template or the processor rejects, would otherwise
    end the training in its middle.
    """
    kept, reasons = [], Counter[str]()
    for example in examples:
        try:
            model.checkpoint.encode([model.prompt(example.question)])
            kept.append(example)
        except OSError as error:
            reasons[f"picture cannot be decoded: {error}"] += 1
        except Exception as error:
            if not about_one_question(error):
                raise
            reasons[f"the model cannot be asked this: {first_line(error)}"] += 1
    return kept, reasons
