"""Applies what a second person says about questions, before and after they are expanded (CFMM 3.3)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from whatif.benchmarks.cfmm.options import right_option
from whatif.benchmarks.cfmm.schemas import BASIC
from whatif.benchmarks.shared.imported_labels import LabelSettings, write_labelled
from whatif.benchmarks.shared.question_labels import Variants, VerifyQuestions, check_pairs
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.graph.task import Task
from whatif.engine.language.options import LETTERS
from whatif.engine.language.wording import same
from whatif.people.items import Row

# An item is removed with its basic question, or when no counterfactual one is left. Its id names the basic question.
ITEM = Variants(first=BASIC, named=BASIC, least_others=1)


def write_checked(task: Task[VerifyQuestions], *roles: str, right_first: bool = False) -> None:
    """Imports label files of the questions in the input `questions`, and writes outputs as `write_labelled`.

    People remove questions and correct answers (letters) and wording. With `right_first`, the options of a question
    with a corrected answer change places, so that the right one stays first.

    Raises WhatifError as `check_pairs`, and when no question is left.
    """
    rows = list(task.rows("questions"))
    checked = check_pairs(rows, task.settings, seed=task.seed, check=fault_of, variants=ITEM)
    answered = {row["item_id"] for row in checked.corrections if row["field"] == "answer"}
    kept = _with_answers(checked.rows, answered, right_first=right_first)
    by = LabelSettings(task.settings.labels, task.settings.resolution)
    write_labelled(task, replace(checked, rows=kept), *roles, by=by)
    task.check_losses("questions", len(kept), _lost(rows, kept, checked.rejections))


def _lost(before: Iterable[Row], after: Iterable[Row], rejections: Iterable[Row]) -> list[dict[str, Any]]:
    """A rejection for each question that is not left; those of items are repeated for each of their questions."""
    kept, why = {row["question_id"] for row in after}, {row["item_id"]: row for row in rejections}
    return [
        {**(why.get(row["question_id"]) or why[row["pair_id"]]), "item_id": row["question_id"]}
        for row in before
        if row["question_id"] not in kept
    ]


def fault_of(row: Row) -> str | None:
    """What is wrong with a corrected question; None if nothing is: its answer is the letter of one of its options."""
    letters = LETTERS[: len(row["choices"])]
    if row["answer"] not in list(letters):
        return f"the answer {row['answer'][:40]!r} is no letter of an option; use {' or '.join(letters)}"
    return None if row["question"].strip() else "the question is empty"


def _with_answers(
    questions: Iterable[dict[str, Any]], answered: set[str], *, right_first: bool
) -> list[dict[str, Any]]:
    """The questions sorted by id; `answered` have another answer than before, so `same_as_basic` is found again."""
    rows = sorted(questions, key=lambda row: str(row["question_id"]))
    basic = {row["pair_id"]: row for row in rows if row["variant"] == BASIC}
    found = []
    for row in rows:
        first = basic[row["pair_id"]]
        changed = dict(row)
        if row["question_id"] in answered or first["question_id"] in answered:
            known = {**json.loads(row["provenance"]), "same_as_basic": same(right_option(row), right_option(first))}
            changed["provenance"] = canonical_json(known)
        if right_first and row["answer"] != "A":
            changed |= {"choices": row["choices"][::-1], "answer": "A"}
        found.append(changed)
    return found
