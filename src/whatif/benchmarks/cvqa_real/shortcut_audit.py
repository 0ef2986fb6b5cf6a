"""The shortcut audit of C-VQA-Real: how many answers follow from the text, without the image.

The rules are those of `whatif.scoring.shortcuts.open_answers`. Each variant of a group is audited on its own, under the
name `boolean counterfactual` and the like. Original questions have no presupposition, so only `most-frequent` and
`question` apply to them. For counterfactual questions, `same-answer` and `opposite-answer` take the answer to the
original question as known, and so does `arithmetic`: it shows for how many numerical questions the original answer and
the text are enough.

The set `ours` has the verified questions, the set `released` all questions of the released file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from whatif.benchmarks.cvqa_real.released_set import released_set
from whatif.benchmarks.cvqa_real.schemas import COUNTERFACTUAL, GROUPS, ORIGINAL, VARIANTS
from whatif.benchmarks.cvqa_real.settings import AuditSettings
from whatif.engine.graph.task import Task
from whatif.engine.language.if_clauses import if_clause
from whatif.formats.c_vqa import picture_name
from whatif.scoring.shortcuts.audit import Shortcut
from whatif.scoring.shortcuts.open_answers import OpenQuestion, open_shortcuts

Row = Mapping[str, Any]
OURS, RELEASED = "ours", "released"


def write_shortcuts(task: Task[AuditSettings]) -> None:
    """Writes the output `shortcuts`, of our questions and of the released ones.

    Raises WhatifError when the released file is given and is not one.
    """
    settings = task.settings
    sets: dict[str, Iterable[Row]] = {}
    if settings.source is None:
        sets[OURS] = task.rows("questions")
    if (released := settings.source or settings.released_questions) is not None:
        sets[RELEASED] = released_set(released)
    task.outputs.write(
        "shortcuts",
        [
            {"set": name, **asdict(shortcut)}
            for name, rows in sets.items()
            for shortcut in shortcuts_of(rows, folds=settings.audit_folds, seed=task.seed)
        ],
    )


def shortcuts_of(questions: Iterable[Row], *, folds: int, seed: int) -> Iterator[Shortcut]:
    """The shortcuts of each group, first of its original questions, then of its counterfactual ones.

    Questions about an image are in the same one of the `folds`. A source question that several writers changed counts
    once among the originals of a group.
    """
    pairs: dict[str, dict[str, Row]] = {}
    for row in sorted(questions, key=lambda row: str(row["question_id"])):
        pairs.setdefault(row["pair_id"], {})[row["variant"]] = row
    for group in GROUPS:
        complete = [both for both in pairs.values() if all(variant in both for variant in VARIANTS)]
        of_group = [both for both in complete if both[COUNTERFACTUAL]["group"] == group]
        sources = {_source_of(both[ORIGINAL]): both for both in reversed(of_group)}
        for variant in VARIANTS:
            chosen = of_group if variant == COUNTERFACTUAL else sources.values()
            asked = [open_question(both, variant) for both in chosen]
            yield from open_shortcuts(asked, variant=audited(group, variant), folds=folds, seed=seed)


def audited(group: str, variant: str) -> str:
    """The name of what is audited."""
    return f"{group} {variant}"


def presupposition_of(question: str) -> str:
    """The if clause of a counterfactual question, in lower case; empty if it has none."""
    return if_clause(question) or ""


def _source_of(original: Row) -> str:
    """The id of the source question of a written pair; that of the pair if it was released."""
    return str(json.loads(original["provenance"]).get("source_id", original["pair_id"]))


def open_question(both: Mapping[str, Row], variant: str) -> OpenQuestion:
    """A question of a pair, as the audit sees it; `both` are its rows by variant."""
    row, original = both[variant], both[ORIGINAL]
    counterfactual = variant == COUNTERFACTUAL
    return OpenQuestion(
        question=row["question"],
        presupposition=presupposition_of(row["question"]) if counterfactual else "",
        answer=row["answer"],
        cluster=(original["image_ids"] or [picture_name(original)])[0],
        other_answer=original["answer"] if counterfactual else None,
    )
