"""Questions that people have checked: unrelated and ambiguous ones are removed, answers and wording are corrected.

The order is that of C-VQA 3.2. A question that is not about its image is removed. Of the others, a wrong answer is
corrected, and a question without a single right answer is removed. Then the wording is polished.
"""

from __future__ import annotations

import json
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.params.resolution import Resolution
from whatif.people.corrections import Check, apply_corrections
from whatif.people.imports.items import ACCEPTED, REJECTED
from whatif.people.imports.labels import plain
from whatif.people.items import Row
from whatif.people.resolution import resolve, votes_of
from whatif.scoring.extraction.answer import Kind, normalise

UNRELATED, AMBIGUOUS = "unrelated", "ambiguous"
DECISIONS = (ACCEPTED, UNRELATED, AMBIGUOUS, REJECTED)
REASONS = (UNRELATED, AMBIGUOUS, REJECTED)  # in the order of C-VQA 3.2
ANSWER, QUESTION = "answer", "question"
FIELDS = (ANSWER, QUESTION)  # that people may correct
NOT_JUDGED = "not judged"  # reason for removing a pair


def usual_form(answer: str, kind: Kind) -> str:
    """A number in digits (`three` and `3.0` are 3), and yes or no in lower case; another answer as it is.

    Annotators who write the same answer in two forms agree.
    """
    found = normalise(answer, kind)
    is_usual = found in ("yes", "no") if kind == "boolean" else kind == "number" and found.isdecimal()
    return found if is_usual else answer


@dataclass(frozen=True)
class CheckedQuestions:
    """The result of `check_questions`: a question is in `questions`, corrected or as it was, or in `removed`."""

    questions: list[dict[str, Any]]  # in the order of the table
    corrections: list[dict[str, Any]]  # rows of the table `corrections`
    removed: dict[str, tuple[str, str]]  # question -> reason and detail; in the order of the table
    judged: frozenset[str]  # the questions with a judgement that counts


def check_questions(
    questions: Sequence[Row], judgements: Iterable[Row], resolution: Resolution, *, check: Check
) -> CheckedQuestions:
    """Applies people's judgements about questions: one decision for each question, then its corrections.

    Whether a question is removed is decided first, by the rule of `resolution`, whatever the reasons. The reason of a
    removed question is the adjudicator's, or else the most frequent one; of equally frequent reasons it is the first
    in the order of `REASONS`. A question without a decision is removed, too, with the reason of `resolve`. A corrected
    question is removed if `check` finds a fault, for example an answer that cannot be scored. Questions
    without a judgement stay as they are. A corrected answer to a question with options may be written as `(b)` or as
    the text of the option.

    Raises WhatifError as `resolve`.
    """
    by_id = {row["question_id"]: row for row in questions}
    judged = [_with_letter(row, by_id.get(row["item_id"], {})) for row in votes_of(judgements, resolution)]
    kept_or_not = [{**row, "decision": row["decision"] if row["decision"] == ACCEPTED else REJECTED} for row in judged]
    resolved = resolve(kept_or_not, resolution, by_id)
    rejected = {item for item, decision in resolved.decisions.items() if decision == REJECTED}
    removed = _reasons(rejected, [row for row in judged if row["item_id"] in rejected], resolution)
    removed |= {row["item_id"]: (row["reason"], row["detail"]) for row in resolved.undecided}
    left = [row for row in questions if row["question_id"] not in removed]
    applied = apply_corrections(left, resolved.corrections, fields=FIELDS, check=check)
    removed |= {row["item_id"]: (row["reason"], row["detail"]) for row in applied.rejections}
    return CheckedQuestions(
        applied.rows,
        applied.corrections,
        {item: removed[item] for item in by_id if item in removed},
        frozenset(resolved.decisions),
    )


def _with_letter(judgement: Row, question: Row) -> Row:
    """A judgement whose corrected answer is the letter of an option, if it names exactly one."""
    choices = question.get("choices")
    if not choices:
        return judgement
    try:
        corrected = json.loads(judgement["corrected"])
    except ValueError:
        return judgement  # `resolve` says what is wrong
    text = corrected.get(ANSWER) if isinstance(corrected, dict) else None
    if not isinstance(text, str):
        return judgement
    letters = dict(zip(string.ascii_uppercase, choices, strict=False))
    letter = text.strip().strip("().:").upper()
    named = [letter] if letter in letters else [one for one, option in letters.items() if plain(option) == plain(text)]
    answer = named[0] if len(named) == 1 else text
    return {**judgement, "corrected": canonical_json({**corrected, ANSWER: answer})}


def _reasons(rejected: Iterable[str], judged: Sequence[Row], resolution: Resolution) -> dict[str, tuple[str, str]]:
    """Rejected question -> its reason, and who gave which."""
    given: dict[str, dict[str, str]] = {}
    for row in judged:
        if row["decision"] != ACCEPTED:
            given.setdefault(row["item_id"], {})[row["annotator"]] = row["decision"]
    found = {}
    for item in rejected:
        by = given[item]
        deciding = [by[resolution.adjudicator]] if resolution.adjudicator in by else list(by.values())
        reason = max(REASONS, key=deciding.count)  # the first of those that are equally frequent
        found[item] = (reason, "; ".join(f"{name}: {by[name]}" for name in sorted(by)))
    return found
