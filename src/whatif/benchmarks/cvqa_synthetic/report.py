"""The results of a set of puzzles, our own or the released ones, and their publication."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from whatif.benchmarks.cvqa_synthetic.item_views import puzzle_items
from whatif.benchmarks.cvqa_synthetic.questions import GROUPS
from whatif.benchmarks.cvqa_synthetic.schemas import PUZZLES
from whatif.benchmarks.cvqa_synthetic.settings import RankedReport, ReportSettings
from whatif.benchmarks.shared.reports import publish
from whatif.benchmarks.shared.results import PairedResults
from whatif.engine import artifacts
from whatif.engine.errors import WhatifError
from whatif.engine.graph.task import Task
from whatif.results.reporting.declared import report_of
from whatif.results.reporting.funnel import FunnelStage, reasons
from whatif.results.reporting.precision import percent
from whatif.results.reporting.table_modules import TableModules

NUMBERS_OF_ALL = pa.schema([("pair_id", pa.string()), ("number", pa.int64())])


@dataclass(frozen=True, kw_only=True, eq=False)
class Puzzles(PairedResults):
    """A set of puzzles and all answers to them.

    everything: the number of all flowers or dots of the pairs for which it is known, in a table `NUMBERS_OF_ALL`.
    known: which pairs these are, in words.
    reported: about the rows that the paper reports. beside: rows of the same systems on another set, which follow in
    `table7` under their own `source`.
    """

    groups: Sequence[str] = GROUPS
    everything: pa.Table = field(default_factory=NUMBERS_OF_ALL.empty_table)
    known: str = "It is counted in the stored scene."
    reported: str = "Reported rows are the paper's, of other images."
    beside: Sequence[Mapping[str, Any]] = ()

    @cached_property
    def chance(self) -> float:
        """The mean of 1 / number of options in percent, 25 in the paper. Raises WhatifError without any options."""
        options = self.answers.questions.options
        if not options.size:
            raise WhatifError("questions: there are none, so there is no Table 7")
        if not options.all():
            question = self.answers.questions.ids[int(np.argmin(options))]
            raise WhatifError(f"question {question}: has no choices; Table 7 is of multiple-choice questions")
        return percent(sum((1 / options).tolist()) / options.size)


def own_puzzles(task: Task[ReportSettings], title: str) -> Puzzles:
    """All puzzles that were generated; the counts of each stage are from its own artifacts."""
    flowers = task.count("flowers")
    unused, filtered, refused = (reasons(task.rows(role)) for role in ("unused flowers", "filtered", "refused"))
    generated, after_filter = task.count("puzzles"), task.count("filtered questions") // 2
    stages = [
        FunnelStage("extract", "flower pictures", flowers + sum(unused.values()), flowers, unused),
        FunnelStage("generate", "pairs", len(GROUPS) * task.settings.puzzles_per_template, generated),
        FunnelStage("filter", "pairs", generated, after_filter, filtered),
        FunnelStage("verify", "pairs", after_filter, task.count("questions") // 2, refused),
    ]
    columns = ["pair_id", "flowers", "circles"]
    scenes = artifacts.batches(task.paths("puzzles"), PUZZLES, columns)
    everything = pa.concat_tables([NUMBERS_OF_ALL.empty_table(), *map(_numbers_of_all, scenes)])
    how = task.settings
    return Puzzles.of(task, title, stages, rule=how.rule, judge=how.judge, everything=everything)


def number_of_all(puzzle: Mapping[str, Any]) -> int:
    """The number of all flowers or dots in a row of the table `puzzles`."""
    return len(puzzle["flowers"]) or sum(len(circle["dots"]) for circle in puzzle["circles"])


def _numbers_of_all(puzzles: pa.Table) -> pa.Table:
    numbers = [number_of_all(row) for row in puzzles.to_pylist()]
    return pa.table([puzzles["pair_id"], pa.array(numbers, pa.int64())], schema=NUMBERS_OF_ALL)


def publish_report(task: Task[RankedReport], puzzles: Puzzles, modules: TableModules) -> None:
    """Publishes every text file of the aggregation of a set of puzzles."""
    report = report_of(modules, puzzles.title, puzzles, puzzles.headline)
    items, views = puzzle_items(task, puzzles.questions, puzzles.names, puzzles.by_mean, puzzles.judged)
    publish(task, report, items, views)
