"""Tasks about questions: is the question about the image, is its answer right, and is it worded well?

The order is that of C-VQA 3.2: a question that is not related to its image is removed; of the others, an answer that is
wrong is corrected, and a question without a single right answer is removed; what is left is polished.
"""

from __future__ import annotations

import string
from collections.abc import Iterable
from functools import partial

from whatif.people.exports.tasks import Answer, Interface, TaskSet, row_task_set
from whatif.people.imports.items import ACCEPTED, Items
from whatif.people.items import Row
from whatif.people.question_checks import AMBIGUOUS, ANSWER, DECISIONS, FIELDS, QUESTION, UNRELATED, usual_form

_UNRELATED = Answer(UNRELATED, "No: the question is not about this image.")
_AMBIGUOUS = Answer(AMBIGUOUS, "No: the question does not have exactly one right answer.")
_ACCEPTED = Answer(ACCEPTED, "Yes: the question is about this image and has exactly one right answer.")
OF_QUESTIONS = Interface(
    title="Questions about images",
    question="Can this question about the image be used?",
    answers=(_UNRELATED, _AMBIGUOUS, _ACCEPTED),
    shown={"question": "Question", "choices": "Options", "answer": "Given answer"},
    instructions=(
        "Look at the image and read the question. Some questions ask what would be the case if something were "
        "different, for example: “How many dogs would there be if two dogs left?” Imagine this change to what the "
        "image shows, and answer the question about the result.",
        "Is the question about this image? It is, if you need the image to answer it. If it is not, choose "
        f"“{_UNRELATED.text}” and go on to the next task.",
        "Does the question have exactly one right answer? Answer it yourself. If several answers are right, or if you "
        f"cannot tell which one is right, choose “{_AMBIGUOUS.text}” and go on to the next task.",
        f"Otherwise choose “{_ACCEPTED.text}” This is also right if the given answer is wrong.",
        "Is the given answer right? Compare it with yours. If it is wrong, write the right answer in the same form: a "
        "number for a number, yes or no for yes or no, the letter of an option for a letter. If it is right, leave the "
        "field empty.",
        "Is the question worded well? If it has a mistake or is hard to understand, write a better question with the "
        "same meaning and the same answer. If it is good, leave the field empty.",
    ),
    corrections={
        ANSWER: "If the given answer is wrong: the right answer",
        QUESTION: "If the question is not worded well: a better wording",
    },
    corrected_with=(ACCEPTED,),
)


def question_task_set(questions: Iterable[Row], seed: int, interface: Interface = OF_QUESTIONS) -> TaskSet:
    """One task for each row of a questions table; its texts are the question, its options and its answer.

    Raises WhatifError when two rows have the same task id.
    """
    return row_task_set(
        interface,
        questions,
        seed,
        key="question_id",
        images=lambda row: row["image_ids"],
        texts=lambda row: (str(row["question"]), options_of(row), str(row["answer"])),
    )


def question_items(questions: Iterable[Row], seed: int, *, named: str = "counterfactual") -> Items:
    """The rows of a questions table as the importer needs them, with the tasks of `question_task_set`.

    The id of a pair names its question of the variant `named`: usually the counterfactual one, which was generated.

    Raises WhatifError when two rows have the same id.
    """
    rows = list(questions)
    return Items.of_rows(
        rows,
        key="question_id",
        fields=FIELDS,
        decisions=DECISIONS,
        names={row["pair_id"]: row["question_id"] for row in rows if row.get("variant") == named},
        seed=seed,
        forms=lambda row: {ANSWER: partial(usual_form, kind=row["answer_kind"])},
    )


def options_of(row: Row) -> str:
    """The options of a question as one text; empty if it has none."""
    return "   ".join(
        f"({letter}) {text}" for letter, text in zip(string.ascii_uppercase, row["choices"] or (), strict=False)
    )
