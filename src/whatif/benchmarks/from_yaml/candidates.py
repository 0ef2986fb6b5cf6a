"""Candidates: every pair of questions that a template can ask about a row, or a random choice of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from whatif.benchmarks.from_yaml.expressions import ExpressionError
from whatif.benchmarks.from_yaml.settings import Template
from whatif.benchmarks.from_yaml.words import as_json, asked, combinations, is_asked
from whatif.engine.random_streams import stream

FAILED = "an expression fails"  # the reason of a rejection
Row = dict[str, Any]


def candidates(
    name: str, template: Template, row: Mapping[str, Any], attributes: Mapping[str, Any], *, most: int, seed: int
) -> Iterator[Row]:
    """At most `most` rows of `question-candidates` of one template about one row of `attribute-rows`.

    The words of the blanks are drawn at random, without looking at the answers: whether a question is asked about a row
    must not depend on its answer, or the options would tell something about it.

    Raises ExpressionError, naming the key and the words, when an expression has no value.
    """
    every = list(combinations(template, attributes))
    order = stream(seed, "candidates", name, row["row_id"]).permutation(len(every)).tolist()
    found = 0
    for place in order:
        blanks = every[place]
        try:
            if not is_asked(template, attributes, blanks):
                continue
            pair = asked(template, attributes, blanks)
        except ExpressionError as error:
            words = ", ".join(f"{blank} = {word!r}" for blank, word in blanks.items())
            raise ExpressionError(f"{error}{f' (with {words})' if words else ''}") from None
        fields = asdict(pair)
        yield {
            "template": name,
            "row_id": row["row_id"],
            "blanks": as_json(blanks),
            "image_ids": row["image_ids"],
            **fields,
        }
        found += 1
        if found == most:
            return
