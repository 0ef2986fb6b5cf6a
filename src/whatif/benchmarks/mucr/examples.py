"""The examples that strategies with `shots` show before a question: questions of train groups, and explanations.

The paper shows none. Here an example has the metric and the variant of the question that is asked, and is about a pair
of another group. Train groups are not asked with hints, in other languages than English, or about contextual variation:
there the example has the same form without hints and in English, and the metric C2E for contextual variation. All
questions of a pair have their examples from the same pairs, so that forms and styles are compared with the same
examples. The explanation of the pair (MuCR 3.2) gives the reasons.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

from whatif.benchmarks.mucr.schemas import CONTEXT, SCORES
from whatif.engine.errors import WhatifError
from whatif.engine.language.strategies import read

Row: TypeAlias = Mapping[str, Any]
_REASONS = "{rationale}"


def example_chooser(
    strategy: str, training: Sequence[Row], items: Iterable[Row], pairs: Iterable[Row], seed: int
) -> Callable[[Row], Sequence[Row]]:
    """A function from a question to its examples, in the form that `whatif.scoring.rank.predictions` takes.

    training: the questions of train groups, in the columns of `questions`, with `image_labels` where images are apart.
    items, pairs: rows of the tables, of all questions and pairs.

    The choice depends on the seed and on the ids of pairs alone. The function raises WhatifError when there are too few
    examples for a question.
    """
    described = read(strategy)
    if not described.shots:
        return lambda question: ()
    with_reasons = any(_REASONS in (turn.example or "") for turn in described.turns)
    explanations = {row["pair_id"]: row["explanation"] for row in pairs}
    about = {row["question_id"]: row for row in items}
    known: dict[tuple[str, str], dict[str, Row]] = {}  # (metric, variant) -> pair -> question in its mixed style
    for row in sorted(training, key=lambda one: str(one["question_id"])):
        item = about[row["question_id"]]
        in_mixed_style = item["style"] is None or item["mixture"]
        if in_mixed_style and (explanations[row["pair_id"]] or not with_reasons):
            known.setdefault((row["group"], row["variant"]), {}).setdefault(row["pair_id"], row)
    in_training = sorted({pair for of_kind in known.values() for pair in of_kind})
    group_of = {row["pair_id"]: row["group_id"] for row in about.values()}

    @cache
    def order(pair: str) -> list[str]:
        """The pairs of other groups that examples for this pair are about, the first choice first.

        Each has a random number of its own, so that a further pair does not change the order of the others.
        """
        begun = hashlib.sha256(json.dumps([seed, "example", pair]).encode())

        def rank(other: str) -> bytes:
            whole = begun.copy()
            whole.update(other.encode())
            return whole.digest()

        return sorted((one for one in in_training if group_of[one] != group_of[pair]), key=rank)

    def chosen(question: Row) -> list[Row]:
        of_kind = next((known[kind] for kind in _kinds(question, about[question["question_id"]]) if kind in known), {})
        found = [of_kind[pair] for pair in order(question["pair_id"]) if pair in of_kind][: described.shots]
        if len(found) < described.shots:
            raise WhatifError(
                f"question {question['question_id']}: the strategy {strategy} shows {described.shots} example of its "
                f"metric and form{' with an explanation' if with_reasons else ''}, and the train groups have "
                f"{len(found)}; raise verify.mucr.questions.train_share in params.yaml, or leave the strategy out"
            )
        return [_example(row, explanations[row["pair_id"]]) for row in found]

    return chosen


def _kinds(question: Row, item: Row) -> list[tuple[str, str]]:
    """Metric and variant of the examples for a question, the first choice first."""
    metric = SCORES[0] if question["group"] == CONTEXT else question["group"]
    return [(metric, question["variant"]), (metric, item["form"])]


def _example(question: Row, explanation: str | None) -> Row:
    return {**question, "example_id": question["question_id"], "rationale": explanation or ""}
