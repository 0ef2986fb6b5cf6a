"""Questions of CFMM and answers to them, as rows, for tests of tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from tests.choice_questions import choice_question
from whatif.benchmarks.cfmm.schemas import BASIC, VARIANTS
from whatif.engine.artifacts.schemas import OPTION_SCORE, PREDICTIONS
from whatif.results.reporting.answers import COLUMNS

Row = dict[str, Any]
SCHEMA = pa.schema([PREDICTIONS.schema.field(name) for name in COLUMNS])


@dataclass(frozen=True)
class Precision:
    confidence: float = 0.95
    resamples: int = 999


def question(item: str, variant: str, category: str = "count", **changes: Any) -> Row:
    """A question whose right option is A, unless `changes` say otherwise."""
    provenance = {"origin": "scenes", "second_option": "drawn", "same_as_basic": variant == BASIC}
    own = {"image_ids": [f"image-{item}"], "provenance": provenance}
    choices = ["two" if variant == BASIC else "three", "four"]
    asked = f"How many are there in {item}?"
    return choice_question(f"{item}-{variant}", item, category, variant, asked, choices, **own) | changes


def item(name: str, category: str = "count", variants: Sequence[str] = VARIANTS, **changes: Any) -> list[Row]:
    return [question(name, variant, category, **changes) for variant in variants]


def prediction(question_id: str, model: str = "m", strategy: str = "direct", **changes: Any) -> Row:
    """A right answer, unless `changes` say otherwise."""
    return {
        "question_id": question_id,
        "model": model,
        "strategy": strategy,
        "choice_scores": None,
        "answer": "A",
        "status": "ok",
        "correct": True,
        **changes,
    }


def answers(questions: Iterable[Row], right: str, model: str = "m", strategy: str = "direct") -> list[Row]:
    """Answers to questions in order: `+` is right, `-` wrong, `.` none."""
    kinds: dict[str, Row] = {
        "+": {},
        "-": {"answer": "B", "correct": False},
        ".": {"answer": None, "correct": False, "status": "error"},
    }
    return [
        prediction(row["question_id"], model, strategy, **kinds[sign])
        for row, sign in zip(questions, right, strict=True)
    ]


def scores(*means: float, **fields: Any) -> list[Row]:
    """The scores of ranked options of one token, with further fields the same for each."""
    empty = {"tokens": 1, "at_most": False, "without_image": None, "without_prompt": None}
    return [{**empty, "log_likelihood": mean, "mean": mean, **fields} for mean in means]


def table(rows: Sequence[Row]) -> list[pa.Table]:
    """Rows as tables with the columns that reports read."""
    assert SCHEMA.field("choice_scores").type == pa.list_(OPTION_SCORE)
    return [pa.Table.from_pylist(list(rows), schema=SCHEMA)]
