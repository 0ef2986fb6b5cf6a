"""Tasks in which people answer the questions that models are asked; the right answer is not shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from whatif.people.exports.questions import options_of
from whatif.people.exports.tasks import Interface, TaskSet, row_task_set
from whatif.people.imports.items import Items
from whatif.people.items import Row

OF_ANSWERS = Interface(
    title="Questions about images",
    question="What is the right answer?",
    answers=(),
    shown={"question": "Question", "choices": "Options"},
    instructions=(
        "Look at the image and read the question. Some questions ask what would be the case if something were "
        "different, for example: “How many dogs would there be if two dogs left?” Imagine this change to what the "
        "image shows, and answer the question about the result.",
        "If the question has options, give the letter of one of them. Otherwise give a number in digits, yes or no, or "
        "a few words, as the question asks.",
        "If you are not sure, give the answer that you think is most likely. Work alone, and look up nothing.",
    ),
)


def answer_task_set(questions: Sequence[Row], seed: int) -> TaskSet:
    """One task for each row of a questions table. Raises WhatifError when two rows have the same task id."""
    numbers = {len(row["image_ids"]) for row in questions}
    images = tuple(f"Image {number}" for number in range(1, max(numbers) + 1)) if len(numbers) > 1 else ()
    return row_task_set(
        replace(OF_ANSWERS, images=images),
        questions,
        seed,
        key="question_id",
        images=lambda row: row["image_ids"],
        texts=lambda row: (str(row["question"]), options_of(row)),
    )


def answer_items(questions: Sequence[Row], seed: int) -> Items:
    """The rows of a questions table as the importer of labels needs them; any text is an answer."""
    return Items.of_rows(questions, key="question_id", decisions=(), seed=seed, read=lambda item, text: text)
