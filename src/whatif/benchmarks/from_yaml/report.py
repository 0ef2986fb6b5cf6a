"""The results of a benchmark in a YAML file, and their publication with the items of the site."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from whatif.benchmarks.from_yaml.settings import ReportSettings
from whatif.benchmarks.shared.annotator_tables import is_of_label, labels_stage
from whatif.benchmarks.shared.dimensions import CHOOSER
from whatif.benchmarks.shared.question_items import About, question_items, shown_systems, title_of
from whatif.benchmarks.shared.reports import publish
from whatif.benchmarks.shared.results import PairedResults
from whatif.engine.graph.task import Task
from whatif.results.reporting.declared import report_of
from whatif.results.reporting.funnel import FunnelStage, reasons
from whatif.results.reporting.items import Item, ItemView
from whatif.results.reporting.question_pairs import VARIANTS
from whatif.results.reporting.table_modules import TableModules

_IN_VIEW = 3  # pairs of each template in the view
_VIEW = "examples"
_LABELS = {"original": "", "counterfactual": ""}
Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class YamlResults(PairedResults):
    """The results of a benchmark in a YAML file, by template."""

    @cached_property
    def chances(self) -> dict[str, float]:
        """The accuracy of guessing in percent, by variant: the mean of 1 / number of options."""
        sizes: dict[str, list[float]] = {variant: [] for variant in VARIANTS}
        for row in self.questions:
            sizes[row["variant"]].append(100 / len(row["choices"]))
        return {variant: round(sum(values) / max(len(values), 1), 4) for variant, values in sizes.items()}

    @property
    def by_kind(self) -> YamlResults:
        """The same results by the kind of each pair instead of its template; empty for pairs without one."""
        kinds = {str(row["pair_id"]): json.loads(row["provenance"]).get("kind", "") for row in self.questions}
        return replace(self, answers=self.answers.grouped(kinds))


def publish_report(task: Task[ReportSettings], title: str, modules: TableModules) -> None:
    """Publishes every text file of the aggregation, and what the site shows."""
    how = task.settings
    found = YamlResults.of(task, title, _stages(task), rule=how.rule, judge=how.judge, by_image=True)
    items, views = _items(task, found)
    publish(task, report_of(modules, title, found, found.headline), items, views)


def _stages(task: Task[ReportSettings]) -> list[FunnelStage]:
    """Counts of every stage, each from its own artifacts; candidates and pairs are counted in stages of their own."""
    unread, not_chosen, wrong = (reasons(task.rows(role)) for role in ("unread", "not chosen", "wrong"))
    of_labels = list(task.rows("refused"))
    refused = reasons(row for row in of_labels if not is_of_label(row))
    rows, candidates = task.count("rows"), task.count("candidates")
    chosen, computed, questions = (task.count(role) // 2 for role in ("chosen", "computed", "questions"))
    return [
        FunnelStage("extract", "rows", rows + sum(unread.values()), rows, unread),
        FunnelStage("filter", "candidates", candidates, chosen, not_chosen),
        FunnelStage("verify answers", "pairs", chosen, computed, wrong),
        *labels_stage(task.rows("judgements"), of_labels),
        FunnelStage("verify", "pairs", computed, questions, refused),
    ]


def _items(task: Task[ReportSettings], found: YamlResults) -> tuple[Iterator[Item], list[ItemView]]:
    """An item for each pair, and a view of the first pairs of each template."""
    first: dict[str, list[str]] = {}
    for row in found.questions:
        of_template = first.setdefault(row["group"], [])
        if row["pair_id"] not in of_template and len(of_template) < _IN_VIEW:
            of_template.append(row["pair_id"])
    shown = {pair for pairs in first.values() for pair in pairs}
    systems = shown_systems(
        task,
        CHOOSER,
        {(key, ""): name for key, name in found.names.items()},
        task.settings.rule,
        [(key, "") for key in found.by_mean],
    )
    view = ItemView(_VIEW, "Examples", f"The first {_IN_VIEW} pairs of each template.")
    items = question_items(task, found.questions, systems, _about(shown), variants=_LABELS, judged=found.judged)
    return items, [view]


def _about(shown: set[str]) -> Callable[[str, Sequence[Row]], About]:
    def about(item_id: str, rows: Sequence[Row]) -> About:
        told = json.loads(rows[0]["provenance"])
        kind = [f"Kind: {told['kind']}"] if told.get("kind") else []
        notes = (f"Template: {rows[0]['group']}", f"Row: {told['row']}", *kind)
        return About(title_of(rows), notes, (_VIEW,) if item_id in shown else ())

    return about
