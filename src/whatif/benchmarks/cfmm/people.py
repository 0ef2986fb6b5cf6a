"""What people do for CFMM: they write questions, and check them before and after the expansion (CFMM 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from whatif.benchmarks.cfmm.schemas import BASIC
from whatif.engine.graph.people import PeoplesWork, Row
from whatif.engine.graph.steps import OutputOf

if TYPE_CHECKING:
    from whatif.people.exports.tasks import TaskSet
    from whatif.people.imports.items import Items

ONE = 1  # a second person checks what one person has written


def peoples_work(
    candidates: OutputOf, images: OutputOf, *, written: OutputOf, expanded: OutputOf
) -> dict[str, PeoplesWork]:
    """The kinds of work by name: `annotate` candidates, `check` the written questions, `verify` all questions."""
    return {
        "annotate": PeoplesWork(candidates, [images], _annotation_tasks, _annotation_items, annotators=ONE),
        "check": PeoplesWork(written, [images], _check_tasks, _checked_items, annotators=ONE),
        "verify": PeoplesWork(expanded, [images], _check_tasks, _checked_items, annotators=ONE),
    }


def _annotation_tasks(rows: Sequence[Row], seed: int) -> TaskSet:
    from whatif.benchmarks.cfmm.annotation_tasks import annotation_task_set

    return annotation_task_set(rows, seed)


def _annotation_items(rows: Sequence[Row], seed: int) -> Items:
    from whatif.benchmarks.cfmm.annotation_tasks import annotation_items

    return annotation_items(rows, seed)


def _check_tasks(rows: Sequence[Row], seed: int) -> TaskSet:
    from whatif.benchmarks.cfmm.check_tasks import check_task_set

    return check_task_set(rows, seed)


def _checked_items(rows: Sequence[Row], seed: int) -> Items:
    from whatif.people.exports.questions import question_items

    return question_items(rows, seed, named=BASIC)
