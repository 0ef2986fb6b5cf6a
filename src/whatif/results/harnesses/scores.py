"""What a task of another harness needs to score like whatif: prompts, scores of responses, and accuracies over them.

The tasks that `whatif publish` writes for inspect_ai and lmms-eval import this module, so that a response has the same
score in all of them. A question is a row of a published data set, with the columns of the artifact `questions`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whatif.engine.artifacts.variants import variant_order
from whatif.engine.errors import WhatifError
from whatif.engine.language.options import printed_question
from whatif.engine.language.strategies import DIRECT
from whatif.engine.language.strategies import prompt as worded
from whatif.formats.failed_requests import failure_in
from whatif.models import Answer
from whatif.scoring.extracted_answer import answer_in
from whatif.scoring.extraction.answer import is_correct

Row = Mapping[str, Any]

ORIGINAL, COUNTERFACTUAL = "accuracy_original", "accuracy_counterfactual"
PAIR_ACCURACY = "pair_accuracy"


@dataclass(frozen=True)
class Scored:
    """The answer that was extracted from a response, its status and reason, and whether it is correct."""

    answer: str | None
    status: str
    reason: str | None
    correct: bool


def asked(row: Row) -> str:
    """The prompt of a question: its column `prompt`; without one, that of the strategy `direct`, options included."""
    return row.get("prompt") or worded(DIRECT, printed_question(row["question"], row["choices"]), row["answer_kind"])


def shown(row: Row) -> list[Any] | None:
    """The images of a question, in order; None where one of them was not published.

    A question in text alone has none. The column is `image` or `images`, as in a published data set.
    """
    images = [row["image"]] if "image" in row else row["images"]
    return None if images is None or any(image is None for image in images) else list(images)


def score(
    row: Row, response: str, *, cut_off: bool = False, failure: str | None = None, refused: str | None = None
) -> Scored:
    """The score of a response, by whatif's extraction; an ambiguous or missing answer is not correct.

    If the row has a column `answer_after` (the mark of a strategy), the answer is what follows the last such mark.

    What a tool writes for a request that failed is an `error`, not an answer.

    cut_off: the response ended at the limit of new tokens. It then has an answer only if it called one so and went on.
    failure: why the tool has no response of the model, whatever it gives as one.
    refused: why the response is no answer although its request succeeded (`withheld`); it is `none`.
    """
    if failure is None and refused is not None:
        return Scored(None, "none", refused, correct=False)
    if (failure := failure or failure_in(response)) is not None:
        return Scored(None, "error", failure, correct=False)
    found = answer_in(Answer(response=response, cut_off=cut_off), row, row.get("answer_after"))
    return Scored(found.answer, found.status, found.reason, is_correct(found, row["answer"], row["answer_kind"]))


def outcome(row: Row, correct: float) -> dict[str, Any]:
    """What the accuracies are computed from: the question's identity, and its score (1 if correct, otherwise 0)."""
    return {**{name: row[name] for name in ("question_id", "pair_id", "group", "variant")}, "score": float(correct)}


def is_paired(rows: Iterable[Row]) -> bool:
    """Whether a set has original questions (however they are called) and counterfactual ones."""
    return len({is_counterfactual(row) for row in rows}) == 2


def is_counterfactual(row: Row) -> bool:
    """Whether a question is counterfactual, by its variant."""
    return variant_order(row["variant"])[0]


def measure(row: Row, *, paired: bool) -> str:
    """The name of the accuracy that a question belongs to.

    In a set with original and counterfactual questions, `accuracy_original` or `accuracy_counterfactual`; in another
    set, the accuracy of its group and variant (`accuracy_c2e_composite`).
    """
    if paired:
        return COUNTERFACTUAL if is_counterfactual(row) else ORIGINAL
    return "_".join(["accuracy", *re.findall(r"\w+", f"{row['group']} {row['variant']}".lower())])


def measures(rows: Collection[Row]) -> list[str]:
    """The names of all accuracies of a set, sorted as reports do: originals, counterfactuals, both of a pair.

    Raises WhatifError when the questions of two groups or variants would be counted under one name.
    """
    if is_paired(rows):
        return [ORIGINAL, COUNTERFACTUAL, PAIR_ACCURACY]
    found: dict[str, Row] = {}
    for row in rows:
        other = found.setdefault(measure(row, paired=False), row)
        if (row["group"], row["variant"]) != (other["group"], other["variant"]):
            raise WhatifError(
                f"group {row['group']}, variant {row['variant']}: has the name of group {other['group']}, variant "
                f"{other['variant']}, in the tasks of other tools, `{measure(row, paired=False)}`; rename one"
            )
    return sorted(found)


def accuracy(outcomes: Sequence[Row]) -> float:
    """The share of correct answers, from 0 to 1; 0 without questions."""
    return sum(one["score"] for one in outcomes) / len(outcomes) if outcomes else 0.0


def pair_accuracy(outcomes: Sequence[Row]) -> float:
    """The share of the pairs of an original question and one of its counterfactual ones with both answered correctly.

    Pairs of which only one question is among the outcomes are not counted; without pairs it is 0. This is the measure
    `pair_accuracy` of whatif's tables, and acc_plus of CFMM (3.4), where an item has several counterfactual questions.
    """
    original = {one["pair_id"]: one["score"] for one in outcomes if not is_counterfactual(one)}
    pairs = [one for one in outcomes if is_counterfactual(one) and one["pair_id"] in original]
    right = sum(one["score"] == original[one["pair_id"]] == 1 for one in pairs)
    return right / len(pairs) if pairs else 0.0


def accuracies(outcomes: Sequence[Row]) -> dict[str, float]:
    """Every accuracy of a set by name (`measures`), from the outcomes of all its questions."""
    paired = is_paired(outcomes)
    found = {
        name: accuracy([one for one in outcomes if measure(one, paired=paired) == name])
        for name in measures(outcomes)
        if name != PAIR_ACCURACY
    }
    return {**found, PAIR_ACCURACY: pair_accuracy(outcomes)} if paired else found
