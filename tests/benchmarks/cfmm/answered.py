"""Questions of CFMM and answers to them, as rows, and the tables that are made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast

import pyarrow as pa

from tests.choice_questions import choice_question
from whatif.benchmarks.cfmm.item_answers import Asked, ItemAnswers
from whatif.benchmarks.cfmm.report import Cfmm
from whatif.benchmarks.cfmm.schemas import BASIC, VARIANTS
from whatif.benchmarks.cfmm.steps import TABLES, TITLE
from whatif.benchmarks.shared.dimensions import CHOOSER
from whatif.engine.artifacts.schemas import OPTION_SCORE, PREDICTIONS
from whatif.engine.looked_up import looked_up
from whatif.formats.cfmm_items import CATEGORIES
from whatif.results.reporting.answers import COLUMNS, System
from whatif.results.reporting.table import Table

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


def results(
    questions: list[Row],
    rows: Sequence[Row] = (),
    names: Mapping[System, str] | None = None,
    *,
    file: str | None = None,
    sources: Sequence[str] = (),
) -> Cfmm:
    """The results of some answers; `names` are the models' display names by system.

    `file` is that of finished items, if the questions come from one; `sources` are those of the images.
    """
    shown = {("m", "direct"): "Model"} if names is None else names
    by_key = {model: name for (model, _), name in shown.items()}
    images = [{"source": source} for source in sources]
    settings = SimpleNamespace(items=file, second_option=["basic-answer"])
    task: Any = SimpleNamespace(seed=0, settings=settings, rows=lambda *_, **__: iter(images))
    return Cfmm(
        task=task,
        title=TITLE,
        settings=Precision(),
        dimension=CHOOSER,
        names=by_key,
        plain_names=by_key,
        questions=questions,
        answers=ItemAnswers(table(rows), Asked.of(questions, CATEGORIES), list(shown) if rows else []),
    )


def declared(name: str, found: Cfmm) -> Table:
    """The declared table of this name."""
    return cast("Table", looked_up(TABLES.tables[name]).table(name, found))
