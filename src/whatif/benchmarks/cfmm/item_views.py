"""The items of CFMM: an image with its basic and counterfactual questions, and named views of them.

| view | shows | CFMM |
|---|---|---|
| `figure-2` | items of each category | Figure 2 |
| `figure-3` | items of each category with wrong answers after reasons that a model wrote | Figure 3 |
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from whatif.benchmarks.cfmm.reported import prompt_name
from whatif.benchmarks.cfmm.schemas import BASIC, COUNTERFACTUAL, EXPANDED
from whatif.benchmarks.cfmm.settings import ReportSettings
from whatif.benchmarks.shared.dimensions import CHOOSER
from whatif.benchmarks.shared.item_selection import Selection, evenly
from whatif.benchmarks.shared.question_items import About, question_items, shown_systems, title_of
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.graph.task import Task
from whatif.results.reporting.answers import System
from whatif.results.reporting.items import Item, ItemView
from whatif.results.reporting.judged import Judged

# The label of each variant for readers.
_LABELS = {
    BASIC: "basic",
    COUNTERFACTUAL: "counterfactual",
    **{variant: f"counterfactual {place}, added" for place, variant in enumerate(EXPANDED, 2)},
}
_FIGURE_2 = ItemView(
    "figure-2",
    "Questions of each category (Figure 2)",
    "Items of each category with their basic and their counterfactual questions, as in CFMM Figure 2.",
)
_FIGURE_3 = ItemView(
    "figure-3",
    "Wrong answers after reasons (Figure 3)",
    "Items of each category about which a system wrote its reasons before it answered a counterfactual question wrong. "
    "CFMM Figure 3 has reasons that are fluent but illogical; whether these are has to be judged by reading them.",
)
_NO_REASONS = "None was found: only the strategies with a turn for reasons let a model write them."
Row = Mapping[str, Any]


def cfmm_items(
    task: Task[ReportSettings],
    questions: Sequence[dict[str, Any]],
    categories: Sequence[str],
    names: Mapping[System, str],
    by_mean: Collection[System],
    *,
    judged: Judged | None = None,
) -> tuple[Iterator[Item], list[ItemView]]:
    """All items, and their views. Items are made while they are read.

    `questions` are all that were asked; `names` are the display names of the systems. `by_mean` are the systems that
    cannot be ranked by the rule of the settings; their choices are those by the mean. `judged` is what a judge read.
    """
    selection = _selected(task, questions, categories, names)
    systems = shown_systems(task, CHOOSER, names, task.settings.aggregate.rule, by_mean)

    def about(item_id: str, rows: Sequence[Row]) -> About:
        return About(title_of(rows), selection.notes(item_id), selection.names(item_id))

    return question_items(task, questions, systems, about, variants=_LABELS, judged=judged), selection.views


def system_name(name: str, strategy: str) -> str:
    """The display name of a system, given that of its model."""
    return f"{name}, {prompt_name(strategy)}"


def _selected(
    task: Task[ReportSettings], questions: Sequence[Row], categories: Sequence[str], names: Mapping[System, str]
) -> Selection:
    number = task.settings.aggregate.shown_items
    items: dict[str, dict[str, None]] = {category: {} for category in categories}  # dicts keep the order of the items
    for row in questions:
        items[row["group"]][row["pair_id"]] = None
    selection = Selection()
    examples = [item for of_category in items.values() for item in evenly(list(of_category), number)]
    selection.add(_FIGURE_2, dict.fromkeys(examples, ""))
    asked = {row["question_id"]: row["pair_id"] for row in questions if row["variant"] != BASIC}
    wrong = _wrong_after_reasons(task, asked, names)
    shown = [one for of_category in items.values() for one in evenly([i for i in of_category if i in wrong], number)]
    notes = {item: f"Wrong about a counterfactual question after reasons: {'; '.join(wrong[item])}." for item in shown}
    selection.add(_FIGURE_3, notes, none=_NO_REASONS)
    return selection


def _wrong_after_reasons(
    task: Task[ReportSettings], asked: Mapping[str, str], names: Mapping[System, str]
) -> dict[str, list[str]]:
    """The names of the systems that wrote reasons and then answered wrong, by item; `asked` maps questions to items."""
    found: dict[str, set[System]] = {}
    columns = ["question_id", "model", "strategy", "status", "correct", "earlier_turns"]
    for piece in artifacts.batches(task.paths("predictions"), PREDICTIONS, columns, present=["earlier_turns"]):
        for row in piece.filter(piece["earlier_turns"]).to_pylist():
            system = (row["model"], row["strategy"])
            if row["status"] == "ok" and not row["correct"] and row["question_id"] in asked and system in names:
                found.setdefault(asked[row["question_id"]], set()).add(system)
    return {item: [name for system, name in names.items() if system in of_item] for item, of_item in found.items()}
