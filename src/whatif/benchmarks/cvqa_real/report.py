"""What C-VQA-Real ends in: Tables 3, 4 and 5, the statistics of the set, its answers and words, and the funnel."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from whatif.benchmarks.cvqa_real.figures import answer_distribution, gap_bars
from whatif.benchmarks.cvqa_real.gender_gap import gap_table, gender_gaps, gender_metrics
from whatif.benchmarks.cvqa_real.sampled_questions import questions_for
from whatif.benchmarks.cvqa_real.settings import ReportSettings
from whatif.benchmarks.cvqa_real.tables import GROUPS, plot_rows, real_table
from whatif.benchmarks.shared.dimensions import ANSWERER
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
from whatif.files.inputs import user_path
from whatif.graph.task import Task
from whatif.reporting.formats import DisplayTable
from whatif.reporting.funnel import FunnelStage, funnel_table, reasons
from whatif.reporting.model_drops import compare_drops, drops_table, headline
from whatif.reporting.plots import accuracy_scatter
from whatif.reporting.twins import TwinAnswers

NAME = "cvqa-real"
FOLDER = f"metrics/{NAME}"
HEADINGS = {
    "table3": "Accuracy",
    "table4": "Step by step",
    "table5": "A part of each group",
    "drops": "Models' drops compared",
    "gender": "By perceived gender",
    "questions": "The questions",
    "answers": "Answers",
    "words": "Words",
    "costs": "Tokens, cost and errors",
    "funnel": "Funnel",
}
_DIRECT, _STEP_BY_STEP = "direct", "cot"
VARIANTS = ("original", "counterfactual")


def publish_report(task: Task[ReportSettings]) -> None:
    """Publishes every text file of this benchmark's aggregation."""
    asking, seed = task.settings, task.seed
    settings = asking.aggregate
    names = names_of(task, ANSWERER)
    questions = task.read("questions").to_pylist()
    each = {key: questions_for(key, questions, asking, seed) for key in names}
    pilots = pilots_of(limits_of(task, ANSWERER, names), each, seed, NAME)
    names = marked(names, pilots)
    funnel = funnel_table(_funnel(task, each, pilots))
    predictions = list(task.rows("predictions"))
    whole = {key: name for key, name in names.items() if key not in asking.sampled_models}
    sampled = {key: name for key, name in names.items() if key in asking.sampled_models}
    parts = {
        "table3": (_DIRECT, _asked(task, _DIRECT, whole)),
        "table4": (_STEP_BY_STEP, _asked(task, _STEP_BY_STEP, names)),
        "table5": (_DIRECT, _asked(task, _DIRECT, sampled)),
    }
    made = {
        table: real_table(
            table.removeprefix("table"),
            [row for row in predictions if row["strategy"] == strategy and row["model"] in models],
            questions,
            settings=settings,
            names=models,
            sampled=sampled if table == "table4" else (),
        )
        for table, (strategy, models) in parts.items()
    }
    released = task.read("released").to_pylist()
    answers = _answer_counts(released)
    direct = [row for row in predictions if row["strategy"] == _DIRECT]
    genders = _genders(task, questions)
    gaps = gender_gaps(direct, questions, genders, settings=settings, seed=seed, models=parts["table3"][1])
    by_gender = gender_metrics(direct, questions, genders, settings=settings, models=gaps) if gaps else {}
    compared = _asked(task, _DIRECT, names)
    images = {row["pair_id"]: row["image_ids"][0] for row in questions}
    answers_compared = TwinAnswers([row for row in direct if row["model"] in compared], questions, compared)
    comparisons = compare_drops(answers_compared, settings=settings, images=images, groups=GROUPS)
    level = f"{100 * settings.confidence:g}%"
    tables = {
        **{table: _with_note(result.shown, parts[table][0], asking) for table, result in made.items()},
        "drops": _with_note(drops_table(comparisons, compared, level), _DIRECT, asking),
        "gender": _with_note(gap_table(gaps, by_gender, names, level), _DIRECT, asking),
        "questions": _questions(released),
        "answers": _answers(answers),
        "words": _words(released),
        "costs": spending(task, ANSWERER, names),
        "funnel": funnel,
    }
    if asking.gender_annotations is None:
        tables["gender"] = _captioned(tables["gender"], "No annotations were given.")
    metrics: dict[str, Any] = {
        table: in_metrics(result.metrics, pilots) for table, result in made.items() if result.metrics
    }
    metrics["drops_compared"] = headline(comparisons, 1 - settings.confidence)
    if by_gender:
        metrics["gender"] = in_metrics(by_gender, pilots)
    publish = task.outputs.publish
    publish(f"metrics/{NAME}.json", (json.dumps(metrics, indent=2, sort_keys=True, allow_nan=False) + "\n").encode())
    publish(f"{FOLDER}/figure3.svg", answer_distribution(answers))
    publish(f"{FOLDER}/figure5.svg", gap_bars(gaps, names))
    for group in GROUPS:
        points = plot_rows("3", made["table3"].metrics, parts["table3"][1], group)
        publish(f"{FOLDER}/accuracy-{group}.svg", accuracy_scatter(points, None, f"C-VQA-Real, {group}"))
    figures = {"gender": "figure5.svg", "answers": "figure3.svg"}
    publish(f"{FOLDER}/report.md", report("C-VQA-Real", tables, HEADINGS, figures).encode())
    publish_tables(task, FOLDER, tables)


