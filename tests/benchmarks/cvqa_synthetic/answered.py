"""Puzzles and answers to them, without a run, and the tables that are made from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from tests.results.reporting.test_pair_measures import SETTINGS
from whatif.benchmarks.cvqa_synthetic.report import Puzzles
from whatif.benchmarks.cvqa_synthetic.steps import TABLES, TITLE
from whatif.benchmarks.shared.dimensions import CHOOSER
from whatif.benchmarks.shared.results import answered_fields
from whatif.engine.graph.task import Task
from whatif.engine.looked_up import looked_up
from whatif.engine.params.model_entries import RankingRule
from whatif.results.reporting.question_pairs import QuestionPairAnswers
from whatif.results.reporting.rendering import grid
from whatif.results.reporting.table import Table
from whatif.scoring.ranking_rules import STORED


def puzzles(
    predictions: Iterable[Any],
    questions: Iterable[Any],
    names: Mapping[str, str],
    rule: RankingRule = STORED,
    confidence: float = 0.95,
    **more: Any,
) -> Puzzles:
    """The results of some answers; `more` are further fields."""
    asked = list(questions)
    return Puzzles(
        **answered_fields(QuestionPairAnswers(predictions, asked, names), names, rule),
        task=cast("Task[Any]", None),
        title=TITLE,
        settings=SETTINGS.model_copy(update={"confidence": confidence}),
        dimension=CHOOSER,
        questions=asked,
        **more,
    )


def made(name: str, found: Puzzles) -> Table:
    """The declared table of this name."""
    table: Table = looked_up(TABLES.tables[name]).table(name, found)
    return table


def cells(table: Table, view: int = 0) -> list[dict[str, str]]:
    """The printed rows of a view, by heading."""
    printed = grid(table.views[view], table.frame)
    return [dict(zip(printed.header, row, strict=True)) for row in printed.rows]
