"""The results of C-VQA-Real: Tables 3, 4 and 5, statistics of the set, its answers and words, and the funnel."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from whatif.benchmarks.cvqa_real.figures import answer_distribution, gap_bars
from whatif.benchmarks.cvqa_real.gender_gap import gap_table, gender_gaps, gender_metrics
from whatif.benchmarks.cvqa_real.sampled_questions import questions_for
from whatif.benchmarks.cvqa_real.set_tables import answer_counts, answers_table, questions_table, words_table
from whatif.benchmarks.cvqa_real.settings import ReportSettings
from whatif.benchmarks.cvqa_real.tables import GROUPS, RealTable, real_table
from whatif.benchmarks.shared.annotator_tables import annotator_tables, is_of_label, labels_stage
from whatif.benchmarks.shared.dimensions import ANSWERER
from whatif.benchmarks.shared.pilots import Pilot, marked, pilots_of
from whatif.benchmarks.shared.reports import costs_of, judged_of, publish
from whatif.benchmarks.shared.tasks import evaluation_stage, limits_of, names_of, with_predictions
from whatif.files.inputs import user_path
from whatif.graph.task import Task
from whatif.reporting.funnel import FunnelStage, funnel, reasons
from whatif.reporting.model_drops import compare_drops, drops
from whatif.reporting.plots import accuracy_points, accuracy_scatter, points_csv
from whatif.reporting.report import Report
from whatif.reporting.twin_answers import TwinAnswers
from whatif.reporting.twin_rows import headline
from whatif.verification.question_checks import ANSWER, QUESTION

NAME = "cvqa-real"
TITLE = "C-VQA-Real"
_DIRECT, _STEP_BY_STEP = "direct", "cot"


def publish_report(task: Task[ReportSettings]) -> None:
    """Publishes every text file of this benchmark's aggregation."""
    asking, seed = task.settings, task.seed
    settings = asking.aggregate
    names = names_of(task, ANSWERER)
    questions = task.read("questions").to_pylist()
    each = {key: questions_for(key, questions, asking, seed) for key in names}
    pilots = pilots_of(limits_of(task, ANSWERER, names), each, seed, NAME)
    names = marked(names, pilots)
    stages = _funnel(task, each, pilots)
    predictions = list(task.rows("predictions"))
    whole = {key: name for key, name in names.items() if key not in asking.sampled_models}
    sampled = {key: name for key, name in names.items() if key in asking.sampled_models}
    parts = {
        "3": (_DIRECT, _asked(task, _DIRECT, whole)),
        "4": (_STEP_BY_STEP, _asked(task, _STEP_BY_STEP, names)),
        "5": (_DIRECT, _asked(task, _DIRECT, sampled)),
    }
    judged = judged_of(task, asking.judge, questions, names)
    made = {
        table: real_table(
            table,
            [row for row in predictions if row["strategy"] == strategy and row["model"] in models],
            questions,
            settings=settings,
            names=models,
            sampled=sampled if table == "4" else (),
            note=_note(strategy, asking),
            judged=judged.of(models, strategy) if judged and models else None,
        )
        for table, (strategy, models) in parts.items()
    }
    released = task.read("released").to_pylist()
    answers = answer_counts(released)
    direct = [row for row in predictions if row["strategy"] == _DIRECT]
    genders = _genders(task, questions)
    gaps = gender_gaps(direct, questions, genders, settings=settings, seed=seed, models=parts["3"][1])
    by_gender = gender_metrics(direct, questions, genders, settings=settings, models=gaps) if gaps else {}
    compared = _asked(task, _DIRECT, names)
    images = {row["pair_id"]: row["image_ids"][0] for row in questions}
    answers_compared = TwinAnswers([row for row in direct if row["model"] in compared], questions, compared)
    comparisons = compare_drops(answers_compared, settings=settings, images=images, groups=GROUPS)
    level = f"{100 * settings.confidence:g}%"
    no_genders = asking.gender_annotations is None
    about_genders = f"{_note(_DIRECT, asking)} {'No annotations were given.' if no_genders else ''}".strip()
    tables = [
        *(result.table for result in made.values()),
        drops(comparisons, compared, level, _note(_DIRECT, asking)),
        gap_table(gaps, by_gender, names, level, about_genders),
        questions_table(released),
        answers_table(answers),
        words_table(released),
        *annotator_tables(task.rows("judgements"), task.rows("gold"), settings, seed, asking.resolution),
        costs_of(task, ANSWERER, names),
        funnel(stages),
    ]
    files = {"figure3.svg": answer_distribution(answers), "figure5.svg": gap_bars(gaps, names)}
    table3 = made["3"].table.frame
    for group in GROUPS:
        points = accuracy_points(table3[table3["group"] == group])
        files[f"accuracy-{group}.csv"] = points_csv(points)
        files[f"accuracy-{group}.svg"] = accuracy_scatter(points, None, f"{TITLE}, {group}")
    figures = {"gender": "figure5.svg", "answers": "figure3.svg"}
    publish(task, Report(TITLE, tables, headline_of(made), files, figures, _corrected(task)))


