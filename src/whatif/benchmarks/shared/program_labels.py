"""Why programs are wrong, as people say: a CSV of labels, for images whose content is not known."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from whatif.engine.errors import WhatifError
from whatif.people.label_files import read_label_file
from whatif.results.reporting.program_categories import CAUSES

COLUMNS = ("question_id", "category")
_MODEL = "model"  # this column may be missing, or its fields empty: then the label is about the programs of all models


def read_program_labels(path: Path, question_ids: Collection[str], model: str) -> dict[str, str]:
    """The category of each labelled program of a model, by the id of its question.

    The CSV has the columns `question_id` and `category`, and may have `model`, a key of params.yaml: a label about one
    model counts for it alone, and before a label about all models. Labels about other models are left out.

    Raises WhatifError naming the line for an unknown question, an unknown category, and a program that is labelled
    twice.
    """
    labels: dict[tuple[str, str], str] = {}
    lines: dict[tuple[str, str], int] = {}
    for row in read_label_file(path, COLUMNS, file="labels", kind="causes of wrong programs"):
        where = f"{path}: line {row.line}"
        question_id, category = (row.fields[name] for name in COLUMNS)
        of_model = row.fields.get(_MODEL, "")
        if question_id not in question_ids:
            raise WhatifError(f"{where}: question_id {question_id[:60]!r} is not among the questions that are asked")
        if category not in CAUSES:
            raise WhatifError(f"{where}: category is {category[:60]!r}; it must be one of {', '.join(CAUSES)}")
        if (question_id, of_model) in lines:
            first = lines[question_id, of_model]
            raise WhatifError(f"{where}: labels the same program as line {first}; keep one")
        lines[question_id, of_model] = row.line
        labels[question_id, of_model] = category
    of_all = {question_id: category for (question_id, of_model), category in labels.items() if not of_model}
    own = {question_id: category for (question_id, of_model), category in labels.items() if of_model == model}
    return {**of_all, **own}
