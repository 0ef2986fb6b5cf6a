"""Table 3 of MuCR (5.3): prompting strategies, and changes against the first one."""

from __future__ import annotations

from collections.abc import Iterator

from whatif.benchmarks.mucr.asked_items import IN_IMAGES
from whatif.benchmarks.mucr.outcomes import Answerer, Row
from whatif.benchmarks.mucr.report import Mucr
from whatif.benchmarks.mucr.reported import reported
from whatif.benchmarks.mucr.schemas import SCORES
from whatif.benchmarks.mucr.score_tables import changes_view, intervals_view, score_table, scores_view
from whatif.results.reporting.table import View

_STRATEGY = {"strategy": "Strategy"}


def _first(found: Mucr) -> str:
    return str(found.task.settings.strategies[0])


def _rows(found: Mucr, who: Answerer) -> Iterator[Row]:
    answers = who.by_metric(IN_IMAGES)
    yield from found.scores(answers, who.place)
    first = found.systems.get((who.place["model"], _first(found)))
    if first is not None and first is not who:
        yield from found.changes(first.by_metric(IN_IMAGES), answers, who.place)


def _views(found: Mucr) -> tuple[View, ...]:
    cells = {(row["strategy"], row["metric"]): row["value"] for row in reported("3")}
    best = [
        metric for metric in SCORES if cells["vccot", metric] == max(v for (_, of), v in cells.items() if of == metric)
    ]
    lower = ", ".join(f"{cells['cot', metric] - cells['direct', metric]:+.2f}" for metric in SCORES)
    return (
        scores_view(
            "Questions about images answered correctly in percent, by prompting strategy (MuCR Table 3).",
            f"The paper calls vccot superior; it has the highest score in {' and '.join(best)}. Its cot differs from "
            f"direct by {lower} points.",
            **_STRATEGY,
        ),
        intervals_view(f"Ours in percent, with {found.level} intervals by group.", **_STRATEGY),
        changes_view(
            f"Ours: score minus that with the strategy {_first(found)} in points, over the same pairs, with "
            f"{found.level} intervals by group.",
            **_STRATEGY,
        ),
    )


TABLE = score_table(
    30,
    title="Prompting strategies",
    rows=lambda found: found.beside(reported("3"), lambda who: _rows(found, who), found.systems.values()),
    views=_views,
)
