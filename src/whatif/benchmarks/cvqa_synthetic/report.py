"""The results of a set of puzzles: Table 7 and its companion tables, a plot, a report and items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from whatif.benchmarks.cvqa_synthetic.counting import counted
from whatif.benchmarks.cvqa_synthetic.item_views import puzzle_items
from whatif.benchmarks.cvqa_synthetic.paired_table import paired_puzzles
from whatif.benchmarks.cvqa_synthetic.questions import TEMPLATES
from whatif.benchmarks.cvqa_synthetic.settings import RankedReport
from whatif.benchmarks.cvqa_synthetic.tables import OWN, Table7, Wording, table7
from whatif.benchmarks.shared.dimensions import CHOOSER
from whatif.benchmarks.shared.judged_rows import with_judged_rows
from whatif.benchmarks.shared.pilots import Pilot, marked, pilots_of
from whatif.benchmarks.shared.reports import audits_of, costs_of, judged_of, publish, reading_of
from whatif.benchmarks.shared.tasks import evaluation_stage, limits_of, names_of, with_predictions
from whatif.engine import artifacts
from whatif.engine.artifacts.ahead import read_ahead
from whatif.engine.artifacts.schemas import PREDICTIONS, QUESTIONS
from whatif.engine.graph.task import Task
from whatif.engine.language.strategies import DIRECT
from whatif.results.reporting.funnel import FunnelStage, funnel
from whatif.results.reporting.model_drops import compare_drops, drops
from whatif.results.reporting.plots import accuracy_points, accuracy_scatter, points_csv
from whatif.results.reporting.programs import programs
from whatif.results.reporting.report import Report
from whatif.results.reporting.shortcuts import shortcuts
from whatif.results.reporting.table import OURS, REPORTED, Table
from whatif.results.reporting.twin_answers import PREDICTION_COLUMNS, QUESTION_COLUMNS
from whatif.results.reporting.twin_rows import headline
from whatif.results.reporting.twins import ALL


@dataclass(frozen=True)
class PuzzleSet:
    """What a report needs to know of a set of puzzles.

    stages: the funnel before models are asked. everything: the number of all flowers or dots, by pair, where it is
    known; known: for which pairs that is, in words. further: tables of this set alone, by the name of the table that
    they precede.
    """

    stages: Sequence[FunnelStage]
    everything: Mapping[str, int]
    known: str
    wording: Wording = OWN
    further: Mapping[str, Table] = field(default_factory=dict)


def publish_report(task: Task[RankedReport], puzzles: PuzzleSet) -> None:
    """Publishes every text file of the aggregation of a set of puzzles."""
    settings, seed, title = task.settings, task.seed, puzzles.wording.title
    names = names_of(task, CHOOSER)
    questions = task.read("questions").to_pylist()
    keys = with_predictions(task, CHOOSER)
    pilots = pilots_of(limits_of(task, CHOOSER, keys), dict.fromkeys(keys, questions), seed, task.benchmark)
    names = marked({key: names[key] for key in keys}, pilots)
    scores, tables = tables_of(task.paths("predictions"), task.paths("questions"), settings, names, puzzles.wording)
    names = scores.names
    frame = scores.tables["table7"].frame
    points = accuracy_points(frame[frame["source"].isin([OURS, REPORTED])])
    tables += [
        counted(
            scores.answers,
            questions,
            puzzles.everything,
            settings=settings,
            names=names,
            title=title,
            known=puzzles.known,
        ),
        scores.tables["rules"],
        shortcuts(audits_of(task), settings.confidence, scores.chance),
        reading_of(task, names),
        costs_of(task, CHOOSER, names),
        programs(task.rows("program-findings"), questions, names, settings, list(TEMPLATES)),
        funnel([*puzzles.stages, *_evaluations(task, pilots)]),
    ]
    files = {
        "accuracy.csv": points_csv(points),
        "accuracy.svg": accuracy_scatter(points, scores.chance, title),
    }
    judged = judged_of(task, settings.judge, questions, names)
    places = {(key, DIRECT): {"model": key, "name": name, "source": OURS} for key, name in names.items()}
    tables[0] = with_judged_rows(task, tables[0], judged, questions, places, confidence=settings.confidence)
    shown = [one for table in tables for one in (puzzles.further.get(table.name), table) if one is not None]
    items, views = puzzle_items(task, questions, names, scores.by_mean, judged)
    publish(task, Report(title, shown, headline_of(scores), files, {"": "accuracy.svg"}), items, views)


def tables_of(
    predictions: Sequence[Path],
    questions: Sequence[Path],
    settings: RankedReport,
    names: Mapping[str, str],
    wording: Wording = OWN,
) -> tuple[Table7, list[Table]]:
    """Table 7 and the first tables after it, from artifacts; millions of predictions are read in chunks."""
    said = artifacts.batches(
        predictions,
        PREDICTIONS,
        PREDICTION_COLUMNS,
        encoded=["model", "response", "answer", "status"],
    )
    asked = artifacts.batches(questions, QUESTIONS, QUESTION_COLUMNS)
    scores = table7(read_ahead(said), asked, settings, names, settings.rule, wording=wording)
    comparisons = compare_drops(scores.answers, settings=settings)
    compared = drops(comparisons, scores.names, f"{100 * settings.confidence:g}%")
    table = scores.tables
    both = paired_puzzles(scores.answers, settings, scores.names, wording.title, wording.reported)
    return scores, [table["table7"], both, table["templates"], compared, table["letters"]]


def headline_of(scores: Table7) -> dict[str, dict[str, float | int]]:
    """The numbers for `dvc metrics diff`, by model."""
    return {model: headline(groups[ALL]) for model, groups in scores.metrics.items()}


def _evaluations(task: Task[RankedReport], pilots: Mapping[str, Pilot]) -> list[FunnelStage]:
    """The stage of each model: questions answered and not answered."""
    stages = []
    for model, paths in task.paths_by(CHOOSER, "predictions").items():
        left_out = 2 * (pilots[model].total - len(pilots[model].pairs)) if model in pilots else 0
        stages.append(evaluation_stage(paths, model, task.count("questions"), not_in_sample=left_out))
    return stages
