"""Checks finished questions against the stored attributes: computes the answers and fills the words again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from whatif.benchmarks.from_yaml.choice import VARIANTS, change_defect
from whatif.benchmarks.from_yaml.expressions import ExpressionError
from whatif.benchmarks.from_yaml.settings import Template
from whatif.benchmarks.from_yaml.words import asked, is_asked
from whatif.engine.language.options import LETTERS
from whatif.results.reporting.answer_codes import meaning

Row = Mapping[str, Any]


def pair_defects(pair: Sequence[Row], template: Template, attributes: Mapping[str, Any]) -> dict[str, list[str]]:
    """What is wrong with both questions of a pair, by check: `options` and `answer`."""
    return {
        "options": [f"{row['variant']}: {defect}" for row in pair for defect in _option_defects(row)],
        "answer": _answer_defects(pair, template, attributes),
    }


def cannot_be_scored(row: Row) -> str | None:
    """What is wrong with a question that people have corrected; None if nothing is."""
    return "; ".join(_option_defects(row)) or None


def _option_defects(row: Row) -> list[str]:
    options = row["choices"] or []
    found = []
    if len(options) < 2 or len({meaning(option) for option in options}) < len(options):
        found.append(f"the options {', '.join(options)} are not at least two different ones")
    if row["answer"] not in LETTERS[: len(options)]:
        found.append(f"the answer {row['answer']} is not the letter of an option")
    return found


def _answer_defects(pair: Sequence[Row], template: Template, attributes: Mapping[str, Any]) -> list[str]:
    by_variant = {row["variant"]: row for row in pair}
    if sorted(by_variant) != sorted(VARIANTS) or len(pair) != len(VARIANTS):
        return ["a pair must have one original and one counterfactual question"]
    blanks = json.loads(pair[0]["provenance"])["blanks"]
    try:
        wanted = asked(template, attributes, blanks)
        found = [] if is_asked(template, attributes, blanks) else ["the row does not satisfy `where`"]
    except ExpressionError as error:
        return [str(error)]
    answers = {"original": wanted.answer_original, "counterfactual": wanted.answer_counterfactual}
    for (variant, answer), text in zip(answers.items(), (wanted.original, wanted.counterfactual), strict=True):
        row = by_variant[variant]
        if row["question"] != text:
            found.append(f"{variant}: the question should read {text!r}")
        given = dict(zip(LETTERS, row["choices"] or [], strict=False)).get(row["answer"])
        if given != answer:
            found.append(f"{variant}: the answer is {given}, the stored attributes say {answer}")
    defect = change_defect(template, {f"answer_{variant}": answer for variant, answer in answers.items()})
    return [*found, defect] if defect else found
