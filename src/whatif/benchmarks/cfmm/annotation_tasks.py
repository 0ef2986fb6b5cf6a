"""The tasks of people: write two questions about an image, and check them before and after expansion (CFMM 3.3)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from whatif.benchmarks.cfmm.schemas import BASIC
from whatif.engine.graph.people import ONE, PeoplesWork
from whatif.engine.graph.steps import OutputOf
from whatif.formats.cfmm_items import CATEGORIES
from whatif.people.exports.questions import OF_QUESTIONS, question_items, question_task_set
from whatif.people.exports.tasks import Answer, Interface, TaskSet, row_task_set
from whatif.people.imports.items import ACCEPTED, REJECTED, Items
from whatif.people.question_checks import AMBIGUOUS, UNRELATED

Row = Mapping[str, Any]

NONE = "none"  # the decision about an image that has no category
NO_CATEGORY = "no category"  # the reason for its rejection
FIELDS = (  # that annotators write, in this order
    "basic_question",
    "basic_answer",
    "basic_option",
    "counterfactual_question",
    "counterfactual_answer",
    "counterfactual_option",
)


@dataclass(frozen=True)
class Example:
    """What an annotator could write about an image; the fields are those of `FIELDS`."""

    basic_question: str
    basic_answer: str
    basic_option: str
    counterfactual_question: str
    counterfactual_answer: str
    counterfactual_option: str

    def __str__(self) -> str:
        return (
            f"Basic question: {self.basic_question} Answer: {self.basic_answer}. Wrong option: {self.basic_option}. "
            f"Counterfactual question: {self.counterfactual_question} Answer: {self.counterfactual_answer}. "
            f"Wrong option: {self.counterfactual_option}."
        )


EXAMPLES = {
    "count": Example(
        "How many cups are on the table?",
        "three",
        "two",
        "How many cups would be on the table if a guest put down one more?",
        "four",
        "three",
    ),
    "color": Example(
        "What color is the umbrella?",
        "red",
        "green",
        "What color would the umbrella be if it swapped colors with the bench?",
        "green",
        "red",
    ),
    "size": Example(
        "Which is bigger, the dog or the backpack?",
        "the dog",
        "the backpack",
        "Which would be bigger, the dog or the backpack, if the two swapped their sizes?",
        "the backpack",
        "the dog",
    ),
    "shape": Example(
        "What shape is the pizza on the plate?",
        "round",
        "square",
        "What shape would the pizza on the plate be if it were cut through the middle and one part were eaten?",
        "a half circle",
        "round",
    ),
    "direction": Example(
        "Which side of the image is the horse facing?",
        "left",
        "right",
        "Which side of the image would the horse be facing if the fence behind it were painted white?",
        "left",
        "right",
    ),
    "common": Example(
        "Is the lamp on the desk on?",
        "yes",
        "no",
        "Would the lamp on the desk be on if somebody pressed its switch once?",
        "no",
        "yes",
    ),
}

OF_IMAGES = Interface(
    title="Questions about images",
    question="What can you ask about this image? Choose a category.",
    answers=(
        Answer("count", "Count: how many things there are, when some are added or taken away."),
        Answer("color", "Color: which color a thing has, when colors are exchanged or mixed."),
        Answer("size", "Size: which thing is bigger or smaller, when one of them grows or shrinks."),
        Answer("shape", "Shape: which shape a thing has, when it is cut, bent, pressed or filled."),
        Answer("direction", "Direction: where a thing is or where it faces, when it moves or turns."),
        Answer("common", "Common: what would happen, from what everybody knows about the world."),
        Answer(NONE, "None: no category fits. Leave all fields empty."),
    ),
    shown={"captions": "Captions, as a hint; where they differ from the image, the image is right"},
    instructions=(
        "Look at the image. Choose the category for which you can write the best questions, and use all of them about "
        "equally often. If none fits, choose “None”, write nothing, and go on to the next task.",
        "Write the basic question. The image alone must answer it, and only one answer may be right. It has no “if”.",
        "Write its right answer, in one to three words, for example “the cat”, and a wrong option of the same kind: a "
        "number for a number, a color for a color. The wrong option must be clearly wrong.",
        "Write the counterfactual question: the basic question again, with an “if” clause that changes something. "
        "Other people must still need the image to answer it.",
        "Write its right answer, and a wrong option. If you leave the wrong option empty, it is the answer to the "
        "basic question. In some of your questions, the “if” clause should change something that does not matter, so "
        "that the answer stays the same; then write a wrong option.",
        "Do not give the answer away. The “if” clause may not have the answer, or a word that means the same. Bad: "
        "“What color would the cat be if it were orange?” Read the question without the image: if you can answer it, "
        "write another one. If you compare two things, do not name the one that is the answer in the “if” clause.",
        "Only one answer may be right. Bad: “How many birds would be there if some flew away?” Nobody knows how many "
        "are “some”. Somebody who sees only the image and your question must come to the same answer.",
        "Use simple words and a short question. Do not ask about a thing that is too small or too dark to be seen.",
    ),
    corrections={
        "basic_question": "Basic question",
        "basic_answer": "Right answer to the basic question",
        "basic_option": "Wrong option of the basic question",
        "counterfactual_question": "Counterfactual question, with an “if” clause",
        "counterfactual_answer": "Right answer to the counterfactual question",
        "counterfactual_option": "Wrong option of the counterfactual question (empty: the basic answer)",
    },
    corrected_with=CATEGORIES,
    examples=tuple(f"{category.capitalize()}. {example}" for category, example in EXAMPLES.items()),
)


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


def peoples_work(
    candidates: OutputOf, images: OutputOf, *, written: OutputOf, expanded: OutputOf
) -> dict[str, PeoplesWork]:
    """The kinds of work by name: `annotate` candidates, `check` the written questions, `verify` all questions."""
    tasks, items = partial(question_task_set, interface=OF_CHECKS), partial(question_items, named=BASIC)
    return {
        "annotate": PeoplesWork(candidates, [images], annotation_task_set, annotation_items, annotators=ONE),
        "check": PeoplesWork(written, [images], tasks, items, annotators=ONE),
        "verify": PeoplesWork(expanded, [images], tasks, items, annotators=ONE),
    }


def annotation_task_set(candidates: Iterable[Row], seed: int) -> TaskSet:
    """One task for each row of `candidates`; its text is the captions.

    Raises WhatifError when two rows have the same task id.
    """
    return row_task_set(
        OF_IMAGES,
        candidates,
        seed,
        key="item_id",
        images=lambda row: [row["image_id"]],
        texts=lambda row: ["   ".join(f"({number}) {text}" for number, text in enumerate(row["captions"], 1))],
    )


def annotation_items(candidates: Iterable[Row], seed: int) -> Items:
    """The rows of `candidates` as the importer of labels needs them, with the tasks of `annotation_task_set`.

    A label file can also name a photograph by its file, or by its MS-COCO id. Raises WhatifError when two rows have the
    same id.
    """
    rows = list(candidates)
    return Items.of_rows(
        rows,
        key="item_id",
        fields=FIELDS,
        decisions=(*CATEGORIES, NONE),
        names=_names(rows),
        seed=seed,
        things="images",
    )


def _names(rows: Iterable[Row]) -> dict[str, str]:
    """Further names of the photographs of MS-COCO: file names without their suffix, and ids without zeros."""
    found = {}
    for row in rows:
        known = json.loads(row["provenance"])
        if "coco_image_id" in known:
            number = int(known["coco_image_id"])
            for name in (PurePosixPath(known["image"]).stem, str(number), f"COCO_val2014_{number:012d}"):
                found[name] = row["item_id"]
    return found
