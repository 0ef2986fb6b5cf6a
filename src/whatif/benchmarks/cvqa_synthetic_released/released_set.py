"""What the report says of the released puzzles, from the artifacts of every stage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from whatif.benchmarks.cvqa_synthetic.report import NUMBERS_OF_ALL, Puzzles
from whatif.benchmarks.cvqa_synthetic_released.settings import ReportSettings
from whatif.benchmarks.cvqa_synthetic_released.text_checks import answer_of
from whatif.engine.graph.task import Task
from whatif.results.reporting.funnel import FunnelStage, reasons, stage_of_losses
from whatif.results.reporting.judged import JUDGE_MEASURES
from whatif.results.reporting.people import PEOPLE_MEASURES
from whatif.results.reporting.table import MEASURE, NUMBERS, OURS, from_csv

OWN_PUZZLES = "ours, own puzzles"  # the source of rows about the benchmark of our own puzzles
_ALL_DOTS = "dot-removal"  # the template whose original question is about all dots
_KNOWN = (
    f"It is known only in the template {_ALL_DOTS}, whose original question asks for all dots. In the others, it "
    "follows neither from the text nor from an answer."
)
_IDENTITY = ("model", "name", "variant", MEASURE)
_TABLE_7 = "metrics/cvqa-synthetic/table7.csv"


def released_puzzles(task: Task[ReportSettings], title: str) -> Puzzles:
    """The released set; the counts of each stage are from its own artifacts."""
    dots = all_dots(task.rows("questions"))
    beside = list(rows_beside(task.rows("ours")))
    reported = "Reported rows are the paper's, of these puzzles."
    if beside:
        reported += f" Rows from `{OWN_PUZZLES}` are of the benchmark cvqa-synthetic, with its settings."
    return Puzzles.of(
        task,
        title,
        _stages(task),
        rule=task.settings.rule,
        judge=task.settings.judge,
        everything=pa.table([[*dots], [*dots.values()]], schema=NUMBERS_OF_ALL),
        known=_KNOWN,
        reported=reported,
        beside=beside,
    )


def rows_beside(files: Iterator[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The rows of our own systems in Table 7 of our own puzzles, from its text files; none without them."""
    import pandas as pd

    for file in files:
        if file["path"] == _TABLE_7:
            frame = from_csv(file["bytes"].decode())
            for row in frame[
                (frame["source"] == OURS) & ~frame[MEASURE].isin(JUDGE_MEASURES | PEOPLE_MEASURES)
            ].to_dict("records"):
                known = {name: value for name, value in row.items() if name in NUMBERS and not pd.isna(value)}
                yield {**{name: row[name] for name in _IDENTITY}, **known, "source": OWN_PUZZLES}


def all_dots(questions: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """The number of all dots by pair: the original answer, in the template that asks for it."""
    return {
        str(row["pair_id"]): answer_of(row)
        for row in questions
        if row["group"] == _ALL_DOTS and row["variant"] == "original"
    }


def _stages(task: Task[ReportSettings]) -> Iterator[FunnelStage]:
    """The funnel before models are asked."""
    filtered, refused = (reasons(task.rows(role)) for role in ("filtered", "refused"))
    released, after_filter, verified = (
        task.count(role) // 2 for role in ("released", "filtered questions", "questions")
    )
    yield stage_of_losses("extract", "rows", released, task.rows("bad rows"))
    yield stage_of_losses("extract", "pictures", task.count("images"), task.rows("pictures"))
    yield FunnelStage("filter", "pairs", released, after_filter, filtered)
    yield FunnelStage("verify", "pairs", after_filter, verified, refused)
