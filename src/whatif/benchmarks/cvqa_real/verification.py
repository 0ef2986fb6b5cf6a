"""People's checks of question pairs, then the polishing, then whether each answer can be scored (C-VQA 3.2)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from whatif.benchmarks.cvqa_real.filters import CHANGES
from whatif.benchmarks.cvqa_real.schemas import ANSWER_FORMS, COUNTERFACTUAL
from whatif.benchmarks.cvqa_real.settings import CheckSettings
from whatif.benchmarks.shared.tasks import by_pair, judgement
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.engine.graph.task import Task

CANNOT_BE_SCORED = "cannot be scored"
POLISHER, BEFORE = "polished_by", "before_polishing"  # in the provenance of a question that was changed

Row = Mapping[str, Any]


def write_checked(task: Task[CheckSettings]) -> None:
    """Removes and corrects questions as people say: related to the image, with a reasonable answer.

    Without label files all pairs remain. Raises WhatifError as `check_pairs`, and when no pair is left.
    """
    from whatif.benchmarks.shared.question_labels import VerifyQuestions, write_checked_pairs

    labels, resolution, unjudged = task.settings
    settings = VerifyQuestions(labels=labels, resolution=resolution, unjudged=unjudged)
    write_checked_pairs(task, settings, cannot_be_scored, "checked", "judgements", "gold", "unchecked", "corrections")


def write_verified(task: Task[None]) -> None:
    """Applies the polishing, and leaves out pairs with an answer that cannot be scored.

    An answer can be scored if it is a whole number in figures, yes or no, and the answer extracted from its own text.

    Raises WhatifError when no pair is left, and when a polished question is not the checked one.
    """
    polished = {row["question_id"]: row for row in task.rows("polished")}
    checks: list[dict[str, Any]] = []
    kept: list[dict[str, Any]] = []
    rejected: list[dict[str, str]] = []
    pairs = by_pair(with_polishing(task.rows("checked"), polished))
    for pair_id, rows in pairs.items():
        odd = [f"{row['variant']}: {fault}" for row in rows if (fault := cannot_be_scored(row))]
        checks.append(judgement(pair_id, "answer", odd))
        if odd:
            rejected.append({"item_id": pair_id, "reason": CANNOT_BE_SCORED, "detail": "; ".join(odd)})
        else:
            kept.extend(_with_note(rows))
    task.outputs.write("questions", kept)
    task.outputs.write("answer-checks", checks)
    task.outputs.write("rejections", rejected)
    task.check_losses("pairs", len(pairs) - len(rejected), rejected)


def with_polishing(questions: Iterable[dict[str, Any]], polished: Mapping[str, Row]) -> Iterable[dict[str, Any]]:
    """The questions, with the polished text where it differs; `polished` are rows of that table by question.

    Raises WhatifError when a question was polished in other words than it has.
    """
    for row in questions:
        change = polished.get(row["question_id"])
        if change is not None and change["before"] != row["question"]:
            raise WhatifError(
                f"question {row['question_id']}: {change['before']!r} was polished, but the question is "
                f"{row['question']!r}; run the step polish again"
            )
        if change is None or change["after"] == row["question"]:
            yield row
        else:
            known = {**json.loads(row["provenance"]), POLISHER: change["polisher"], BEFORE: row["question"]}
            yield {**row, "question": change["after"], "provenance": canonical_json(known)}


def cannot_be_scored(question: Row) -> str | None:
    """What is wrong with an answer that has another form, or is not extracted from its own text; None if nothing is."""
    from whatif.scoring.extraction.answer import extract as extract_answer
    from whatif.scoring.extraction.answer import is_correct

    answer, kind = question["answer"], question["answer_kind"]
    name, form = ANSWER_FORMS[kind]
    if form.fullmatch(answer) and is_correct(extract_answer(answer, kind, question["question"]), answer, kind):
        return None
    return f"the answer {answer!r} cannot be scored; it must be {name}"


def _with_note(rows: Iterable[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    """The rows of a pair; a note whether the answer changes is that of the answers as people corrected them."""
    answers = {row["variant"]: row["answer"] for row in rows}
    for row in rows:
        known = json.loads(row["provenance"])
        if row["variant"] == COUNTERFACTUAL and CHANGES in known:
            known[CHANGES] = len(set(answers.values())) > 1
            yield {**row, "provenance": canonical_json(known)}
        else:
            yield row
