"""People's labels of related questions: their settings, their import, and the questions that remain (C-VQA 3.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from whatif.benchmarks.shared.imported_labels import Labelled, LabelSettings, write_labelled
from whatif.benchmarks.shared.tasks import by_pair, rejection
from whatif.engine.graph.task import Task
from whatif.engine.params.base import Settings
from whatif.engine.params.resolution import Resolution
from whatif.people.corrections import Check
from whatif.people.exports.questions import question_items
from whatif.people.imports.importer import import_labels
from whatif.people.imports.settings import LabelFiles
from whatif.people.items import Row
from whatif.people.question_checks import NOT_JUDGED, check_questions


class VerifyQuestions(Settings):
    """How people's labels decide which questions remain, and how they are corrected (C-VQA 3.2)."""

    labels: LabelFiles | None = None  # files of people's labels; null: questions are not checked by people
    resolution: Resolution = Resolution()  # makes one decision out of several judgements of a question
    unjudged: Literal["remove", "keep"] = "remove"  # pairs without a judgement


@dataclass(frozen=True)
class Variants:
    """How the questions with the same `pair_id` depend on each other.

    first: the variant without which no other remains.
    named: the variant that the id of the pair names in label files.
    least_others: how many questions of other variants must remain; None means all, and that a judgement of one question
        is enough for all of them. With a number, a question of another variant that nobody judged counts as removed.
    """

    first: str
    named: str
    least_others: int | None = None


PAIRS = Variants(first="original", named="counterfactual")


def write_checked_pairs(task: Task[Any], settings: VerifyQuestions, check: Check, *roles: str) -> None:
    """Imports labels of the questions in the input `questions`, which are in pairs, and writes the outputs.

    `check` is that of `check_pairs`, and `roles` those of `write_labelled`.

    Raises WhatifError as `check_pairs`, and when no pair is left.
    """
    checked = check_pairs(list(task.rows("questions")), settings, seed=task.seed, check=check)
    write_labelled(task, checked, *roles, by=LabelSettings(settings.labels, settings.resolution))
    task.check_losses("pairs", len(by_pair(checked.rows)), checked.rejections)


def check_pairs(
    questions: Sequence[Row], settings: VerifyQuestions, *, seed: int, check: Check, variants: Variants = PAIRS
) -> Labelled:
    """Imports people's labels of questions and applies them: the questions that remain, corrected, pair by pair.

    A pair is removed as `variants` says; rejections are of pairs, and of single questions.

    `seed` is that of the exported tasks. `check` says what is wrong with a corrected question. Without label files, all
    questions remain. The reason of a pair is that of its first removed question; `variants.first` comes first.

    Raises WhatifError as `import_labels` and `check_questions`.
    """
    rows = [dict(row) for row in questions]
    if settings.labels is None:
        return Labelled(rows)
    read = import_labels(settings.labels, question_items(rows, seed, named=variants.named))
    checked = check_questions(rows, read.judgements, settings.resolution, check=check)
    corrected = {row["question_id"]: row for row in checked.questions}
    kept: list[dict[str, Any]] = []
    rejections = []
    for pair_id, related in by_pair(rows).items():
        removed = dict(checked.removed)
        unjudged = [row for row in related if row["question_id"] not in checked.judged]
        if settings.unjudged == "remove" and variants.least_others is not None:
            for row in unjudged:
                if row["variant"] != variants.first:
                    removed[row["question_id"]] = (NOT_JUDGED, "nobody judged it")
        of_pair = _rejection(pair_id, related, removed, variants)
        if settings.unjudged == "remove" and len(unjudged) == len(related):
            of_pair = rejection(pair_id, NOT_JUDGED, "nobody judged its questions")
        if of_pair:
            rejections.append(of_pair)
            continue
        for row in related:
            if row["question_id"] in removed:
                reason, detail = removed[row["question_id"]]
                rejections.append(rejection(row["question_id"], reason, detail))
            else:
                kept.append(corrected[row["question_id"]])
    remaining = {row["question_id"] for row in kept}
    corrections = [row for row in checked.corrections if row["item_id"] in remaining]
    return Labelled(kept, rejections, read.judgements, read.gold, read.rejections, corrections)


def _rejection(
    pair_id: str, related: Sequence[Row], removed: Mapping[str, tuple[str, str]], variants: Variants
) -> dict[str, str] | None:
    """The rejection of a pair because of its removed questions; None if it remains."""
    ordered = sorted(related, key=lambda row: row["variant"] != variants.first)
    lost = [row for row in ordered if row["question_id"] in removed]
    others = [row for row in ordered if row["variant"] != variants.first]
    needed = len(others) if variants.least_others is None else variants.least_others
    left = sum(row["question_id"] not in removed for row in others)
    if not lost or (lost[0]["variant"] != variants.first and left >= needed):
        return None
    reason, detail = removed[lost[0]["question_id"]]
    return rejection(pair_id, reason, f"{lost[0]['variant']}: {detail}")
