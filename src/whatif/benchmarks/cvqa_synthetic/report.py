"""What C-VQA-Synthetic ends in: metrics, Table 7 and its companions, a plot, and a report that holds them all."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from types import MappingProxyType

from whatif import artifacts
from whatif.artifacts.schemas import PREDICTIONS, QUESTIONS
from whatif.benchmarks.cvqa_synthetic.gallery import puzzle_gallery
from whatif.benchmarks.cvqa_synthetic.questions import GROUPS
from whatif.benchmarks.cvqa_synthetic.settings import ReportSettings
from whatif.benchmarks.shared.c_vqa_tables import PlotRow, Table7, table7
from whatif.benchmarks.shared.dimensions import CHOOSER
from whatif.benchmarks.shared.pilots import Pilot, in_metrics, marked, pilots_of
from whatif.benchmarks.shared.tasks import (
    evaluation_stage,
    limits_of,
    names_of,
    publish_tables,
    report,
    spending,
    with_predictions,
)
from whatif.graph.task import Task
from whatif.reporting.formats import DisplayTable
from whatif.reporting.funnel import FunnelStage, funnel_table, reasons
from whatif.reporting.model_drops import Comparison, compare_drops, drops_table, headline
from whatif.reporting.precision import Precision
from whatif.reporting.shortcuts import audit_table
from whatif.reporting.twins import PREDICTION_COLUMNS, QUESTION_COLUMNS
from whatif.shortcuts.audit import RULES, VARIANTS, Shortcut

NAME = "cvqa-synthetic"
FOLDER = f"metrics/{NAME}"
# File name -> heading in the report.
TABLES = {
    "table7": "Accuracy",
    "templates": "By template",
    "drops": "Models' drops compared",
    "letters": "Letters chosen",
    "shortcuts": "Shortcut audit",
    "costs": "Tokens, cost and errors",
    "funnel": "Funnel",
}


def publish_report(task: Task[ReportSettings]) -> None:
    """Publishes every text file of this benchmark's aggregation."""
    from whatif.reporting.plots import accuracy_scatter

    settings, seed = task.settings, task.seed
    names = names_of(task, CHOOSER)
    questions = task.read("questions").to_pylist()
    keys = with_predictions(task, CHOOSER)
    pilots = pilots_of(limits_of(task, CHOOSER, keys), dict.fromkeys(keys, questions), seed, NAME)
    names = marked({key: names[key] for key in keys}, pilots)
    scores, comparisons = scores_of(task.paths("predictions"), task.paths("questions"), settings, names)
    tables = {
        **tables_of(scores, comparisons, settings, names),
        "shortcuts": audit_table(_audits(task), settings.confidence, scores.chance),
        "costs": spending(task, CHOOSER, names),
        "funnel": funnel_table(_funnel(task, pilots)),
    }
    publish = task.outputs.publish
    publish(f"metrics/{NAME}.json", metrics_of(scores, comparisons, settings, pilots))
    publish(f"{FOLDER}/gallery.html", puzzle_gallery(task, questions, names))
    publish(f"{FOLDER}/accuracy.csv", _plot_csv(scores).encode())
    publish(f"{FOLDER}/accuracy.svg", accuracy_scatter(scores.plot_rows, scores.chance, "C-VQA-Synthetic"))
    publish(f"{FOLDER}/report.md", report("C-VQA-Synthetic", tables, TABLES, {"": "accuracy.svg"}).encode())
    publish_tables(task, FOLDER, tables)


def _audits(task: Task[ReportSettings]) -> dict[str, list[Shortcut]]:
    """What the shortcut audit found, by set of questions, in the order of the table."""
    found: dict[str, list[Shortcut]] = {}
    for row in task.rows("shortcuts"):
        found.setdefault(row.pop("set"), []).append(Shortcut(**row))
    return {name: sorted(found[name], key=_place_in_table) for name in sorted(found)}


def _place_in_table(shortcut: Shortcut) -> tuple[int, int]:
    return VARIANTS.index(shortcut.variant), RULES.index(shortcut.rule)


def scores_of(
    predictions: Sequence[Path],
    questions: Sequence[Path],
    settings: Precision,
    names: Mapping[str, str],
) -> tuple[Table7, list[Comparison]]:
    """Table 7 and the models' drops compared, from artifacts; millions of predictions are read a piece at a time."""
    said = artifacts.batches(
        predictions,
        PREDICTIONS,
        PREDICTION_COLUMNS,
        encoded=["model", "response", "answer", "status"],
        present=["choice_scores"],
    )
    asked = artifacts.batches(questions, QUESTIONS, QUESTION_COLUMNS)
    scores = table7(said, asked, settings, names)
    return scores, compare_drops(scores.answers, settings=settings)


def tables_of(
    scores: Table7, comparisons: Sequence[Comparison], settings: Precision, names: Mapping[str, str]
) -> dict[str, DisplayTable]:
    """The tables that are made of predictions."""
    return {
        "table7": scores.tables["main"],
        "templates": scores.tables["groups"],
        "drops": drops_table(comparisons, names, f"{100 * settings.confidence:g}%"),
        "letters": scores.tables["letters"],
    }


def metrics_of(
    scores: Table7,
    comparisons: Sequence[Comparison],
    settings: Precision,
    pilots: Mapping[str, Pilot] = MappingProxyType({}),
) -> bytes:
    """The numbers as JSON."""
    # No key of a model has an underscore.
    metrics = {**in_metrics(scores.metrics, pilots), "drops_compared": headline(comparisons, 1 - settings.confidence)}
    return (json.dumps(metrics, indent=2, sort_keys=True, allow_nan=False) + "\n").encode()


def _funnel(task: Task[ReportSettings], pilots: Mapping[str, Pilot]) -> list[FunnelStage]:
    """Counts of every stage, each from its own artifacts, so that a loss anywhere shows where it happened."""
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


def _plot_csv(scores: Table7) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, [field.name for field in fields(PlotRow)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in scores.plot_rows)
    return text.getvalue()
