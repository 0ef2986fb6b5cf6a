"""People's answers to the questions of a benchmark, as the importer of labels reads them, scored like those of models.

An answer is the decision of a label. It is read by the rules that read responses of models. One in which they find no
answer (`I cannot tell`) is kept in its own words and is wrong, as it is for a model; a single character in which they
find none is a slip, and does not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from whatif.engine.language.options import LETTERS
from whatif.people.imports.importer import ImportedLabels, import_labels
from whatif.people.imports.items import Item, Items
from whatif.people.imports.labels import FINAL_DECISIONS, UnusableError, quoted
from whatif.people.imports.settings import LabelFile
from whatif.people.items import Row
from whatif.people.response_labels import FORMS
from whatif.scoring.extraction.answer import Extracted, extract, is_correct, normalise


def import_answers(
    files: Sequence[LabelFile], questions: Sequence[Row], seed: int
) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """Rows of the table `human-attempts`, and rows of `rejections` about the answers that do not count.

    An attempt is an annotator. The column of an adjudicator is nobody's attempt. `seed` is that of the exported tasks.

    Raises WhatifError as `import_labels`.
    """
    by_id = {str(row["question_id"]): row for row in questions}
    found: dict[tuple[str, str], Extracted] = {}

    def read(item: Item, text: str) -> str:
        answer, found_in_it = _read(by_id[item.item_id], text)
        found[item.item_id, answer] = found_in_it
        return answer

    items = Items.of_rows(questions, key="question_id", decisions=(), seed=seed, read=read)
    labels = import_labels(files, items)
    attempts, final = [], []
    for row in labels.judgements:
        name, answer = row["item_id"], row["decision"]
        question = by_id[name]
        if row["annotator"] == FINAL_DECISIONS:
            final.append(name)
            continue
        right = is_correct(found[name, answer], question["answer"], question["answer_kind"])
        attempts.append({"question_id": name, "attempt": row["annotator"], "answer": answer, "correct": right})
    return attempts, _rejections(labels, final)


def _read(question: Row, text: str) -> tuple[str, Extracted]:
    """An answer in its usual form, and what is found in it. Raises UnusableError for a slip."""
    kind, choices = question["answer_kind"], question["choices"]
    found = extract(text, kind, question["question"], choices)
    if found.status == "ok" and found.answer is not None:
        return normalise(found.answer, kind), found
    if len(text) == 1:
        form = f"one of {', '.join(LETTERS[: len(choices)])}" if choices else FORMS[kind]
        raise UnusableError("unknown answer", f"answer to {question['question_id']} is {quoted(text)}; give {form}")
    return text, found


def _rejections(labels: ImportedLabels, final: Sequence[str]) -> list[dict[str, str]]:
    told = "the column of final decisions is no attempt; name the columns of the people's own answers"
    rows = [{"item_id": f"final-{name}", "reason": "final decision", "detail": f"{name}: {told}"} for name in final]
    return sorted([*labels.rejections, *rows], key=lambda row: row["item_id"])
