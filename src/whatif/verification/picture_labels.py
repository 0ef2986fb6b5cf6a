"""Reads the CSV that annotators filled in: labels as judgements, and rejected rows with their reasons."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from whatif.errors import WhatifError
from whatif.verification.consensus import AUTOMATIC
from whatif.verification.items import Row
from whatif.verification.label_files import LabelRow, read_label_file, rejection, settle
from whatif.verification.picture_tasks import PictureTask, as_shown, picture_tasks

COLUMNS = ("task_id", "annotator", "label")  # `time` and `comment` are optional; other columns are ignored
LABELS = ("1", "2", "both", "neither")


@dataclass(frozen=True)
class PictureLabels:
    """The contents of a file of labels: a row is in `judgements` or `rejections`, or counted in `unlabelled`."""

    judgements: list[dict[str, Any]]  # rows of the table `judgements`, sorted by key
    rejections: list[dict[str, str]]  # rows of the table `rejections`; item_id is `labels-line-000012`
    unlabelled: int  # rows whose label is empty
    pictures_without_label: int


def read_picture_labels(path: Path, pairs: Iterable[Row], *, seed: int) -> PictureLabels:
    """Reads the labels of the tasks that `picture_tasks` makes from `pairs` with the same `seed`.

    A label is `1`, `2`, `both`, `neither` or the text of the option; capitals and spaces do not matter. `annotator` is
    any name. `time`, if given, is ISO 8601; another text is moved to the comment.

    A row is rejected, with its line number, for an unknown task, a missing annotator, an annotator name reserved for
    automatic checks, an unknown label, or more fields than the header has. If an annotator labels an image twice, the
    first row counts if the labels agree, and neither counts if they differ.

    Raises WhatifError when the file is not such a CSV, and when none of its tasks belongs to these pairs.
    """
    rows = read_label_file(path, COLUMNS, file="labels", kind="labels of images")
    # It does not matter here which annotator a task was assigned to.
    tasks = {task.task_id: task for task in picture_tasks(pairs, seed=seed, labelled_three_times=0)}
    if rows and not any(row.fields["task_id"] in tasks for row in rows):
        raise WhatifError(
            f"{path}: none of its {len(rows):,} tasks belongs to these pairs; give the pairs and the seed that the "
            "tasks were made with"
        )
    rejections: list[dict[str, str]] = []
    labelled: dict[tuple[str, str], list[tuple[LabelRow, str]]] = defaultdict(list)
    unlabelled = 0
    for row in rows:
        reason, detail = _fault(row, tasks)
        if reason:
            rejections.append(rejection(row, reason, detail))
        elif not row.fields["label"]:
            unlabelled += 1
        else:
            task = tasks[row.fields["task_id"]]
            decision = _decision(row.fields["label"], task)
            if decision is None:
                known = ", ".join(LABELS)
                told = f"{row.fields['label'][:60]!r} is not one of {known}, nor the text of an option"
                rejections.append(rejection(row, "unknown label", told))
            else:
                labelled[task.item_id, row.fields["annotator"]].append((row, decision))
    judgements = []
    for (item, annotator), found in sorted(labelled.items()):
        kept, lost = settle(found)
        rejections += lost
        judgements += [_judgement(item, annotator, row, decision) for row, decision in kept]
    rejections.sort(key=lambda row: row["item_id"])
    without = len(tasks) - len({row["item_id"] for row in judgements})
    return PictureLabels(judgements, rejections, unlabelled, without)


def _fault(row: LabelRow, tasks: dict[str, PictureTask]) -> tuple[str, str]:
    """Reason and detail if a row cannot be used, whatever its label; both empty if it can."""
    task_id, annotator = row.fields["task_id"], row.fields["annotator"]
    if row.surplus:
        return "too many fields", f"{row.surplus} more than the header has; quote texts that contain commas"
    if task_id not in tasks:
        return "unknown task", f"task_id is {task_id[:60]!r}"
    if row.fields["label"] and not annotator:
        return "no annotator", f"task {task_id} has a label but no annotator"
    if annotator.startswith(AUTOMATIC):
        return "annotator", f"{annotator[:60]!r}: names that begin with {AUTOMATIC} are reserved for automatic checks"
    return "", ""


def _decision(label: str, task: PictureTask) -> str | None:
    """The decision that a label stands for; None if the label is unknown or is the text of both options."""
    said = _plain(label)
    if said in ("both", "neither"):
        return said
    options = {str(place): {str(place)} for place in (1, 2)}
    for place, text in enumerate(task.options, 1):
        options[str(place)] |= {_plain(text), _plain(as_shown(text))}
    meant = [place for place, names in options.items() if said in names]
    exact = [said] if said in options else meant
    return f"caption_{task.sides[int(exact[0]) - 1]}" if len(exact) == 1 else None


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _judgement(item: str, annotator: str, row: LabelRow, decision: str) -> dict[str, Any]:
    time, comment = row.fields.get("time", ""), row.fields.get("comment", "")
    if time and not _is_time(time):
        time, comment = "", f"{comment} (time: {time})".strip()
    return {
        "item_id": item,
        "annotator": annotator,
        "decision": decision,
        "corrected": "{}",
        "comment": comment,
        "time": time or None,
        "seconds": None,
    }


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