def _asked(task: Task[ReportSettings], strategy: str, names: Mapping[str, str]) -> dict[str, str]:
    """The models with answers to a strategy: not those whose file has responses to another one, or none here."""
    answered = with_predictions(task, ANSWERER, strategy=strategy)
    return {key: name for key, name in names.items() if key in answered}


def _with_note(table: DisplayTable, strategy: str, asking: ReportSettings) -> DisplayTable:
    """A table whose caption says why rows may be missing or of fewer questions."""
    if strategy not in asking.strategies:
        others = ", ".join(asking.strategies)
        return _captioned(table, f"It shows answers to the strategy {strategy} alone; asked was only {others}.")
    if strategy == _STEP_BY_STEP and asking.sampled_models:
        share = f"{100 * asking.sample_share:g}%"
        return _captioned(table, f"Of systems marked (a part), {share} of each group were asked.")
    return table


def _captioned(table: DisplayTable, note: str) -> DisplayTable:
    return replace(table, caption=f"{table.caption} {note}")


def _genders(task: Task[ReportSettings], questions: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """image_id -> perceived gender, of the pictures that are asked about and annotated with one gender alone."""
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


def _questions(released: Sequence[Mapping[str, Any]]) -> DisplayTable:
    """Numbers of C-VQA 3.4: pairs, words split on white space, and the share of the answer no."""
    from whatif.statistics.question_sets import summary

    cells = summary(released)
    rows = []
    for group in ("all", *GROUPS):
        for variant in VARIANTS:
            cell = cells.get(group, {}).get(variant)
            if cell:
                no = cell["answers"].get("no", 0)
                share = f"{100 * no / cell['number']:.2f}" if group == "boolean" else ""
                rows.append((group, variant, str(cell["number"]), f"{cell['mean_words']:.3f}", share))
    header = ("Group", "Variant", "Questions", "Mean words", "No (%)")
    return DisplayTable("The released set, whether its pictures are there or not (C-VQA 3.4).", header, tuple(rows), 2)


def _answer_counts(released: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Counter[int]]]:
    """Numerical group -> variant -> answer -> number of questions."""
    counts: dict[str, dict[str, Counter[int]]] = {
        group: {variant: Counter() for variant in VARIANTS} for group in ("direct", "indirect")
    }
    for row in released:
        if row["group"] in counts:
            counts[row["group"]][row["variant"]][int(row["answer"])] += 1
    return counts


def _answers(of_group: Mapping[str, Mapping[str, Counter[int]]]) -> DisplayTable:
    """The distribution of answers in the numerical groups (C-VQA Figure 3), original and counterfactual."""
    rows = []
    for group, counts in of_group.items():
        for answer in sorted(set().union(*counts.values())):
            shares = [
                f"{100 * count[answer] / count.total():.2f}" if count else "" for count in (counts[v] for v in VARIANTS)
            ]
            rows.append((group, str(answer), *shares))
    caption = "Answers of the numerical groups, in percent of their questions (C-VQA Figure 3)."
    return DisplayTable(caption, ("Group", "Answer", "Original", "Counterfactual"), tuple(rows))


def _words(released: Sequence[Mapping[str, Any]]) -> DisplayTable:
    """Type-token ratios and the most frequent nouns and verbs (C-VQA supplement E)."""
    from whatif.benchmarks.cvqa_real.words import word_classes
    from whatif.language.tagging import tagger

    tag = tagger("pattern")  # the same on every machine, whatever is installed
    rows = []
    for variant in VARIANTS:
        texts = [str(row["question"]) for row in released if row["variant"] == variant]
        for name, found in word_classes(texts, tag).items():
            top = ", ".join(f"{word} {count}" for word, count in found.top[:10])
            rows.append((variant, name, top, str(found.tokens), str(found.types), f"{found.type_token_ratio:.4f}"))
    header = ("Variant", "Class", "Most frequent", "Words", "Different", "Type-token ratio")
    caption = "Nouns and verbs as TextBlob's pattern tagger finds them (C-VQA supplement E, which names no tagger)."
    return DisplayTable(caption, header, tuple(rows), text_columns=3)


def _funnel(
    task: Task[ReportSettings], questions: Mapping[str, Sequence[Mapping[str, Any]]], pilots: Mapping[str, Pilot]
) -> list[FunnelStage]:
    pictures = task.count("images")
    missing, filtered, refused = (reasons(task.rows(role)) for role in ("missing", "filtered", "refused"))
    released = task.count("released") // 2
    after_filter = task.count("filtered questions") // 2
    verified = task.count("questions") // 2
    stages = [
        FunnelStage("extract", "pictures", pictures + sum(missing.values()), pictures, missing),
        FunnelStage("generate", "pairs", released, released),
        FunnelStage("filter", "pairs", released, after_filter, filtered),
        FunnelStage("verify", "pairs", after_filter, verified, refused),
    ]
    for model, shown in task.shown_models(ANSWERER).items():
        total = len(questions[model])
        left_out = total - len(pilots[model].rows(questions[model])) if model in pilots else 0
        for strategy in task.settings.strategies:
            # A model that was asked elsewhere has no predictions under the other strategies.
            if shown.get("strategy", strategy) == strategy:
                paths = task.paths_by(ANSWERER, "predictions", strategy=strategy)[model]
                stages.append(evaluation_stage(paths, f"{model} {strategy}", total, not_in_sample=left_out))
    return stages
