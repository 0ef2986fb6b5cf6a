"""The results of MuCR: tables beside the reported numbers, the drop from text to images, figures, and a report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from whatif.benchmarks.mucr import figures
from whatif.benchmarks.mucr.asked_items import AskedItems
from whatif.benchmarks.mucr.dimensions import TUNED
from whatif.benchmarks.mucr.factor_tables import context, languages, styles
from whatif.benchmarks.mucr.funnel_stages import stages_of
from whatif.benchmarks.mucr.headline import headline_of, points_of
from whatif.benchmarks.mucr.main_tables import gap, table6, table7
from whatif.benchmarks.mucr.results import Attempts, Results
from whatif.benchmarks.mucr.rules_table import rules
from whatif.benchmarks.mucr.set_tables import SetCounts, set_table
from whatif.benchmarks.mucr.settings import ReportSettings
from whatif.benchmarks.mucr.site_items import site_items
from whatif.benchmarks.mucr.tuning_table import table4
from whatif.benchmarks.mucr.variation_tables import table1, table2, table3
from whatif.benchmarks.shared.annotator_tables import annotator_tables
from whatif.benchmarks.shared.dimensions import CHOOSER
from whatif.benchmarks.shared.judged_rows import with_judged_rows
from whatif.benchmarks.shared.pilots import Pilot, marked
from whatif.benchmarks.shared.reports import audits_of, costs_of, judged_of, publish, reading_of, systems_of
from whatif.benchmarks.shared.tasks import names_of
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.graph.task import Task
from whatif.engine.params.model_entries import RankingRule
from whatif.results.reporting.answers import COLUMNS, Answers, Flags
from whatif.results.reporting.funnel import funnel
from whatif.results.reporting.ranking_rules import marked as marked_by_rule
from whatif.results.reporting.report import Report
from whatif.results.reporting.shortcuts import shortcuts
from whatif.results.reporting.table import to_csv
from whatif.scoring.ranking_rules import STORED

TITLE = "MuCR"
_NEEDS_IMAGES: RankingRule = "minus-without-image"
_BASELINES = ("random", "first-option", "majority")  # adapters that read neither image nor question


def publish_report(task: Task[ReportSettings]) -> None:
    """Publishes every text file of this benchmark's aggregation, and its items for the site.

    Raises WhatifError when predictions are not those of the questions, as `Answers` and `AskedItems` say.
    """
    settings = task.settings.aggregate
    items = task.read("items").to_pylist()
    rows = task.read("questions").to_pylist()
    questions = AskedItems.of(rows, items)
    systems = systems_of(task, CHOOSER, task.settings.strategies)
    answers = Answers(artifacts.batches(task.paths("predictions"), PREDICTIONS, COLUMNS), questions, systems)
    pilots = checked(answers)
    keys = list(dict.fromkeys(model for model, _ in systems))
    sampled = marked({key: name for key, name in names_of(task, CHOOSER).items() if key in keys}, pilots)
    by_mean = answers.rank_by(settings.rule)
    attempts = list(task.rows("attempts"))
    results = Results(
        answers,
        marked_by_rule(sampled, [model for model, _ in by_mean]),
        settings,
        task.settings.strategies,
        dict(_tuned(task, questions)),
        Attempts.of(attempts, questions) if attempts else None,
        frozenset(key for key, fields in task.shown_models(CHOOSER).items() if fields.get("adapter") in _BASELINES),
        _ranked_by(settings.rule),
    )
    counts = set_counts(task, items)
    main, of_styles, of_context, of_languages = table6(results), styles(results), context(results), languages(results)
    tables = [
        main,
        gap(results),
        table1(results),
        table2(results),
        table3(results),
        table4(results),
        table7(results),
        of_styles,
        of_context,
        of_languages,
        set_table(counts),
        shortcuts(audits_of(task), settings.confidence, figures.CHANCE),
        rules(answers, sampled, settings),
        *annotator_tables(task.rows("judgements"), task.rows("gold"), settings, task.seed, task.settings.choices_by),
        reading_of(task, results.names),
        costs_of(task, CHOOSER, results.names),
        funnel(stages_of(task, answers)),
    ]
    judged = judged_of(task, task.settings.judge, rows, results.names)
    places = {system: results.place(system) for system in systems}
    groups = {row["question_id"]: row["group_id"] for row in items}
    tables[0] = with_judged_rows(task, main, judged, rows, places, confidence=settings.confidence, clusters=groups)
    of_systems = {(model, strategy): f"{results.names[model]}, {strategy}" for model, strategy in systems}
    files = {
        "accuracy.csv": to_csv(points_of(main)).encode(),
        "figure4.svg": figures.figure4(counts.categories, counts.styles),
        "figure5.svg": figures.figure5(main),
        "figure6.svg": figures.figure6(main),
        "figure8.svg": figures.figure8(of_styles),
        "figure11.svg": figures.figure11(of_context),
        "figure14.svg": figures.figure14(of_languages),
    }
    shown = {
        "": "figure5.svg",
        "table6": "figure6.svg",
        "styles": "figure8.svg",
        "context": "figure11.svg",
        "language": "figure14.svg",
        "set": "figure4.svg",
    }
    shown_items, views = site_items(task, rows, items, of_systems, by_mean, judged=judged)
    publish(task, Report(TITLE, tables, headline_of(results), files, shown), shown_items, views)


def _ranked_by(rule: RankingRule) -> str:
    """What readers have to know about a rule of ranking other than the usual one."""
    if rule == STORED:
        return ""
    needs = " Questions in text have no image, so they count as unanswered." if rule == _NEEDS_IMAGES else ""
    return f"Ranked options are compared by {rule}.{needs}"


def set_counts(task: Task[ReportSettings], items: list[dict[str, Any]]) -> SetCounts:
    """The rows of which the table `set` is made; only pairs that are used count."""
    pairs = list(task.rows("pairs", ["pair_id", "group_id", "category"]))
    used = {row["pair_id"] for row in pairs}
    columns = ["candidate_id", "pair_id", "style", "generator"]
    candidates = [row for role in ("provided", "candidates") for row in task.rows(role, columns)]
    choices = [row for row in task.rows("choices") if row["pair_id"] in used]
    return SetCounts(pairs, [row for row in candidates if row["pair_id"] in used], choices, items)


def checked(answers: Answers[AskedItems]) -> dict[str, Pilot]:
    """The pairs that models were asked which were not asked all, by key of the model.

    Raises WhatifError when a model was asked a kind of question (metric, form, style, hints, language) about some of
    its pairs, and not about the others.
    """
    questions = answers.questions
    cells, total = questions.cells(), len(questions.pairs)
    pairs: dict[str, set[int]] = {}
    for place, (model, _) in enumerate(answers.systems):
        pairs.setdefault(model, set()).update(questions.pair[answers.asked[place]].tolist())

    def wanted(place: int) -> Flags:
        asked = answers.asked[place]
        whose = np.isin(questions.pair, sorted(pairs[answers.systems[place][0]]))
        return np.asarray(whose & np.isin(cells, np.unique(cells[asked])))

    answers.check_asked(wanted)
    every = {
        place: set(questions.pair[np.isin(cells, np.unique(cells[answers.asked[place]]))].tolist())
        for place in range(len(answers.systems))
    }
    found = {}
    for place, (model, _) in enumerate(answers.systems):
        if pairs[model] < every[place]:
            found[model] = Pilot({questions.pairs[one] for one in pairs[model]}, total)
    return found


def _tuned(task: Task[ReportSettings], questions: AskedItems) -> Iterator[tuple[tuple[str, str], Answers[AskedItems]]]:
    """The answers of fine-tuned models by key of the model and seed."""
    given = task.inputs["tuned"]
    for path, wildcards in zip(given.paths, given.wildcards, strict=True):
        rows = list(artifacts.batches([path], PREDICTIONS, COLUMNS))
        systems = list(
            dict.fromkeys(
                (model, strategy)
                for piece in rows
                for model, strategy in zip(piece["model"].to_pylist(), piece["strategy"].to_pylist(), strict=True)
            )
        )
        if systems:
            answers = Answers(rows, questions, systems)
            checked(answers)
            answers.rank_by(task.settings.aggregate.rule)
            yield (wildcards[TUNED.name], wildcards["seed"]), answers
