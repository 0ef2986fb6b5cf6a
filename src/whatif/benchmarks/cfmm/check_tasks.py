"""The tasks of a second person, who checks questions before and after they are expanded (CFMM 3.3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from whatif.people.exports.questions import OF_QUESTIONS, question_task_set
from whatif.people.exports.tasks import Answer, TaskSet
from whatif.people.imports.items import ACCEPTED, REJECTED
from whatif.people.items import Row
from whatif.people.question_checks import AMBIGUOUS, UNRELATED

OF_CHECKS = replace(
    OF_QUESTIONS,
    answers=(
        Answer(UNRELATED, "No: the question is not about this image."),
        Answer(AMBIGUOUS, "No: the question does not have exactly one right answer among the options."),
        Answer(REJECTED, "No: the question gives its answer away."),
        Answer(ACCEPTED, "Yes: the image is needed to answer the question, and exactly one option is right."),
    ),
    instructions=(
        "Read the question without looking at the image. Does it give its answer away? For example, “What color would "
        "the cat be if it were orange?” can be answered by anybody. Then choose the answer that says so, and go on to "
        "the next task.",
        "Look at the image. Is the question about it? If not, choose the answer that says so, and go on.",
        "Imagine that what follows “if” were true, even if it is strange. Answer the question yourself. If both "
        "options are right, if none is, or if the image does not show the answer, choose the answer that says so, and "
        "go on.",
        "Otherwise choose “Yes”.",
        "Is the given answer right? It is the letter of an option. If it is wrong, write the letter of the right one.",
        "Is the question worded well? If it has a mistake or is hard to understand, write a better question with the "
        "same meaning and the same answer. If it is good, leave the field empty.",
    ),
)


def check_task_set(questions: Iterable[Row], seed: int) -> TaskSet:
    """One task for each row of `questions`. Raises WhatifError when two rows have the same task id."""
    return question_task_set(questions, seed, OF_CHECKS)
