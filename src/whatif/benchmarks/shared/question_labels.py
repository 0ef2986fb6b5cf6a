"""People's labels of twin questions: their settings, their import, and the pairs that remain (C-VQA 3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from whatif.benchmarks.shared.tasks import pairs_of
from whatif.params.base import Settings
from whatif.params.resolution import Resolution
from whatif.verification.corrections import Check
from whatif.verification.imports.settings import LabelFiles
from whatif.verification.items import Row


class VerifyQuestions(Settings):
    """How people's labels decide which questions remain, and how they are corrected (C-VQA 3.2)."""

    labels: LabelFiles | None = None  # files of people's labels; null: questions are not checked by people
    resolution: Resolution = Resolution()  # makes one decision out of several judgements of a question
    unjudged: Literal["remove", "keep"] = "remove"  # pairs without a judgement


@dataclass(frozen=True)
class CheckedPairs:
    """The pairs that remain after people's checks; every pair is in `questions` or has a row in `rejections`."""

    questions: list[dict[str, Any]]  # both twins of every pair that remains, corrected
    judgements: list[dict[str, Any]]  # those of people
    gold: list[dict[str, Any]]  # judgements that the annotation tool marks as the ground truth
    corrections: list[dict[str, Any]]  # of questions that remain
    rejections: list[dict[str, str]]  # of pairs
    refused_labels: list[dict[str, str]]  # rows of label files that are not counted, as rejections


def check_pairs(questions: Sequence[Row], settings: VerifyQuestions, *, seed: int, check: Check) -> CheckedPairs:
    """Imports people's labels of questions and applies them; a pair is removed if one of its questions is.

    `seed` is that of the exported tasks. `check` says what is wrong with a corrected question. Without label files, all
    pairs remain. The reason of a pair is that of its first removed question, original before counterfactual.

    Raises WhatifError as `import_labels` and `check_questions`.
    """
    from whatif.verification.exports.questions import question_items
    from whatif.verification.imports.importer import import_labels
    from whatif.verification.question_checks import NOT_JUDGED, check_questions

    rows = [dict(row) for row in questions]
    if settings.labels is None:
        return CheckedPairs(rows, [], [], [], [], [])
    read = import_labels(settings.labels, question_items(rows, seed))
    checked = check_questions(rows, read.judgements, settings.resolution, check=check)
    corrected = {row["question_id"]: row for row in checked.questions}
    kept: list[dict[str, Any]] = []
    rejections = []
    for pair_id, twins in pairs_of(rows):
        ordered = sorted(twins, key=lambda row: row["variant"] != "original")
        removed = [row for row in ordered if row["question_id"] in checked.removed]
        if removed:
            reason, detail = checked.removed[removed[0]["question_id"]]
            rejections.append({"item_id": pair_id, "reason": reason, "detail": f"{removed[0]['variant']}: {detail}"})
        elif settings.unjudged == "remove" and not any(row["question_id"] in checked.judged for row in twins):
            rejections.append({"item_id": pair_id, "reason": NOT_JUDGED, "detail": "nobody judged its questions"})
        else:
            kept += [corrected[row["question_id"]] for row in twins]
    remaining = {row["question_id"] for row in kept}
    corrections = [row for row in checked.corrections if row["item_id"] in remaining]
    return CheckedPairs(kept, read.judgements, read.gold, corrections, rejections, read.rejections)
