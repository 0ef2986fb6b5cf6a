"""Counterfactual questions that people wrote: the seeds of C-VQA 3.1, and indirect ones of C-VQA 3.2.

A person chooses the group for which a source question can be changed, or finds that there is none, and writes the
counterfactual question and its answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from whatif.benchmarks.cvqa_real.annotation_tasks import (
    ANSWER,
    FIELDS,
    NONE,
    OPTIONAL,
    QUESTION,
    STEP1,
    STEP2,
    annotation_items,
)
from whatif.benchmarks.cvqa_real.answer_forms import WHOLE_NUMBER
from whatif.benchmarks.cvqa_real.schemas import BOOLEAN, PEOPLE, SOURCE_GROUPS
from whatif.benchmarks.cvqa_real.settings import AnnotateSettings
from whatif.benchmarks.cvqa_real.written_questions import written_row
from whatif.engine.graph.task import Task
from whatif.engine.params.resolution import Resolution
from whatif.people.imports.settings import LabelFiles

NOT_ANNOTATED, NO_CHANGE = "not annotated", "no counterfactual question"  # reasons of rejections
OTHER_GROUP, BAD_ANSWER = "group does not fit", "answer of another form"
MISSING, CONTRADICTORY = "missing field", "contradictory field"

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Annotated:
    """What people wrote; every source question has a row in `written` or in `rejections`, both sorted by its id."""

    written: list[dict[str, Any]] = field(default_factory=list)  # rows of `written-questions`
    rejections: list[dict[str, str]] = field(default_factory=list)
    judgements: list[dict[str, Any]] = field(default_factory=list)
    gold: list[dict[str, Any]] = field(default_factory=list)  # those that the annotation tool marks as ground truth
    refused_labels: list[dict[str, str]] = field(default_factory=list)  # rows of label files that are not counted


def write_annotated(task: Task[AnnotateSettings]) -> None:
    """Imports what people wrote. Without label files nobody was asked, and all outputs are empty.

    Raises WhatifError as `annotated`, and when no label counts or no question is left.
    """
    from whatif.benchmarks.shared.imported_labels import report_labels

    files, resolution = task.settings.annotations, task.settings.resolution
    found = Annotated()
    if files is not None:
        found = annotated(list(task.rows("questions")), files, resolution, task.seed)
        report_labels(task, found.judgements, found.refused_labels, resolution)
    task.outputs.write("annotated", found.written)
    task.outputs.write("annotations", found.judgements)
    task.outputs.write("annotation-gold", found.gold)
    task.outputs.write("unannotated", [*found.rejections, *found.refused_labels])
    if files is not None:
        unusable = [row for row in found.rejections if row["reason"] != NOT_ANNOTATED]
        lost = unusable if found.written or unusable else found.rejections
        task.check_losses("annotated questions", len(found.written), lost)


def annotated(source: Sequence[Row], files: LabelFiles, resolution: Resolution, seed: int) -> Annotated:
    """The counterfactual questions in label files about these source questions; `seed` is that of the exported tasks.

    The decision about an item is its group, and its corrected fields are the question, the answer and the steps. Of
    several annotations of an item, `resolution` makes one.

    Raises WhatifError for the released set, and as `import_labels` and `resolve`.
    """
    from whatif.people.imports.importer import import_labels
    from whatif.people.resolution import UNDECIDED, resolve

    read = import_labels(files, annotation_items(source, seed))
    resolved = resolve(read.judgements, resolution)
    undecided = {row["item_id"]: row for row in resolved.undecided}
    found = Annotated([], [], read.judgements, read.gold, read.rejections)
    for row in sorted(source, key=lambda one: str(one["pair_id"])):
        source_id = row["pair_id"]
        group = resolved.decisions.get(source_id)
        if group is None:
            found.rejections.append(_rejection(source_id, NOT_ANNOTATED, "no label about it counts"))
            continue
        if group == UNDECIDED:
            found.rejections.append(undecided[source_id])
            continue
        values = {name: one.value for name, one in resolved.corrections.get(source_id, {}).items()}
        texts = _texts(values)
        fault = _fault(row, group, texts)
        if fault is not None:
            found.rejections.append(_rejection(source_id, *fault))
        else:
            found.written.append(_written(row, group, texts))
    return found


def _texts(values: Mapping[str, str]) -> dict[str, str]:
    """Field -> what was written in it, from canonical JSON, without needless spaces; only fields that are not empty."""
    texts = {name: " ".join(str(json.loads(value)).split()) for name, value in values.items()}
    return {name: text for name, text in texts.items() if text}


def _fault(row: Row, group: str, fields: Mapping[str, str]) -> tuple[str, str] | None:
    """Why an annotation cannot be used, as a reason and its detail; None if it can."""
    if group == NONE:
        if fields:
            return CONTRADICTORY, f"{min(fields)}: has a text, but the decision is {NONE}"
        return NO_CHANGE, "the annotator finds that the question or its answer does not fit, or cannot be changed"
    if SOURCE_GROUPS[group] != row["group"]:
        suitable = " or ".join(name for name, of_source in SOURCE_GROUPS.items() if of_source == row["group"])
        return OTHER_GROUP, f"the group is {group}, but the question is {row['group']}; choose {suitable}"
    missing = [name for name in FIELDS if name not in fields and name not in OPTIONAL]
    if missing:
        return MISSING, f"{missing[0]}: is empty, but the group is {group}"
    if _plain(fields[QUESTION]) == _plain(row["question"]):
        return CONTRADICTORY, f"{QUESTION}: is the same as the question: {fields[QUESTION][:80]}"
    return _fault_of_answer(group, fields[ANSWER])


def _fault_of_answer(group: str, answer: str) -> tuple[str, str] | None:
    if group == BOOLEAN and answer not in ("yes", "no"):
        return BAD_ANSWER, f"{ANSWER}: is {answer[:80]!r}; it must be yes or no"
    if group != BOOLEAN and not WHOLE_NUMBER.fullmatch(answer):
        return BAD_ANSWER, f"{ANSWER}: is {answer[:80]!r}; it must be a whole number"
    return None


def _written(row: Row, group: str, fields: Mapping[str, str]) -> dict[str, Any]:
    return written_row(
        row["pair_id"],
        group,
        PEOPLE,
        question=fields[QUESTION],
        answer=fields[ANSWER],
        step1=fields.get(STEP1),
        step2=fields.get(STEP2),
        provenance={},
    )


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def _rejection(item: str, reason: str, detail: str) -> dict[str, str]:
    return {"item_id": item, "reason": reason, "detail": detail}
