"""The results of C-VQA-Synthetic: Table 7 and its companion tables, a plot, a gallery and a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from whatif import artifacts
from whatif.artifacts.ahead import read_ahead
from whatif.artifacts.schemas import PREDICTIONS, QUESTIONS
from whatif.benchmarks.cvqa_synthetic.gallery import puzzle_gallery
from whatif.benchmarks.cvqa_synthetic.questions import GROUPS
from whatif.benchmarks.cvqa_synthetic.settings import ReportSettings
from whatif.benchmarks.cvqa_synthetic.tables import Table7, table7
from whatif.benchmarks.shared.dimensions import CHOOSER
from whatif.benchmarks.shared.pilots import Pilot, marked, pilots_of
from whatif.benchmarks.shared.reports import costs_of, publish
from whatif.benchmarks.shared.tasks import evaluation_stage, limits_of, names_of, with_predictions
from whatif.graph.task import Task
from whatif.reporting.funnel import FunnelStage, funnel, reasons
from whatif.reporting.model_drops import compare_drops, drops
from whatif.reporting.plots import accuracy_points, accuracy_scatter, points_csv
from whatif.reporting.report import Report
from whatif.reporting.shortcuts import shortcuts
from whatif.reporting.table import Table
from whatif.reporting.twin_answers import PREDICTION_COLUMNS, QUESTION_COLUMNS
from whatif.reporting.twin_rows import headline
from whatif.reporting.twins import ALL
from whatif.shortcuts.audit import RULES, VARIANTS, Shortcut

NAME = "cvqa-synthetic"
TITLE = "C-VQA-Synthetic"


def publish_report(task: Task[ReportSettings]) -> None:
    """Publishes every text file of this benchmark's aggregation."""
    settings, seed = task.settings, task.seed
    names = names_of(task, CHOOSER)
    questions = task.read("questions").to_pylist()
    keys = with_predictions(task, CHOOSER)
    pilots = pilots_of(limits_of(task, CHOOSER, keys), dict.fromkeys(keys, questions), seed, NAME)
    names = marked({key: names[key] for key in keys}, pilots)
    scores, tables = tables_of(task.paths("predictions"), task.paths("questions"), settings, names)
    names = scores.names
    points = accuracy_points(scores.tables["table7"].frame)
    tables += [
        shortcuts(_audits(task), settings.confidence, scores.chance),
        costs_of(task, CHOOSER, names),
        funnel(_funnel(task, pilots)),
    ]
    files = {
        "accuracy.csv": points_csv(points),
        "accuracy.svg": accuracy_scatter(points, scores.chance, TITLE),
        "gallery.html": puzzle_gallery(task, questions, names, scores.by_mean),
    }
    publish(task, Report(TITLE, tables, headline_of(scores), files, {"": "accuracy.svg"}))


def tables_of(
    predictions: Sequence[Path],
    questions: Sequence[Path],
    settings: ReportSettings,
    names: Mapping[str, str],
) -> tuple[Table7, list[Table]]:
    """The tables of predictions, from artifacts; millions of predictions are read in chunks."""
    said = artifacts.batches(
        predictions,
        PREDICTIONS,
        PREDICTION_COLUMNS,
        encoded=["model", "response", "answer", "status"],
    )
    asked = artifacts.batches(questions, QUESTIONS, QUESTION_COLUMNS)
    scores = table7(read_ahead(said), asked, settings, names, settings.rule)
    comparisons = compare_drops(scores.answers, settings=settings)
    compared = drops(comparisons, scores.names, f"{100 * settings.confidence:g}%")
    table = scores.tables
    return scores, [table["table7"], table["templates"], compared, table["letters"], table["rules"]]


def headline_of(scores: Table7) -> dict[str, dict[str, float | int]]:
    """The numbers for `dvc metrics diff`, by model."""
    return {model: headline(groups[ALL]) for model, groups in scores.metrics.items()}


def _audits(task: Task[ReportSettings]) -> dict[str, list[Shortcut]]:
    """The findings of the shortcut audit, by set of questions, in the order of the table."""
    found: dict[str, list[Shortcut]] = {}
    for row in task.rows("shortcuts"):
        found.setdefault(row.pop("set"), []).append(Shortcut(**row))
    return {name: sorted(found[name], key=_place_in_table) for name in sorted(found)}


def _place_in_table(shortcut: Shortcut) -> tuple[int, int]:
    return VARIANTS.index(shortcut.variant), RULES.index(shortcut.rule)


def _funnel(task: Task[ReportSettings], pilots: Mapping[str, Pilot]) -> list[FunnelStage]:
    """Counts of every stage, each from its own artifacts, so that any loss is visible at its stage."""
    flowers = task.count("flowers")
    unused, filtered, refused = (reasons(task.rows(role)) for role in ("unused flowers", "filtered", "refused"))
    planned = len(GROUPS) * task.settings.puzzles_per_template
    generated = task.count("puzzles")
    after_filter = task.count("filtered questions") // 2
    verified = task.count("questions") // 2
    stages = [
        FunnelStage("extract", "flower pictures", flowers + sum(unused.values()), flowers, unused),
        FunnelStage("generate", "pairs", planned, generated),
        FunnelStage("filter", "pairs", generated, after_filter, filtered),
        FunnelStage("verify", "pairs", after_filter, verified, refused),
    ]
    for model, paths in task.paths_by(CHOOSER, "predictions").items():
        left_out = 2 * (pilots[model].total - len(pilots[model].pairs)) if model in pilots else 0
        stages.append(evaluation_stage(paths, model, 2 * verified, not_in_sample=left_out))
    return stages
