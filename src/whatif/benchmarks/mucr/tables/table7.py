"""Table 7 (MuCR B.1): models that read no images, in text, beside one that does."""

from __future__ import annotations

from collections.abc import Iterable

from whatif.benchmarks.mucr import reported
from whatif.benchmarks.mucr.asked_items import IN_IMAGES, IN_TEXT
from whatif.benchmarks.mucr.results import WAYS, Results, Row
from whatif.benchmarks.mucr.schemas import SCORES, TEXT
from whatif.benchmarks.mucr.score_tables import as_printed, in_order, intervals_view, score_table, scores_view
from whatif.results.reporting.answers import System
from whatif.results.reporting.declared import Made
from whatif.results.reporting.table import Table


def _table(results: Results) -> Table:
    def ours(system: System) -> Iterable[Row]:
        if results.metrics(system, IN_TEXT):
            for way in WAYS:
                yield from results.scores(results.metrics(system, way), {**results.place(system), "form": way.form})

    printed = reported.numbers("7")
    rows = in_order(results, printed, lambda found: as_printed(found, "form"), ours, results.main)
    cells = {(one.system, one.labels["form"], one.metric): one.value for one in printed}
    differences = ", ".join(
        f"{cells['DeepSeek-R1', TEXT, metric] - cells['GPT-o1', TEXT, metric]:+.2f} in {metric}" for metric in SCORES
    )
    without = [results.name(one) for one in results.main if not results.metrics(one, IN_IMAGES)]
    told = f"Ours without a row in images are asked in text only: {', '.join(without)}. " if without else ""
    views = (
        scores_view(
            "Questions in text answered correctly in percent, and in images where a model reads them (MuCR Table 7).",
            f"{told}The paper calls DeepSeek-R1 comparable to GPT-o1: {differences} points.",
            form="Form",
        ),
        intervals_view(f"Ours in percent, with {results.level} intervals by group.", form="Form"),
    )
    return score_table("Models in text", rows, ("form",), views)


TABLE: Made[Results] = Made(22, _table)
