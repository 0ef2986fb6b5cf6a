"""What people do for MuCR: they write cue phrases and explanations, and choose the images of a pair (MuCR 3.1)."""

from __future__ import annotations

from collections.abc import Sequence

from whatif.benchmarks.mucr.annotation_tasks import annotation_items, annotation_task_set, with_chosen_images
from whatif.benchmarks.mucr.choice_tasks import choice_task_set, items_of_rows, with_images
from whatif.benchmarks.mucr.schemas import RELEASED, STYLES
from whatif.engine.graph.people import ONE, PeoplesWork
from whatif.engine.graph.steps import OutputOf


def peoples_work(
    pairs: OutputOf,
    *,
    annotated: OutputOf,
    preselected: OutputOf,
    choices: OutputOf,
    candidates: Sequence[OutputOf],
    images: Sequence[OutputOf],
) -> dict[str, PeoplesWork]:
    """The kinds of work by name: `annotate` pairs of captions alone (`annotate`) or with the chosen images
    (`annotate-images`), and `choose` one of the preselected pairs of images.
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
    }