def _corrected(task: Task[ReportSettings]) -> str:
    """A sentence about people's corrections; empty if there are none."""
    fields = Counter(row["field"] for row in task.rows("corrections"))
    if not fields:
        return ""
    return f"People corrected the answers of {fields[ANSWER]:,} questions and the wording of {fields[QUESTION]:,}."


def headline_of(made: Mapping[str, RealTable]) -> dict[str, Any]:
    """The numbers for `dvc metrics diff`: table -> model -> group -> numbers; tables without a model are left out."""
    return {
        result.table.name: {
            model: {group: headline(groups[group]) for group in GROUPS if group in groups}
            for model, groups in result.metrics.items()
        }
        for result in made.values()
        if result.metrics
    }


def _asked(task: Task[ReportSettings], strategy: str, names: Mapping[str, str]) -> dict[str, str]:
    """The models with answers to a strategy; a file may have only responses to another strategy, or none here."""
    answered = with_predictions(task, ANSWERER, strategy=strategy)
    return {key: name for key, name in names.items() if key in answered}


def _note(strategy: str, asking: ReportSettings) -> str:
    """Explains why rows of a table may be missing or have fewer questions."""
    if strategy not in asking.strategies:
        others = ", ".join(asking.strategies)
        return f"It shows answers to the strategy {strategy} alone; asked was only {others}."
    if strategy == _STEP_BY_STEP and asking.sampled_models:
        share = f"{100 * asking.sample_share:g}%"
        return f"Of systems marked (a part), {share} of each group were asked."
    return ""


def _genders(task: Task[ReportSettings], questions: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """image_id -> perceived gender, for images that have questions and are annotated with exactly one gender."""
    from whatif.benchmarks.cvqa_real.gender_annotations import single_gender_images
    from whatif.formats.coco_photographs import coco_image_id

    annotations = task.settings.gender_annotations
    if annotations is None:
        return {}
    known = single_gender_images(user_path(annotations))
    found = {}
    for question in questions:
        image = coco_image_id(json.loads(question["provenance"])["img_path"])
        if image in known:
            found[question["image_ids"][0]] = known[image]
    return found


def _funnel(
    task: Task[ReportSettings], questions: Mapping[str, Sequence[Mapping[str, Any]]], pilots: Mapping[str, Pilot]
) -> list[FunnelStage]:
    pictures = task.count("images")
    missing, filtered = (reasons(task.rows(role)) for role in ("missing", "filtered"))
    refused = list(task.rows("refused"))
    of_pairs = reasons(row for row in refused if not is_of_label(row))
    released = task.count("released") // 2
    after_filter = task.count("filtered questions") // 2
    verified = task.count("questions") // 2
    stages = [
        FunnelStage("extract", "pictures", pictures + sum(missing.values()), pictures, missing),
        FunnelStage("generate", "pairs", released, released),
        FunnelStage("filter", "pairs", released, after_filter, filtered),
        *labels_stage(task.rows("judgements"), refused),
        FunnelStage("verify", "pairs", after_filter, verified, of_pairs),
    ]
    for model, shown in task.shown_models(ANSWERER).items():
        total = len(questions[model])
        left_out = total - len(pilots[model].rows(questions[model])) if model in pilots else 0
        for strategy in task.settings.strategies:
            # A model whose answers were recorded elsewhere has predictions for only one strategy.
            if shown.get("strategy", strategy) == strategy:
                paths = task.paths_by(ANSWERER, "predictions", strategy=strategy)[model]
                stages.append(evaluation_stage(paths, f"{model} {strategy}", total, not_in_sample=left_out))
    return stages
