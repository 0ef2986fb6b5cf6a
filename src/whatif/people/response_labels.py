"""The answers that people read in responses of models, from a CSV."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.language.judges import NO_ANSWER, answer_of
from whatif.engine.language.strategies import strategies
from whatif.people.label_files import read_label_file
from whatif.scoring.extraction.answer import normalise
from whatif.scoring.judging import Response, response_of

COLUMNS = ("question_id", "model", "strategy", "answer")
FORMS = {"number": "a number in digits", "boolean": "yes or no", "choice": "the letter of an option", "text": "a text"}

Row = Mapping[str, Any]


def read_response_labels(path: Path, questions: Sequence[Row], models: Collection[str]) -> dict[Response, str]:
    """The answer that a person reads in each labelled response, normalised, or `none`.

    The CSV has the columns COLUMNS. Raises WhatifError naming the line for an unknown question, model or strategy, for
    a response that is labelled twice, and for an answer that is neither `none` nor of the kind that is asked for.
    """
    by_id = {row["question_id"]: row for row in questions}
    labels: dict[Response, str] = {}
    lines: dict[Response, int] = {}
    for row in read_label_file(path, COLUMNS, file="labels", kind="answers that people read in responses"):
        where = f"{path}: line {row.line}"
        question_id, model, strategy = response = response_of(row.fields)
        if question_id not in by_id:
            raise WhatifError(f"{where}: question_id {question_id[:60]!r} is not among the questions that are asked")
        if model not in models:
            raise WhatifError(f"{where}: model {model[:60]!r} is not evaluated here; there are {', '.join(models)}")
        if strategy not in strategies():
            raise WhatifError(f"{where}: strategy {strategy[:60]!r} is unknown; there are {', '.join(strategies())}")
        if response in lines:
            raise WhatifError(f"{where}: labels the same response as line {lines[response]}; keep one")
        lines[response] = row.line
        labels[response] = _answer(row.fields["answer"], by_id[question_id], where)
    return labels


def _answer(text: str, question: Row, where: str) -> str:
    kind = question["answer_kind"]
    if text.lower() == NO_ANSWER:
        return NO_ANSWER
    written = {"boolean": text.lower(), "choice": text.upper()}.get(kind, text)
    if answer_of(f"Answer: {written}", kind, question["choices"]) is None:
        raise WhatifError(f"{where}: answer is {text[:60]!r}; it must be {FORMS[kind]}, or {NO_ANSWER}")
    return normalise(written, kind)
