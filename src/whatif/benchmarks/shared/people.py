"""What people judge in a benchmark, as `Benchmark.people` declares it: images of pairs, or questions about images."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from whatif.engine.graph.people import PeoplesWork, Row
from whatif.engine.graph.steps import OutputOf
from whatif.engine.params.whole import Params

if TYPE_CHECKING:
    from whatif.people.exports.tasks import TaskSet
    from whatif.people.imports.items import Items


def judged_pairs(pairs: OutputOf, images: OutputOf, share: Callable[[Params], float]) -> PeoplesWork:
    """People choose one of two captions for each image of a pair; several people judge the share `share` of them."""
    return PeoplesWork(pairs, [images], _pair_tasks, _pair_items, share)


def judged_questions(questions: OutputOf, images: OutputOf) -> PeoplesWork:
    """People decide whether a question can be used, and correct its answer and its wording."""
    return PeoplesWork(questions, [images], _question_tasks, _question_items)


def _pair_tasks(rows: Sequence[Row], seed: int) -> TaskSet:
    from whatif.people.exports.pairs import pair_task_set
    from whatif.people.picture_tasks import picture_tasks

    # Annotators are assigned to tasks later.
    return pair_task_set(picture_tasks(rows, seed=seed, labelled_three_times=0))


def _pair_items(rows: Sequence[Row], seed: int) -> Items:
    from whatif.people.imports.items import Items

    return Items.of_pairs(rows, seed=seed)


def _question_tasks(rows: Sequence[Row], seed: int) -> TaskSet:
    from whatif.people.exports.questions import question_task_set

    return question_task_set(rows, seed)


def _question_items(rows: Sequence[Row], seed: int) -> Items:
    from whatif.people.exports.questions import question_items

    return question_items(rows, seed)
