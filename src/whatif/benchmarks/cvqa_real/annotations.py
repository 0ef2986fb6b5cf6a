"""Counterfactual questions that people wrote: the seeds of C-VQA 3.1, and indirect ones of C-VQA 3.2.

A person chooses the group for which a source question can be changed, or finds that there is none, and writes the
counterfactual question and its answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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
from whatif.benchmarks.cvqa_real.schemas import BOOLEAN, PEOPLE, SOURCE_GROUPS, WHOLE_NUMBER
from whatif.benchmarks.cvqa_real.written_questions import written_row
from whatif.benchmarks.shared.imported_labels import (
    CONTRADICTORY,
    MISSING,
    NOT_ANNOTATED,
    Labelled,
    LabelSettings,
    decided_rows,
    write_labelled,
)
from whatif.benchmarks.shared.tasks import rejection
from whatif.engine.graph.task import Task
from whatif.engine.params.resolution import Resolution
from whatif.people.imports.importer import import_labels
from whatif.people.imports.settings import LabelFiles

NO_CHANGE = "no counterfactual question"  # reasons of rejections
OTHER_GROUP, BAD_ANSWER = "group does not fit", "answer of another form"

Row = Mapping[str, Any]


def write_annotated(task: Task[LabelSettings]) -> None:
    """Imports what people wrote. Without label files nobody was asked, and all outputs are empty.

    Raises WhatifError as `annotated`, and when no label counts or no question is left.
    """
    files, resolution = task.settings
    roles = ("annotated", "annotations", "annotation-gold", "unannotated")
    if files is None:
        write_labelled(task, Labelled(), *roles, by=task.settings)
        return
    found = annotated(list(task.rows("questions")), files, resolution, task.seed)
    write_labelled(task, found, *roles, by=task.settings)
    unusable = [row for row in found.rejections if row["reason"] != NOT_ANNOTATED]
    lost = unusable if found.rows or unusable else found.rejections
    task.check_losses("annotated questions", len(found.rows), lost)


def annotated(source: Sequence[Row], files: LabelFiles, resolution: Resolution, seed: int) -> Labelled:
    """The counterfactual questions in label files about these source questions; `seed` is that of the exported tasks.

    The decision about an item is its group, and its corrected fields are the question, the answer and the steps. Of
    several annotations of an item, `resolution` makes one. Every source question has a row of `written-questions` or a
    rejection, both sorted by its id.

    Raises WhatifError for the released set, and as `import_labels` and `resolve`.
    """
    found = Labelled.of(import_labels(files, annotation_items(source, seed)))
    ordered = sorted(source, key=lambda one: str(one["pair_id"]))
    for row, group, texts in decided_rows(ordered, "pair_id", found, resolution):
        fault = _fault(row, group, texts)
        if fault is not None:
            found.rejections.append(rejection(row["pair_id"], *fault))
        else:
            found.rows.append(_written(row, group, texts))
    return found


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
