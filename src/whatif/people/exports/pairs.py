"""Tasks about the images of pairs: which of two captions describes the image better (COCO-Counterfactuals 4.1)?"""

from __future__ import annotations

from collections.abc import Iterable

from whatif.people.exports.tasks import AnnotationTask, Answer, Interface, TaskSet
from whatif.people.items import Row
from whatif.people.picture_tasks import picture_tasks

# The wording follows the instructions of COCO-Counterfactuals, Figure 4. The labels are those of the CSV of pairs.
OF_PAIRS = Interface(
    title="Captions of images",
    question="Which caption describes the image better?",
    answers=(
        Answer("1", "The first caption describes the image better."),
        Answer("2", "The second caption describes the image better."),
        Answer("both", "Both captions describe the image equally well."),
        Answer("neither", "Neither caption describes the image accurately."),
    ),
    shown={"caption_1": "First caption", "caption_2": "Second caption"},
    instructions=(
        "Look at the image and read both captions.",
        "Choose the caption that describes the image better. If both are correct, choose the one that is more "
        "descriptive or detailed.",
        "If they describe the image equally well, choose “both”. If neither describes it accurately, choose “neither”.",
        "Use only what you can see in the image. The order of the captions is random.",
        "Judge each image on its own: your answers about other images do not matter.",
    ),
)


def pair_task_set(pairs: Iterable[Row], seed: int) -> TaskSet:
    """The tasks of `picture_tasks`, for any annotation tool; annotators are assigned to them later."""
    tasks = picture_tasks(pairs, seed=seed, labelled_three_times=0)
    made = (AnnotationTask(task.task_id, task.item_id, (task.image_id,), task.options) for task in tasks)
    return TaskSet(OF_PAIRS, tuple(sorted(made, key=lambda task: task.task_id)))
