"""Tasks for annotators, independent of the tool: images and texts to be shown, one question, and its answers.

A benchmark makes a `TaskSet` of its rows. The other modules of this package write it for an annotation tool.
"""

from __future__ import annotations

import html
import itertools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from whatif.engine.errors import WhatifError
from whatif.engine.random_streams import stream
from whatif.people.items import Row
from whatif.people.picture_tasks import task_id_of

OWN_WORDS = "Your answer"  # the heading of the field for an answer in people's own words


@dataclass(frozen=True)
class Answer:
    """One answer to the question of the tasks. `value` is the label in files, `text` is what annotators read."""

    value: str
    text: str


@dataclass(frozen=True)
class Interface:
    """What all tasks of a set have in common.

    answers: those to choose from; none if people answer in their own words.
    shown: name of a text -> its heading, in the order of the texts of a task.
    corrections: field that annotators may correct or write -> the question about it. The name of a shown text of the
        same name is that of the field.
    corrected_with: the answers with which these fields may be filled in.
    instructions: paragraphs, each about one thing that annotators have to do.
    examples: paragraphs, each with one good answer.
    images: headings of the images of a task, in their order, if tasks have several and may have different numbers.
    """

    title: str
    question: str
    answers: tuple[Answer, ...]
    shown: Mapping[str, str]
    instructions: tuple[str, ...]
    corrections: Mapping[str, str] = field(default_factory=dict)
    corrected_with: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    images: tuple[str, ...] = ()


@dataclass(frozen=True)
class AnnotationTask:
    """One item to be judged. `annotators` are the numbers, from 1, of the people who judge it."""

    task_id: str
    item_id: str
    image_ids: tuple[str, ...]
    texts: tuple[str, ...]  # in the order of `Interface.shown`
    annotators: tuple[int, ...] = ()


@dataclass(frozen=True)
class TaskSet:
    """Tasks of one interface, sorted by task id, which is an order that is unrelated to the items."""

    interface: Interface
    tasks: tuple[AnnotationTask, ...]

    @property
    def labels(self) -> int:
        """The number of labels that annotators give."""
        return sum(len(task.annotators) for task in self.tasks)

    def by_annotators(self) -> dict[int, list[AnnotationTask]]:
        """Number of annotators -> the tasks that have as many, in ascending order."""
        ordered = sorted(self.tasks, key=lambda task: (len(task.annotators), task.task_id))
        return {number: list(tasks) for number, tasks in itertools.groupby(ordered, lambda task: len(task.annotators))}


def row_task_set(
    interface: Interface,
    rows: Iterable[Row],
    seed: int,
    *,
    key: str,
    images: Callable[[Row], Sequence[str]],
    texts: Callable[[Row], Sequence[str]],
) -> TaskSet:
    """One task for each row of a table with the item ids `key`; `texts` are in the order of `interface.shown`.

    Raises WhatifError when two rows have the same task id.
    """
    by_id = {str(row[key]): row for row in rows}
    made = (
        AnnotationTask(task_id, item, tuple(images(by_id[item])), tuple(texts(by_id[item])))
        for task_id, item in sorted(task_ids(by_id, seed).items())
    )
    return TaskSet(interface, tuple(made))


def task_ids(items: Iterable[str], seed: int) -> dict[str, str]:
    """Task id -> item. Raises WhatifError when two items have the same task id."""
    found: dict[str, str] = {}
    for item in items:
        if (task := task_id_of(item, seed)) in found:
            raise WhatifError(f"items {found[task]} and {item}: have the same task id; use another seed")
        found[task] = item
    return found


def assigned(
    tasks: TaskSet, *, annotators: int, people: int, share: float, by_everybody: Collection[str], seed: int
) -> TaskSet:
    """The same tasks, with the numbers of the people who judge them.

    The share `share` of the items (rounded; at least one unless the share is 0), drawn from the seed, is judged by
    `annotators` of the `people`, and each other item by one of them. The items `by_everybody` are judged by all. All
    people get the same number of the other tasks, plus or minus one.

    Raises WhatifError for fewer people than annotators, for a share outside 0 to 1, and for unknown items.
    """
    if not 1 <= annotators <= people:
        raise WhatifError(f"annotators: {annotators} of {people} people cannot judge an item; give 1 to {people}")
    if not 0 <= share <= 1:
        raise WhatifError(f"share: {share} is not a share; give a number between 0 and 1")
    if unknown := sorted(set(by_everybody) - {task.item_id for task in tasks.tasks}):
        raise WhatifError(f"item {unknown[0]}: has no task; items for everybody must be among the tasks")
    drawn = sorted(
        (float(stream(seed, "labelled by several", task.item_id).random()), task.item_id)
        for task in tasks.tasks
        if task.item_id not in by_everybody
    )
    number = min(len(drawn), max(1, round(share * len(drawn)))) if share else 0
    whole = tuple(range(1, people + 1))
    chosen = dict.fromkeys(by_everybody, whole)
    first = 0
    for rank, (_, item) in enumerate(drawn):
        several = annotators if rank < number else 1
        chosen[item] = tuple(sorted((first + step) % people + 1 for step in range(several)))
        first += several
    return replace(tasks, tasks=tuple(replace(task, annotators=chosen[task.item_id]) for task in tasks.tasks))


def instructions_html(interface: Interface) -> str:
    """The instructions as HTML: the question, a numbered list, the answers, and the examples."""
    steps = "".join(f"<li>{html.escape(text)}</li>\n" for text in interface.instructions)
    answers = "".join(f"<li>{html.escape(answer.text)}</li>\n" for answer in interface.answers)
    examples = "".join(f"<li>{html.escape(text)}</li>\n" for text in interface.examples)
    return (
        f"<p><strong>{html.escape(interface.question)}</strong></p>\n<ol>\n{steps}</ol>\n"
        + (f"<p>Choose one of these:</p>\n<ul>\n{answers}</ul>\n" if answers else "")
        + (f"<p>Examples:</p>\n<ul>\n{examples}</ul>\n" if examples else "")
    )
