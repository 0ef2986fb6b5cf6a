"""The results, from which the tables are made, and the items of the site."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from whatif.benchmark import (
    CHOOSER,
    About,
    FunnelStage,
    ItemView,
    PairedResults,
    TableModules,
    Task,
    publish,
    question_items,
    reasons,
    report_of,
    shown_systems,
    title_of,
)

from my_benchmark.settings import AggregateSettings

TITLE = "My benchmark"
CHANCE = 25.0  # accuracy of guessing, in percent: a question has four options
_VIEW = ItemView("examples", "Examples", "Each picture with its original and its counterfactual question.")
_SHOWN = 6  # items in that view
Row = Mapping[str, Any]


def publish_report(task: Task[AggregateSettings], modules: TableModules) -> None:
    """Publishes every table, the report and the items of this benchmark."""
    found = PairedResults.of(task, TITLE, _stages(task), by_image=True)
    examples = set(dict.fromkeys(row["pair_id"] for row in found.questions[: 2 * _SHOWN]))

    def about(item_id: str, rows: Sequence[Row]) -> About:
        return About(title_of(rows), views=(_VIEW.name,) if item_id in examples else ())

    systems = shown_systems(task, CHOOSER, {(key, ""): name for key, name in found.names.items()})
    items = question_items(task, found.questions, systems, about, variants={"original": "", "counterfactual": ""})
    publish(task, report_of(modules, TITLE, found, found.headline), items, (_VIEW,))


def _stages(task: Task[AggregateSettings]) -> Iterator[FunnelStage]:
    """The counts of the stages before models are asked. whatif refuses counts that do not add up."""
    generated, verified = task.count("generated") // 2, task.count("questions") // 2
    filtered, refused = (reasons(task.rows(role)) for role in ("filtered", "refused"))
    kept = generated - sum(filtered.values())
    yield FunnelStage("generate", "pairs", generated, generated)
    yield FunnelStage("filter", "pairs", generated, kept, filtered)
    yield FunnelStage("verify", "pairs", kept, verified, refused)
