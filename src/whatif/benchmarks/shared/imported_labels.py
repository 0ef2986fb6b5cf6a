"""People's labels in a step: what is made of them, its outputs, and what a run says about them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from whatif.benchmarks.shared.tasks import rejection
from whatif.engine.graph.task import Task
from whatif.engine.params.resolution import ADJUDICATED, Resolution
from whatif.people.imports.importer import ImportedLabels
from whatif.people.imports.settings import LabelFiles
from whatif.people.items import Row
from whatif.people.resolution import UNDECIDED, resolve, votes_of

NOT_ANNOTATED = "not annotated"  # reasons of rejections
MISSING, CONTRADICTORY = "missing field", "contradictory field"
_REASONS = 3  # number of reasons that a line names
_REMEDY = (
    "label the tasks that `whatif export tasks` writes, or name the columns and words of your file as docs/labels.md "
    "describes"
)


class LabelSettings(NamedTuple):
    """The files of people's labels, None where nobody was asked, and how one decision is made of several."""

    files: LabelFiles | None
    resolution: Resolution


@dataclass(frozen=True)
class Labelled:
    """What a step makes of people's labels, as rows of its outputs."""

    rows: list[dict[str, Any]] = field(default_factory=list)  # the items that remain, or what people wrote
    rejections: list[dict[str, str]] = field(default_factory=list)  # of other items, or of parts of them
    judgements: list[dict[str, Any]] = field(default_factory=list)  # those of people
    gold: list[dict[str, Any]] = field(default_factory=list)  # those that the annotation tool marks as ground truth
    refused_labels: list[dict[str, str]] = field(default_factory=list)  # rows of label files that are not counted
    corrections: list[dict[str, Any]] = field(default_factory=list)  # of items that remain

    @classmethod
    def of(cls, read: ImportedLabels) -> Labelled:
        """The labels that were read, before anything is made of them."""
        return cls([], [], read.judgements, read.gold, read.rejections)


@dataclass(frozen=True)
class Decided:
    """What was decided about items.

    decisions: item -> the decision, and what was written in each field: texts on one line, none of them empty.
    undecided: rows of `rejections` of the other items that were judged, by item.
    """

    decisions: dict[str, tuple[str, dict[str, str]]] = field(default_factory=dict)
    undecided: dict[str, dict[str, str]] = field(default_factory=dict)

    @classmethod
    def of(cls, judgements: Iterable[Row], resolution: Resolution) -> Decided:
        """One decision for each item, as `resolution` says. Raises WhatifError as `resolve`."""
        resolved = resolve(judgements, resolution)
        decisions = {}
        for item, decision in resolved.decisions.items():
            if decision != UNDECIDED:
                written = resolved.corrections.get(item, {})
                texts = {name: " ".join(str(json.loads(one.value)).split()) for name, one in written.items()}
                decisions[item] = decision, {name: text for name, text in texts.items() if text}
        return cls(decisions, {row["item_id"]: row for row in resolved.undecided})


def decided_rows(
    rows: Iterable[Row], key: str, found: Labelled, resolution: Resolution
) -> Iterator[tuple[Row, str, dict[str, str]]]:
    """The rows that people decided about, with the decision and what they wrote; rejections of others go to `found`.

    `key` is the column with the item's id. Raises WhatifError as `resolve`.
    """
    decided = Decided.of(found.judgements, resolution)
    for row in rows:
        item = row[key]
        if item in decided.decisions:
            yield row, *decided.decisions[item]
        else:
            unlabelled = rejection(item, NOT_ANNOTATED, "no label about it counts")
            found.rejections.append(decided.undecided.get(item, unlabelled))


def write_labelled(task: Task[Any], found: Labelled, *roles: str, by: LabelSettings) -> None:
    """Writes the outputs with these roles: rows, judgements, gold, all rejections, and corrections if there is a fifth.

    `by` are the settings with which the labels were imported. Before, it says what `report_labels` says.

    Raises WhatifError when no label is counted.
    """
    if by.files is not None:
        report_labels(task, found.judgements, found.refused_labels, by.resolution)
    rejections = [*found.rejections, *found.refused_labels]
    for role, rows in zip(
        roles, (found.rows, found.judgements, found.gold, rejections, found.corrections), strict=False
    ):
        task.outputs.write(role, rows)


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
