"""What the report of C-VQA-Synthetic says of our own puzzles, from the artifacts of every stage."""

from __future__ import annotations

from whatif.benchmarks.cvqa_synthetic.counting import number_of_all
from whatif.benchmarks.cvqa_synthetic.questions import GROUPS
from whatif.benchmarks.cvqa_synthetic.report import PuzzleSet
from whatif.benchmarks.cvqa_synthetic.settings import ReportSettings
from whatif.engine.graph.task import Task
from whatif.results.reporting.funnel import FunnelStage, reasons

_KNOWN = "It is counted in the stored scene."


def own_puzzles(task: Task[ReportSettings]) -> PuzzleSet:
    """The set of all puzzles that were generated; the counts of each stage are from its own artifacts."""
    flowers = task.count("flowers")
    unused, filtered, refused = (reasons(task.rows(role)) for role in ("unused flowers", "filtered", "refused"))
    planned = len(GROUPS) * task.settings.puzzles_per_template
    generated = task.count("puzzles")
    after_filter = task.count("filtered questions") // 2
    verified = task.count("questions") // 2
    stages = [
        FunnelStage("extract", "flower pictures", flowers + sum(unused.values()), flowers, unused),
        FunnelStage("generate", "pairs", planned, generated),
        FunnelStage("filter", "pairs", generated, after_filter, filtered),
        FunnelStage("verify", "pairs", after_filter, verified, refused),
    ]
    columns = ["pair_id", "flowers", "circles"]
    everything = {row["pair_id"]: number_of_all(row) for row in task.rows("puzzles", columns)}
    return PuzzleSet(stages, everything, _KNOWN)
