"""The results of CFMM, from which its tables and figures are made, and their publication with the items of the site."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from whatif.benchmarks.cfmm.funnel_stages import stages_of
from whatif.benchmarks.cfmm.item_answers import Asked, ItemAnswers
from whatif.benchmarks.cfmm.item_views import cfmm_items, system_name
from whatif.benchmarks.cfmm.measures import ACCURACIES, ALL, TOTAL, Row, measures
from whatif.benchmarks.cfmm.reported import prompt_name, reported
from whatif.benchmarks.cfmm.schemas import BASIC
from whatif.benchmarks.cfmm.settings import ReportSettings
from whatif.benchmarks.shared.dimensions import CHOOSER
from whatif.benchmarks.shared.pilots import pilots_of
from whatif.benchmarks.shared.reports import publish, systems_of
from whatif.benchmarks.shared.results import SystemResults
from whatif.benchmarks.shared.tasks import limits_of
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.graph.task import Task
from whatif.formats.cfmm_items import CATEGORIES
from whatif.results.reporting.answers import COLUMNS, System
from whatif.results.reporting.beside import rows_beside
from whatif.results.reporting.declared import report_of
from whatif.results.reporting.table import DROP, OURS
from whatif.results.reporting.table_modules import TableModules

PLACE = ("model", "name", "source", "strategy", "prompt")
BY_SYSTEM = {"model": "", "name": "Model", "strategy": "", "prompt": "Prompt"}
BESIDE = {"model": "", "name": "Model", "source": "From", "strategy": "", "prompt": "Prompt"}
ONLY_OURS = {"source": OURS}
NUMBERS = ("value", "low", "high", "n")


@dataclass(frozen=True, kw_only=True, eq=False)
class Cfmm(SystemResults):
    """The results of CFMM; its tables show some of the `measured` and the reported rows."""

    answers: ItemAnswers

    @property
    def asked(self) -> Asked:
        """The questions in arrays."""
        return self.answers.questions

    @property
    def first_variant(self) -> str:
        """The variant of the first question of a pair."""
        return BASIC

    @property
    def chance(self) -> float:
        """The accuracy of guessing in percent."""
        return 100 * float((1 / self.asked.options).mean())

    @property
    def about_totals(self) -> str:
        """What readers of totals have to know: an unusual rule of ranking, and images that several categories share."""
        shared = self.asked.shared_images
        told = (
            f"Images with items of several categories: {shared:,}. Intervals and tests of totals take the categories "
            "as independent, so with such images they are approximate."
        )
        return f"{self.ranked_by} {told}".strip() if shared else self.ranked_by

    def place(self, system: System) -> dict[str, str]:
        """The identifying columns of a system."""
        return {**super().place(system), "prompt": prompt_name(system[1])}

    @cached_property
    def measured(self) -> dict[System, list[Row]]:
        """The measures of each of our systems (`whatif.benchmarks.cfmm.measures`)."""
        return {
            system: [
                {**self.place(system), **row} for row in measures(self.answers, number, self.settings, self.task.seed)
            ]
            for number, system in enumerate(self.answers.systems)
        }

    def beside(self, keep: Callable[[Row], bool]) -> Iterator[Row]:
        """The rows to keep: those of each reported system, then ours of its name, then those of our other models."""
        ours = [row for rows in self.measured.values() for row in rows]
        return (dict(row) for row in rows_beside(*([*filter(keep, rows)] for rows in (reported(), ours))))

    @property
    def headline(self) -> dict[str, Any]:
        """The headline numbers: model -> strategy -> numbers.

        Accuracies are means over all questions in percent, totals sums over the categories, and `drop` is basic minus
        counterfactual accuracy over pairs in points.
        """
        found: dict[str, Any] = {}
        for (model, strategy), rows in self.measured.items():
            of_all = {row["measure"]: row for row in rows if row["category"] == ALL}
            found.setdefault(model, {})[strategy] = {
                **{name: of_all[name]["value"] for name in (*ACCURACIES, DROP)},
                "items": of_all["acc_b"]["n"],
                "pairs": of_all["acc_c"]["n"],
                **{
                    f"total_{row['measure']}": row["value"]
                    for row in rows
                    if row["category"] == TOTAL and row["measure"] in ACCURACIES
                },
            }
        return found


def publish_report(task: Task[ReportSettings], title: str, modules: TableModules) -> None:
    """Publishes every text file of this benchmark's aggregation."""
    questions = task.read("questions").to_pylist()
    systems = systems_of(task, CHOOSER, task.settings.strategies)
    keys = list(dict.fromkeys(model for model, _ in systems))
    pilots = pilots_of(limits_of(task, CHOOSER, keys), dict.fromkeys(keys, questions), task.seed, task.benchmark)
    answers = ItemAnswers(
        artifacts.batches(task.paths("predictions"), PREDICTIONS, COLUMNS),
        Asked.of(questions, CATEGORIES),
        systems,
        {key: pilot.pairs for key, pilot in pilots.items()},
    )
    found = Cfmm.of(task, title, questions, answers, pilots, unit="item", stages=stages_of(task, pilots))
    shown = {system: system_name(found.names[system[0]], system[1]) for system in systems}
    items, views = cfmm_items(task, questions, found.asked.categories, shown, found.by_mean, judged=found.judged)
    publish(task, report_of(modules, title, found, found.headline), items, views)
