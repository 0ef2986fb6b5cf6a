"""What people do for C-VQA-Real: they write counterfactual questions, and check all of them (C-VQA 3.1, 3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from whatif.benchmarks.shared.people import judged_questions
from whatif.engine.graph.people import PeoplesWork, Row
from whatif.engine.graph.steps import OutputOf

if TYPE_CHECKING:
    from whatif.people.exports.tasks import TaskSet
    from whatif.people.imports.items import Items

ONE = 1  # one person writes the counterfactual question of a source question


def peoples_work(source: OutputOf, filtered: OutputOf, images: OutputOf) -> dict[str, PeoplesWork]:
    """The kinds of work by name: `annotate` writes a twin of a source question, `verify` judges the pairs."""
    return {
        "annotate": PeoplesWork(source, [images], _annotation_tasks, _annotation_items, annotators=ONE),
        "verify": judged_questions(filtered, images),
    }


def _annotation_tasks(rows: Sequence[Row], seed: int) -> TaskSet:
    from whatif.benchmarks.cvqa_real.annotation_tasks import annotation_task_set

    return annotation_task_set(rows, seed)


def _annotation_items(rows: Sequence[Row], seed: int) -> Items:
    from whatif.benchmarks.cvqa_real.annotation_tasks import annotation_items

    return annotation_items(rows, seed)
