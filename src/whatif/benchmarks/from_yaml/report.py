"""The results of a benchmark in a YAML file: headline metrics, tables, a report and the items of the site."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from whatif.benchmarks.from_yaml.settings import ReportSettings
from whatif.benchmarks.from_yaml.tables import (
    accuracy,
    by_group,
    chance_of,
    drawn,
    kinds_metrics,
    letters,
    shared_images,
)
from whatif.benchmarks.shared.dimensions import CHOOSER
from whatif.benchmarks.shared.judged_rows import with_judged_rows
from whatif.benchmarks.shared.pilots import Pilot, marked, pilots_of
from whatif.benchmarks.shared.question_items import About, question_items, shown_systems, title_of
from whatif.benchmarks.shared.reports import audits_of, costs_of, judged_of, publish, reading_of
from whatif.benchmarks.shared.tasks import evaluation_stage, limits_of, names_of, with_predictions
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.graph.task import Task
from whatif.engine.language.strategies import DIRECT
from whatif.results.reporting.funnel import FunnelStage, funnel, reasons
from whatif.results.reporting.items import Item, ItemView
from whatif.results.reporting.judged import Judged
from whatif.results.reporting.paired import PairedSystem, PairedText, paired
from whatif.results.reporting.paired_answers import answers_of_twins, pairs_of_twins
from whatif.results.reporting.paired_answers import by_group as outcomes_by_group
from whatif.results.reporting.ranking_rules import marked as ranked_by_mean
from whatif.results.reporting.ranking_rules import rank_by, ranking_rules
from whatif.results.reporting.report import Report
from whatif.results.reporting.shortcuts import shortcuts
from whatif.results.reporting.table import OURS, Table
from whatif.results.reporting.twin_answers import PREDICTION_COLUMNS, TwinAnswers
from whatif.results.reporting.twin_rows import headline
from whatif.results.reporting.twins import ALL, twin_metrics

_IN_VIEW = 3  # pairs of each template in the view
_VIEW = "examples"
_LABELS = {"original": "", "counterfactual": ""}
Row = Mapping[str, Any]


def publish_report(task: Task[ReportSettings], title: str) -> None:
    """Publishes every text file of the aggregation, and what the site shows."""
    settings = task.settings
    questions = task.read("questions").to_pylist()
    images = shared_images(questions)
    keys = with_predictions(task, CHOOSER)
    pilots = pilots_of(limits_of(task, CHOOSER, keys), dict.fromkeys(keys, questions), task.seed, task.benchmark)
    names = marked({key: name for key, name in names_of(task, CHOOSER).items() if key in keys}, pilots)
    answers = TwinAnswers(_predictions(task), questions, names)
    by_mean = rank_by(answers, settings.rule)
    names = ranked_by_mean(names, by_mean)
    metrics = twin_metrics(answers, (), settings, names, images=images)
    level = f"{100 * settings.confidence:g}%"
    chance = chance_of(questions)
    judged = judged_of(task, settings.judge, questions, names)
    places = {(key, DIRECT): {"model": key, "name": name, "source": OURS} for key, name in names.items()}
    table = accuracy(metrics, names, chance, level, title)
    tables = (
        with_judged_rows(task, table, judged, questions, places, confidence=settings.confidence),
        _paired(answers, settings, names, title, images),
        by_group(metrics, names, level, title),
        by_group(_by_kind(task, questions, names, images), names, level, title, kinds=True),
        letters(metrics, names, title),
        ranking_rules(answers, names, settings, settings.rule, title),
        drawn(shortcuts(audits_of(task), settings.confidence, chance["original"]), questions, settings.draws),
        reading_of(task, names),
        costs_of(task, CHOOSER, names),
        funnel(_funnel(task, pilots)),
    )
    numbers = {model: headline(groups[ALL]) for model, groups in metrics.items()}
    items, views = _items(task, questions, names, by_mean, judged)
    publish(task, Report(title, tables, numbers), items, views)


def _predictions(task: Task[ReportSettings]) -> Iterator[Any]:
    return artifacts.batches(task.paths("predictions"), PREDICTIONS, PREDICTION_COLUMNS)


def _paired(
    answers: TwinAnswers,
    settings: ReportSettings,
    names: Mapping[str, str],
    title: str,
    images: Mapping[str, str] | None,
) -> Table:
    pairs = pairs_of_twins(answers, images)
    systems = (
        PairedSystem(model, names[model], dict(outcomes_by_group(pairs, given)))
        for model, given in answers_of_twins(answers)
    )
    level, unit = f"{100 * settings.confidence:g}%", "pair" if images is None else "picture"
    return paired(systems, settings.confidence, PairedText(title, level, unit, group="Template"))


def _by_kind(
    task: Task[ReportSettings], questions: Sequence[Row], names: Mapping[str, str], images: Mapping[str, str] | None
) -> dict[str, dict[str, Any]]:
    found = kinds_metrics(_predictions(task), questions, task.settings, names, images)
    return {model: {kind: numbers for kind, numbers in of_model.items() if kind} for model, of_model in found.items()}


def _funnel(task: Task[ReportSettings], pilots: Mapping[str, Pilot]) -> list[FunnelStage]:
    """Counts of every stage, each from its own artifacts; candidates and pairs are counted in stages of their own."""
    unread, not_chosen, wrong, refused = (
        reasons(task.rows(role)) for role in ("unread", "not chosen", "wrong", "refused")
    )
    rows, candidates = task.count("rows"), task.count("candidates")
    chosen, computed, questions = (task.count(role) // 2 for role in ("chosen", "computed", "questions"))
    stages = [
        FunnelStage("extract", "rows", rows + sum(unread.values()), rows, unread),
        FunnelStage("filter", "candidates", candidates, chosen, not_chosen),
        FunnelStage("verify answers", "pairs", chosen, computed, wrong),
        FunnelStage("verify", "pairs", computed, questions, refused),
    ]
    for model, paths in task.paths_by(CHOOSER, "predictions").items():
        left_out = 2 * (pilots[model].total - len(pilots[model].pairs)) if model in pilots else 0
        stages.append(evaluation_stage(paths, model, task.count("questions"), not_in_sample=left_out))
    return stages


def _items(
    task: Task[ReportSettings],
    questions: Sequence[dict[str, Any]],
    names: Mapping[str, str],
    by_mean: Sequence[str],
    judged: Judged | None,
) -> tuple[Iterator[Item], list[ItemView]]:
    """An item for each pair, and a view of the first pairs of each template."""
    first: dict[str, list[str]] = {}
    for row in questions:
        of_template = first.setdefault(row["group"], [])
        if row["pair_id"] not in of_template and len(of_template) < _IN_VIEW:
            of_template.append(row["pair_id"])
    shown = {pair for pairs in first.values() for pair in pairs}
    systems = shown_systems(
        task,
        CHOOSER,
        {(key, ""): name for key, name in names.items()},
        task.settings.rule,
        [(key, "") for key in by_mean],
    )
    view = ItemView(_VIEW, "Examples", f"The first {_IN_VIEW} pairs of each template.")
    return question_items(task, questions, systems, _about(shown), variants=_LABELS, judged=judged), [view]


def _about(shown: set[str]) -> Callable[[str, Sequence[Row]], About]:
    def about(item_id: str, rows: Sequence[Row]) -> About:
        told = json.loads(rows[0]["provenance"])
        kind = [f"Kind: {told['kind']}"] if told.get("kind") else []
        notes = (f"Template: {rows[0]['group']}", f"Row: {told['row']}", *kind)
        return About(title_of(rows), notes, (_VIEW,) if item_id in shown else ())

    return about
