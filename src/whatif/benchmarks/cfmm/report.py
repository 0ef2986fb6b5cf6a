"""The results of CFMM: Tables 1 to 3, totals, the fall from basic questions, Figure 4, a report and items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whatif.benchmarks.cfmm.drop_tables import drops
from whatif.benchmarks.cfmm.figures import figure4, totals_figure
from whatif.benchmarks.cfmm.funnel_stages import stages_of
from whatif.benchmarks.cfmm.item_answers import Asked, ItemAnswers
from whatif.benchmarks.cfmm.item_views import cfmm_items, system_name
from whatif.benchmarks.cfmm.measures import ACCURACIES, ALL, Measures, measures
from whatif.benchmarks.cfmm.paired_table import paired_questions
from whatif.benchmarks.cfmm.ranking_table import ranking_table
from whatif.benchmarks.cfmm.reported import Reported, reported
from whatif.benchmarks.cfmm.set_tables import set_statistics, set_table, table1
from whatif.benchmarks.cfmm.settings import ReportSettings
from whatif.benchmarks.cfmm.tables import Results, table2, table3, totals
from whatif.benchmarks.shared.annotator_tables import annotator_tables
from whatif.benchmarks.shared.dimensions import CHOOSER
from whatif.benchmarks.shared.judged_rows import with_judged_rows
from whatif.benchmarks.shared.pilots import marked, pilots_of
from whatif.benchmarks.shared.reports import audits_of, costs_of, judged_of, publish, reading_of, systems_of
from whatif.benchmarks.shared.tasks import limits_of, names_of
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.graph.task import Task
from whatif.formats.cfmm_items import CATEGORIES
from whatif.results.reporting.answers import COLUMNS, System
from whatif.results.reporting.funnel import funnel
from whatif.results.reporting.plots import Point, points_csv
from whatif.results.reporting.precision import percent
from whatif.results.reporting.ranking_rules import marked as marked_by_rule
from whatif.results.reporting.report import Report
from whatif.results.reporting.shortcuts import shortcuts
from whatif.results.reporting.table import OURS, REPORTED
from whatif.scoring.ranking_rules import STORED
from whatif.scoring.statistics import Interval

TITLE = "CFMM"


def publish_report(task: Task[ReportSettings]) -> None:
    """Publishes every text file of this benchmark's aggregation."""
    settings = task.settings.aggregate
    questions = task.read("questions").to_pylist()
    systems = systems_of(task, CHOOSER, task.settings.strategies)
    keys = list(dict.fromkeys(model for model, _ in systems))
    pilots = pilots_of(limits_of(task, CHOOSER, keys), dict.fromkeys(keys, questions), task.seed, task.benchmark)
    sampled = marked({key: name for key, name in names_of(task, CHOOSER).items() if key in keys}, pilots, unit="item")
    answers = ItemAnswers(
        artifacts.batches(task.paths("predictions"), PREDICTIONS, COLUMNS),
        Asked.of(questions, CATEGORIES),
        systems,
        {key: pilot.pairs for key, pilot in pilots.items()},
    )
    by_mean = answers.rank_by(settings.rule)
    names = marked_by_rule(sampled, [model for model, _ in by_mean])
    ranked_by = "" if settings.rule == STORED else f"Ranked options are compared by {settings.rule}."
    results = Results(
        dict(zip(systems, measures(answers, settings, task.seed), strict=True)),
        names,
        answers.questions,
        f"{100 * settings.confidence:g}%",
        ranked_by,
    )
    printed = reported()
    images = {image for row in questions for image in row["image_ids"]}
    sources = sorted({row["source"] for row in task.rows("images", ["image_id", "source"], image_id=images)})
    chance = 100 * float((1 / answers.questions.options).mean())
    tables = [
        table3(results, printed),
        table2(results, printed),
        totals(results),
        drops(results, printed),
        paired_questions(answers, results, settings, printed),
        table1(questions, sources),
        set_table(questions, settings, task.settings.second_option, imported=task.settings.items is not None),
        shortcuts(audits_of(task), settings.confidence, chance),
        ranking_table(answers, sampled, settings, settings.rule),
        *annotator_tables(task.rows("judgements"), task.rows("gold"), settings, task.seed, task.settings.resolution),
        reading_of(task, names),
        costs_of(task, CHOOSER, names),
        funnel(stages_of(task, pilots)),
    ]
    judged = judged_of(task, task.settings.judge, questions, names)
    places = {system: results.place(system) for system in systems}
    tables[1] = with_judged_rows(task, tables[1], judged, questions, places, confidence=settings.confidence)
    shown = {system: system_name(names[system[0]], system[1]) for system in systems}
    files = {
        "accuracy.csv": points_csv(points_of(results, printed)),
        "totals.svg": totals_figure(results),
        "figure4.svg": figure4(set_statistics(questions)),
    }
    figures = {"": "totals.svg", "set": "figure4.svg"}
    items, views = cfmm_items(task, questions, answers.questions.categories, shown, by_mean, judged=judged)
    publish(task, Report(TITLE, tables, headline_of(results.systems), files, figures), items, views)


def headline_of(systems: Mapping[System, Measures]) -> dict[str, Any]:
    """The numbers for `dvc metrics diff`: model -> strategy -> numbers.

    Accuracies are means over all questions in percent, totals sums over the categories, and `drop` is basic minus
    counterfactual accuracy over pairs in points.
    """
    found: dict[str, Any] = {}
    for (model, strategy), of_system in systems.items():
        scores = of_system.scores[ALL]
        numbers: dict[str, float | int] = {
            **{name: percent(scores.accuracies[name].estimate) for name in ACCURACIES},
            "drop": percent(scores.drop.interval.estimate),
            "items": scores.items,
            "pairs": scores.pairs,
        }
        if of_system.totals is not None:
            numbers |= {f"total_{name}": percent(one.estimate) for name, one in of_system.totals.accuracies.items()}
        found.setdefault(model, {})[strategy] = numbers
    return found


def points_of(results: Results, printed: Reported) -> list[Point]:
    """acc_b and acc_c of each reported system, and of ours with totals, as means over the categories in percent."""
    found = []
    for (name, strategy), cells in printed.totals.items():
        basic, counterfactual = (round(float(cells[one]) / len(CATEGORIES), 4) for one in ("acc_b", "acc_c"))
        found.append(Point(name, system_name(name, strategy), REPORTED, basic, counterfactual))
    number = len(results.questions.categories)
    for system, of_system in results.systems.items():
        if of_system.totals is not None:
            before, after = (_mean(of_system.totals.accuracies[one], number) for one in ("acc_b", "acc_c"))
            place = results.place(system)
            label = system_name(place["name"], place["strategy"])
            ends = (before.low, before.high, after.low, after.high)
            found.append(Point(place["model"], label, OURS, before.estimate, after.estimate, *ends))
    return found


def _mean(total: Interval, number: int) -> Interval:
    return Interval(*(percent(end / number) for end in (total.estimate, total.low, total.high)))
