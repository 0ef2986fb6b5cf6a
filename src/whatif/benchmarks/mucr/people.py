"""What people do for MuCR: they write cue phrases and explanations, and choose the images of a pair (MuCR 3.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from whatif.benchmarks.mucr.annotation_tasks import annotation_items, annotation_task_set, with_chosen_images
from whatif.benchmarks.mucr.choice_tasks import choice_task_set, items_of_rows, with_images
from whatif.benchmarks.mucr.schemas import MAIN_FORM, RELEASED, STYLES
from whatif.benchmarks.shared.people import answered_questions
from whatif.engine.graph.people import ONE, PeoplesWork, Row
from whatif.engine.graph.steps import OutputOf


def peoples_work(
    pairs: OutputOf,
    *,
    questions: OutputOf,
    items: OutputOf,
    composites: OutputOf,
    annotated: OutputOf,
    preselected: OutputOf,
    choices: OutputOf,
    candidates: Sequence[OutputOf],
    images: Sequence[OutputOf],
) -> dict[str, PeoplesWork]:
    """The kinds of work by name: `annotate` pairs of captions alone (`annotate`) or with the chosen images
    (`annotate-images`), `choose` one of the preselected pairs of images, and `answer` the questions of the main form.
    """
    return {
        "annotate": PeoplesWork(pairs, (), annotation_task_set, annotation_items, annotators=ONE),
        "annotate-images": PeoplesWork(
            pairs,
            images,
            annotation_task_set,
            annotation_items,
            annotators=ONE,
            further={"choices": (choices,), "candidates": candidates},
            joined=lambda rows, other: with_chosen_images(rows, other["choices"], other["candidates"], STYLES),
        ),
        "choose": PeoplesWork(
            preselected,
            images,
            choice_task_set,
            items_of_rows,
            further={"pairs": (annotated,), "candidates": candidates},
            joined=lambda rows, other: with_images(rows, other["pairs"], other["candidates"], released=RELEASED),
        ),
        "answer": answered_questions(questions, composites, further={"items": (items,)}, joined=_in_images),
    }


def _in_images(questions: Sequence[Row], further: Mapping[str, Sequence[Row]]) -> list[Row]:
    """The questions of Table 6 about images: one composite, each pair in one style, in English and without hints."""
    shown = {
        row["question_id"]
        for row in further["items"]
        if row["mixture"] and (row["form"], row["language"], row["hints"]) == (MAIN_FORM, "en", False)
    }
    return [row for row in questions if row["question_id"] in shown]
