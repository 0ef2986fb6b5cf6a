"""The tasks of people who write counterfactual questions: choose a group, and write a question (C-VQA 3.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from whatif.benchmarks.cvqa_real.schemas import BOOLEAN, DIRECT, GROUPS, INDIRECT
from whatif.benchmarks.cvqa_real.source_questions import usual_answer
from whatif.benchmarks.cvqa_real.sources import are_released
from whatif.benchmarks.shared.people import judged_questions
from whatif.engine.errors import WhatifError
from whatif.engine.graph.people import ONE, PeoplesWork
from whatif.engine.graph.steps import OutputOf
from whatif.people.exports.tasks import Answer, Interface, TaskSet, row_task_set
from whatif.people.imports.items import Items

Row = Mapping[str, Any]

NONE = "none"  # the decision about a question that nobody can change
QUESTION, ANSWER = "counterfactual_question", "counterfactual_answer"
STEP1, STEP2 = "step1", "step2"
FIELDS = (QUESTION, ANSWER, STEP1, STEP2)  # in the order in which people write them
OPTIONAL = (STEP1, STEP2)


@dataclass(frozen=True)
class Example:
    """What a person could write about a question."""

    question: str
    answer: str
    counterfactual_question: str
    counterfactual_answer: str
    step1: str
    step2: str

    def __str__(self) -> str:
        return (
            f"Question: {self.question} Answer: {self.answer}. "
            f"Counterfactual question: {self.counterfactual_question} Answer: {self.counterfactual_answer}. "
            f"Change: {self.step1}. Effect: {self.step2}."
        )


EXAMPLES = {
    DIRECT: Example(
        "How many apples are in the bowl?",
        "5",
        "How many apples would be in the bowl if a guest ate two of them?",
        "3",
        "Take away 2 apples",
        "The answer would be 5-2=3",
    ),
    INDIRECT: Example(
        "How many boats are on the lake?",
        "4",
        "How many boats would be on the lake if all boats with a sail went into the harbor?",
        "1",
        "Take away the boats with a sail; there are 3 of them",
        "The answer would be 4-3=1",
    ),
    BOOLEAN: Example(
        "Is the window open?",
        "yes",
        "Would the window be open if somebody had shut it against the rain?",
        "no",
        "The new answer should be no",
        "Somebody shuts the window",
    ),
}

_NAMES = {DIRECT: "Direct", INDIRECT: "Indirect", BOOLEAN: "Yes or no"}  # of the groups, for annotators
OF_SOURCE_QUESTIONS = Interface(
    title="Counterfactual questions about images",
    question="How can you change this question?",
    answers=(
        Answer(DIRECT, "Direct: the condition says how the number changes. Only for questions about a number."),
        Answer(
            INDIRECT,
            "Indirect: one has to look at the image to see how the number changes. Only for questions about a number.",
        ),
        Answer(BOOLEAN, "Yes or no: the condition changes the fact. Only for yes-or-no questions."),
        Answer(NONE, "None: the question or its answer does not fit the image, or cannot be changed."),
    ),
    shown={"question": "Question", "answer": "Its answer"},
    instructions=(
        "Look at the image, read the question, and check its answer. If the question is not about the image, or if the "
        "answer is wrong, choose “None”, write nothing, and go on to the next task.",
        "Choose what you can write. A question about a number becomes “Direct” or “Indirect”; use both about equally "
        "often. A yes-or-no question becomes “Yes or no”.",
        "Write the counterfactual question: the same question, with an “if” clause that changes something in the "
        "image. Keep asking about the same thing.",
        "Write its right answer: a whole number in figures, or yes or no. Everybody who sees the image must come to "
        "the same answer. Bad: “How many birds would there be if some flew away?”",
        "The image must be needed. The “if” clause may not give the answer away. Bad: “How many cups would there be if "
        "there were three?”",
        "For “Yes or no”, first turn the answer around, and then think of a change that makes the new answer true. Now "
        "and then write a change after which the answer stays the same.",
        "You may also write the change and its effect in a few words, as in the examples. They help a language model "
        "that sees your questions as examples.",
        "Use simple words and one short question.",
    ),
    corrections={
        QUESTION: "Counterfactual question, with an “if” clause",
        ANSWER: "Right answer to the counterfactual question: a whole number, or yes or no",
        STEP1: "The change, in a few words (may be empty)",
        STEP2: "Its effect on the answer, in a few words (may be empty)",
    },
    corrected_with=GROUPS,
    examples=tuple(f"{_NAMES[group]}. {example}" for group, example in EXAMPLES.items()),
)


def peoples_work(source: OutputOf, filtered: OutputOf, images: OutputOf) -> dict[str, PeoplesWork]:
    """The kinds of work by name: `annotate` writes counterfactuals of source questions, `verify` judges pairs (3.2)."""
    return {
        "annotate": PeoplesWork(source, [images], annotation_task_set, annotation_items, annotators=ONE),
        "verify": judged_questions(filtered, images),
    }


def annotation_task_set(source: Iterable[Row], seed: int) -> TaskSet:
    """One task for each source question: its image, its text and its answer.

    Raises WhatifError for the released set, and when two questions have the same task id.
    """
    return row_task_set(
        OF_SOURCE_QUESTIONS,
        _unchanged(source),
        seed,
        key="pair_id",
        images=lambda row: row["image_ids"],
        texts=lambda row: (str(row["question"]), str(row["answer"])),
    )


def annotation_items(source: Iterable[Row], seed: int) -> Items:
    """The source questions as the importer of labels needs them, with the tasks of `annotation_task_set`.

    A label file can name a question by its question id or by the id of its pair. Answers are read in their usual form:
    `three` is 3.

    Raises WhatifError for the released set, and when two questions have the same id.
    """
    rows = _unchanged(source)
    return Items.of_rows(
        rows,
        key="pair_id",
        fields=FIELDS,
        decisions=(*GROUPS, NONE),
        names={row["question_id"]: row["pair_id"] for row in rows},
        seed=seed,
        forms=lambda row: {ANSWER: partial(usual_answer, group=row["group"])},
        things="source questions",
    )


def _unchanged(source: Iterable[Row]) -> list[Row]:
    rows = list(source)
    if are_released(rows):
        raise WhatifError(
            "cvqa-real: the released questions have their counterfactuals; to write others, set "
            "extract.cvqa-real.questions to null and extract.cvqa-real.vqa to the files of VQAv2"
        )
    return rows
