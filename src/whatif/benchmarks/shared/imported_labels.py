"""What a run says about people's labels: those that are not counted, and items that have only a final decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from whatif.engine.graph.task import Task
from whatif.engine.params.resolution import ADJUDICATED, Resolution
from whatif.people.items import Row
from whatif.people.resolution import votes_of

_REASONS = 3  # number of reasons that a line names
_REMEDY = (
    "label the tasks that `whatif export tasks` writes, or name the columns and words of your file as docs/labels.md "
    "describes"
)


def report_labels(task: Task[Any], judgements: Sequence[Row], refused: Sequence[Row], resolution: Resolution) -> None:
    """Says how many labels are not counted, and how many items have no decision that the rule counts.

    `judgements` are those of people, `refused` are the rows of `rejections` about labels.

    Raises WhatifError when no label is counted.
    """
    task.check_losses("labels", len(judgements), refused, remedy=_REMEDY)  # also warns when more than half are lost
    if refused and len(refused) <= len(judgements):
        reasons = Counter(row["reason"] for row in refused).most_common(_REASONS)
        told = ", ".join(f"{reason} ({number:,})" for reason, number in reasons)
        example = next(row["detail"] for row in refused if row["reason"] == reasons[0][0])
        task.say(
            f"{task.name}: {len(refused):,} of {len(judgements) + len(refused):,} labels are not counted: {told}; for "
            f"example {example}"
        )
    items = {row["item_id"] for row in judgements}
    without = len(items) - len({row["item_id"] for row in votes_of(judgements, resolution)})
    if without:
        task.say(
            f"warning: {task.name}: {without:,} of {len(items):,} items have only a final decision, which the rule "
            f"{resolution.rule} does not count; set resolution: {{rule: {ADJUDICATED}, adjudicator: {ADJUDICATED}}}"
        )
