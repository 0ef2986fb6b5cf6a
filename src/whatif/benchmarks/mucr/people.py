"""What people do for MuCR: they write cue phrases and explanations, and choose the images of a pair (MuCR 3.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from whatif.engine.graph.people import PeoplesWork, Row
from whatif.engine.graph.steps import OutputOf

if TYPE_CHECKING:
    from whatif.people.exports.tasks import TaskSet
    from whatif.people.imports.items import Items

ONE = 1  # one person writes the cue phrases and the explanation of a pair


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
        "annotate": PeoplesWork(pairs, (), _annotation_tasks, _annotation_items, annotators=ONE),
        "annotate-images": PeoplesWork(
            pairs,
            images,
            _annotation_tasks,
            _annotation_items,
            annotators=ONE,
            further={"choices": (choices,), "candidates": candidates},
            joined=_with_chosen_images,
        ),
        "choose": PeoplesWork(
            preselected,
            images,
            _choice_tasks,
            _choice_items,
            further={"pairs": (annotated,), "candidates": candidates},
            joined=_with_images,
        ),
    }


def _annotation_tasks(rows: Sequence[Row], seed: int) -> TaskSet:
    from whatif.benchmarks.mucr.annotation_tasks import annotation_task_set

    return annotation_task_set(rows, seed)


def _annotation_items(rows: Sequence[Row], seed: int) -> Items:
    from whatif.benchmarks.mucr.annotation_tasks import annotation_items

    return annotation_items(rows, seed)


def _with_chosen_images(rows: Sequence[Row], further: Mapping[str, Sequence[Row]]) -> Sequence[Row]:
    from whatif.benchmarks.mucr.annotation_tasks import with_chosen_images
    from whatif.benchmarks.mucr.schemas import STYLES

    return with_chosen_images(rows, further["choices"], further["candidates"], STYLES)


def _with_images(rows: Sequence[Row], further: Mapping[str, Sequence[Row]]) -> Sequence[Row]:
    from whatif.benchmarks.mucr.choice_tasks import with_images
    from whatif.benchmarks.mucr.schemas import RELEASED

    return with_images(rows, further["pairs"], further["candidates"], released=RELEASED)


def _choice_tasks(rows: Sequence[Row], seed: int) -> TaskSet:
    from whatif.benchmarks.mucr.choice_tasks import choice_task_set

    return choice_task_set(rows, seed)


def _choice_items(rows: Sequence[Row], seed: int) -> Items:
    from whatif.benchmarks.mucr.choice_tasks import items_of_rows

    return items_of_rows(rows, seed)
