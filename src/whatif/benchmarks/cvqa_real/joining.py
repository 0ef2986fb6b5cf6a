"""Joins original questions and their counterfactuals into pairs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from whatif.benchmarks.cvqa_real.schemas import COUNTERFACTUAL, ORIGINAL, VARIANTS
from whatif.benchmarks.cvqa_real.settings import NAME
from whatif.benchmarks.cvqa_real.sources import are_released
from whatif.benchmarks.shared.tasks import pairs_of
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.engine.graph.task import Task

_REMEDY = f"name writers of each group in generate.{NAME}.writers, or people's questions in generate.{NAME}.annotations"

Row = Mapping[str, Any]


def write_pairs(task: Task[None]) -> None:
    """Writes the pairs as they were released, or a pair for each written question and its source question.

    Raises WhatifError when a released question has no counterfactual, and when nobody wrote a question.
    """
    questions = list(task.rows("source"))
    if are_released(questions):
        task.outputs.write("questions", list(_released(questions)))
        task.outputs.write("written", [])
        return
    written = [row for role in ("annotated", "by-rules", "by-model") for row in task.rows(role)]
    task.check_losses("written questions", len(written), [], remedy=_REMEDY)
    task.outputs.write("questions", joined(questions, written))
    task.outputs.write("written", written)


def joined(questions: Iterable[Row], written: Iterable[Row]) -> list[dict[str, Any]]:
    """Rows of `questions`: for each written question its source question and itself, in a pair with its id.

    Raises WhatifError when the source of a written question is unknown.
    """
    by_id = {row["pair_id"]: row for row in questions}
    pairs: list[dict[str, Any]] = []
    for one in written:
        if one["source_id"] not in by_id:
            raise WhatifError(f"written question {one['written_id']}: its source {one['source_id']} is not extracted")
        pairs.extend(_pair(by_id[one["source_id"]], one))
    return pairs


def _pair(source: Row, written: Row) -> Iterator[dict[str, Any]]:
    known = json.loads(source["provenance"]) | {"source_id": written["source_id"], "writer": written["writer"]}
    asked = {
        ORIGINAL: (source["question"], source["answer"]),
        COUNTERFACTUAL: (written["question"], written["answer"]),
    }
    for variant, (question, answer) in asked.items():
        yield {
            **source,
            "question_id": f"{written['written_id']}-{variant}",
            "pair_id": written["written_id"],
            "group": written["group"],
            "variant": variant,
            "question": question,
            "answer": answer,
            "provenance": canonical_json(known),
        }


def _released(questions: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for pair_id, rows in pairs_of(questions):
        if sorted(row["variant"] for row in rows) != sorted(VARIANTS):
            raise WhatifError(f"pair {pair_id}: lacks one of its questions; read the released file again")
        yield from rows
