"""Functions that the reports of all benchmarks share: their systems, audits, costs and judge, and publishing them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from whatif.benchmarks.shared.dimensions import JUDGE
from whatif.benchmarks.shared.tasks import with_predictions
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import JUDGED, PREDICTIONS
from whatif.engine.artifacts.variants import variant_order
from whatif.engine.files.inputs import user_path
from whatif.engine.graph.dimensions import Dimension
from whatif.engine.graph.steps import HEADLINE
from whatif.engine.graph.task import Task
from whatif.engine.params.judge import JudgeSettings
from whatif.engine.params.prices import Prices
from whatif.people.response_labels import read_response_labels
from whatif.results.reporting.answers import System
from whatif.results.reporting.costs import COLUMNS, costs, spent_by_model, together
from whatif.results.reporting.items import Item, ItemView, item_tables, view_rows
from whatif.results.reporting.judged import Judged
from whatif.results.reporting.reading import COLUMNS as READ
from whatif.results.reporting.reading import reading, readings_by_model
from whatif.results.reporting.report import Report, printed_rows, text_files
from whatif.results.reporting.shortcuts import ORDER
from whatif.results.reporting.table import Table
from whatif.scoring.shortcuts.audit import Shortcut

Row = Mapping[str, Any]


def publish(task: Task[Any], report: Report, items: Iterable[Item] = (), views: Sequence[ItemView] = ()) -> None:
    """Publishes every text file of a report, and what the site shows: its printed tables, items and views of items.

    The step must declare SITE_OUTPUTS. `items` may be made while they are written.
    """
    measures = task.declared.get(HEADLINE, "").splitlines()
    for path, content in text_files(task.benchmark, report, task.summarized, measures).items():
        task.outputs.publish(path, content)
    task.outputs.write("printed", list(printed_rows(report)))
    task.outputs.write("views", list(view_rows(views)))
    writer = task.outputs.writer("items")
    for some in item_tables(items):
        writer.write(some)


def systems_of(task: Task[Any], dimension: Dimension, strategies: Sequence[str]) -> list[System]:
    """The models and strategies with predictions; a file may have only responses to one strategy, or none here."""
    by_strategy = {name: with_predictions(task, dimension, strategy=name) for name in strategies}
    return [
        (model, name) for model in task.shown_models(dimension) for name, keys in by_strategy.items() if model in keys
    ]


def audits_of(task: Task[Any], role: str = "shortcuts") -> dict[str, list[Shortcut]]:
    """The findings of the shortcut audit, by set of questions, in the order of the table."""
    found: dict[str, list[Shortcut]] = {}
    for row in task.rows(role):
        found.setdefault(row.pop("set"), []).append(Shortcut(**row))
    return {
        name: sorted(found[name], key=lambda one: (variant_order(one.variant), ORDER.index(one.rule)))
        for name in sorted(found)
    }


def costs_of(task: Task[Any], dimension: Dimension, names: Mapping[str, str]) -> Table:
    """The table `costs` of some models (key -> display name), from their predictions, and of the judge if one is set.

    The judge has rows of its own, under its key with ` (judge)`, from the table `judged`.
    """
    prices = prices_of(task, dimension)
    found = spent_by_model(artifacts.batches(task.paths("predictions"), PREDICTIONS, COLUMNS))
    for key, fields in (task.shown or {}).get(JUDGE.name, {}).items():
        own = f"{key} (judge)"
        found[own] = together(spent_by_model(artifacts.batches(task.paths("judged"), JUDGED, COLUMNS)).values())
        names = {**names, own: f"{fields['name'] or key} (judge)"}
        own_prices = _prices(fields)
        prices |= {} if own_prices is None else {own: own_prices}
    return costs(found, names, prices)


def reading_of(task: Task[Any], names: Mapping[str, str]) -> Table:
    """The table `reading` of some models (key -> display name), from their predictions and what the judge decided."""
    found = readings_by_model(artifacts.batches(task.paths("predictions"), PREDICTIONS, READ, present=["response"]))
    for row in task.rows("judged") if (task.shown or {}).get(JUDGE.name) else ():
        if row["status"] == "ok":
            before = "strict" if row["by_rules"] == "ok" else row["by_rules"]  # of a sentence given as open text
            found[row["model"]].update({"judge": 1, before: -1})
    return reading(found, names)


def prices_of(task: Task[Any], dimension: Dimension) -> dict[str, Prices]:
    """The prices of the models of a dimension that have them, by key."""
    found = {key: _prices(fields) for key, fields in task.shown_models(dimension).items()}
    return {key: price for key, price in found.items() if price is not None}


def judged_of(
    task: Task[Any], settings: JudgeSettings | None, questions: Sequence[Row], evaluated: Collection[str]
) -> Judged | None:
    """What the judge of a benchmark found, and what people read in the same responses; None without a judge.

    `evaluated` are the keys of the evaluated models. Raises WhatifError, naming the line, for a wrong file of labels.
    """
    if settings is None:
        return None
    name = (task.shown or {})[JUDGE.name][settings.model]["name"] or settings.model
    labels = None
    if settings.labels is not None:
        labels = read_response_labels(user_path(settings.labels), questions, evaluated)
    return Judged(name, settings.prompt, list(task.rows("judged")), labels)


def _prices(fields: Mapping[str, Any]) -> Prices | None:
    prompt, response = (fields.get(f"price_per_million_{kind}_tokens") for kind in ("prompt", "response"))
    return None if prompt is None or response is None else Prices(prompt, response)
