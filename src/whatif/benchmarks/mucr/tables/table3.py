"""Table 3 (MuCR 5.3): prompting strategies, and changes against the first one."""

from __future__ import annotations

from collections.abc import Iterable

from whatif.benchmarks.mucr import reported
from whatif.benchmarks.mucr.asked_items import IN_IMAGES
from whatif.benchmarks.mucr.results import Results, Row
from whatif.benchmarks.mucr.schemas import SCORES
from whatif.benchmarks.mucr.score_tables import (
    as_printed,
    changes_view,
    in_order,
    intervals_view,
    score_table,
    scores_view,
)
from whatif.results.reporting.answers import System
from whatif.results.reporting.declared import Made
from whatif.results.reporting.table import Table


def _table(results: Results) -> Table:
    first = results.strategies[0]

    def ours(system: System) -> Iterable[Row]:
        place, found = results.place(system), results.metrics(system, IN_IMAGES)
        yield from results.scores(found, place)
        base = (system[0], first)
        if system != base and base in results.answers.systems:
            yield from results.changes(results.metrics(base, IN_IMAGES), found, place)

    printed = reported.numbers("3")
    cells = {(one.labels["strategy"], one.metric): one.value for one in printed}
    best = [
        metric for metric in SCORES if cells["vccot", metric] == max(v for (_, of), v in cells.items() if of == metric)
    ]
    lower = ", ".join(f"{cells['cot', metric] - cells['direct', metric]:+.2f}" for metric in SCORES)
    rows = in_order(results, printed, lambda found: as_printed(found, "strategy"), ours, results.answers.systems)
    strategy = {"strategy": "Strategy"}
    views = (
        scores_view(
            "Questions about images answered correctly in percent, by prompting strategy (MuCR Table 3).",
            f"The paper calls vccot superior; it has the highest score in {' and '.join(best)}. Its cot differs from "
            f"direct by {lower} points.",
            **strategy,
        ),
        intervals_view(f"Ours in percent, with {results.level} intervals by group.", **strategy),
        changes_view(
            f"Ours: score minus that with the strategy {first} in points, over the same pairs, with {results.level} "
            "intervals by group.",
            **strategy,
        ),
    )
    return score_table("Prompting strategies", results.corrected(rows), (), views)


TABLE: Made[Results] = Made(18, _table)
