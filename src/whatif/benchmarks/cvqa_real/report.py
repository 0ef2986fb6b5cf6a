"""The results of C-VQA-Real: Tables 3 to 6, statistics of the set, its writers, programs, the audit, and the funnel.

Tables 3, 5 and 6 show the answers to one prompting strategy, as in the paper: `direct`, or else the first strategy
that is not step by step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from whatif.benchmarks.cvqa_real.figures import answer_distribution, gap_bars
from whatif.benchmarks.cvqa_real.funnel_stages import stages_of
from whatif.benchmarks.cvqa_real.gender_annotations import genders_of, perceived_genders
from whatif.benchmarks.cvqa_real.gender_funnel import ASKED, SET, gender_funnel, why_no_gap
from whatif.benchmarks.cvqa_real.gender_gap import gap_table, gender_gaps, gender_parts
from whatif.benchmarks.cvqa_real.paired_table import paired_questions
from whatif.benchmarks.cvqa_real.reference_text import read_reference
from whatif.benchmarks.cvqa_real.released_set import released_set
from whatif.benchmarks.cvqa_real.sampled_questions import questions_for
from whatif.benchmarks.cvqa_real.schemas import GROUPS, VARIANTS
from whatif.benchmarks.cvqa_real.set_tables import answer_counts, answers_table, questions_table, words_table
from whatif.benchmarks.cvqa_real.settings import STEP_BY_STEP, ReportSettings, main_strategy
from whatif.benchmarks.cvqa_real.shortcut_audit import OURS, RELEASED
from whatif.benchmarks.cvqa_real.site_items import real_items
from whatif.benchmarks.cvqa_real.tables import VIPERGPT, RealTable, code_model, real_table
from whatif.benchmarks.cvqa_real.word_clouds import word_clouds
from whatif.benchmarks.cvqa_real.written_by import writers_table, written_by
from whatif.benchmarks.shared.annotator_tables import annotator_tables
from whatif.benchmarks.shared.dimensions import ANSWERER
from whatif.benchmarks.shared.pilots import marked, pilots_of
from whatif.benchmarks.shared.reports import audits_of, costs_of, judged_of, publish, reading_of
from whatif.benchmarks.shared.tasks import limits_of, names_of, with_predictions
from whatif.engine.files.inputs import user_path
from whatif.engine.graph.task import Task
from whatif.engine.language.strategies import DIRECT
from whatif.formats.c_vqa import picture_name
from whatif.people.question_checks import ANSWER, QUESTION
from whatif.results.reporting.funnel import funnel
from whatif.results.reporting.model_drops import compare_drops, drops
from whatif.results.reporting.plots import accuracy_points, accuracy_scatter, points_csv
from whatif.results.reporting.programs import programs
from whatif.results.reporting.report import Report
from whatif.results.reporting.shortcuts import shortcuts
from whatif.results.reporting.twin_answers import TwinAnswers
from whatif.results.reporting.twin_measures import headline
from whatif.scoring.shortcuts.audit import Shortcut

NAME = "cvqa-real"
TITLE = "C-VQA-Real"
Row = Mapping[str, Any]


def publish_report(task: Task[ReportSettings]) -> None:
    """Publishes every text file of this benchmark's aggregation."""
    asking, seed = task.settings, task.seed
    settings = asking.aggregate
    names = names_of(task, ANSWERER)
    questions = task.read("questions").to_pylist()
    each = {key: questions_for(key, questions, asking, seed) for key in names}
    pilots = pilots_of(limits_of(task, ANSWERER, names), each, seed, NAME)
    names = marked(names, pilots)
    work = written_by(task)
    stages = stages_of(task, work, each, pilots)
    main = main_strategy(asking.strategies)
    predictions = list(task.rows("predictions"))
    whole = {key: name for key, name in names.items() if key not in asking.sampled_models}
    sampled = {key: name for key, name in names.items() if key in asking.sampled_models}
    parts = {
        "3": (main, _asked(task, main, whole)),
        "4": (STEP_BY_STEP, _asked(task, STEP_BY_STEP, names)),
        "5": (main, _asked(task, main, sampled)),
        "6": (main, _code_models(task, _asked(task, main, names))),
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
            note=_beside_reported(strategy, asking),
            judged=judged.of(models, strategy) if judged and models else None,
        )
        for table, (strategy, models) in parts.items()
    }
    sets = _sets(task, questions)
    answers = {name: answer_counts(of_set) for name, of_set in sets.items()}
    mainly = [row for row in predictions if row["strategy"] == main]
    whole_set = next(iter(sets.values()))
    annotations = asking.gender_annotations
    perceived = None if annotations is None else perceived_genders(user_path(annotations))
    genders = genders_of(questions, perceived or {})
    compared = _asked(task, main, names)
    images = {row["pair_id"]: (row["image_ids"] or [picture_name(row)])[0] for row in questions}
    answers_compared = TwinAnswers([row for row in mainly if row["model"] in compared], questions, compared)
    by_gender = gender_parts(answers_compared, images, genders, settings, parts["3"][1])
    gaps = gender_gaps(by_gender, genders, settings, seed)
    comparisons = compare_drops(answers_compared, settings=settings, images=images, groups=GROUPS)
    level = f"{100 * settings.confidence:g}%"
    about_genders = f"{_note(main, asking)} {'No annotations were given.' if perceived is None else ''}".strip()
    tables = [
        *(result.table for result in made.values()),
        paired_questions(predictions, questions, settings=settings, names=names, main=main),
        drops(comparisons, compared, level, _note(main, asking)),
        gap_table(gaps, by_gender, names, level, about_genders),
        gender_funnel({SET: whole_set, ASKED: questions}, perceived),
        questions_table(sets),
        writers_table(work),
        answers_table(answers),
        words_table(sets),
        shortcuts(_audits(task), settings.confidence, chance=None),
        *annotator_tables(task.rows("judgements"), task.rows("gold"), settings, seed, asking.resolution),
        reading_of(task, names),
        costs_of(task, ANSWERER, names),
        programs(task.rows("program-findings"), questions, names, settings, GROUPS),
        funnel(stages),
    ]
    reference = None if settings.reference_text is None else read_reference(user_path(settings.reference_text))
    files = {
        "figure3.svg": answer_distribution(next(iter(answers.values()))),
        "figure5.svg": gap_bars(gaps, names, why_no_gap(questions, perceived)),
        "figure8.svg": word_clouds(whole_set, reference),
    }
    table3 = made["3"].table.frame
    for group in GROUPS:
        points = accuracy_points(table3[table3["group"] == group])
        files[f"accuracy-{group}.csv"] = points_csv(points)
        files[f"accuracy-{group}.svg"] = accuracy_scatter(points, None, f"{TITLE}, {group}")
    figures = {"gender": "figure5.svg", "answers": "figure3.svg", "words": "figure8.svg"}
    items, views = real_items(task, questions, names, genders, judged)
    publish(task, Report(TITLE, tables, headline_of(made), files, figures, _closing(task)), items, views)


def _closing(task: Task[ReportSettings]) -> str:
    """What people corrected and a model polished, if they did."""
    parts = []
    if fields := Counter(row["field"] for row in task.rows("corrections")):
        parts.append(
            f"People corrected the answers of {fields[ANSWER]:,} questions and the wording of {fields[QUESTION]:,}."
        )
    polished, refused = list(task.rows("polished", ["question_id", "before", "after"])), task.count("unpolished")
    if polished or refused:
        changed = sum(row["before"] != row["after"] for row in polished)
        parts.append(
            f"A model polished {changed:,} of {len(polished) + refused:,} questions; {refused:,} edits were refused."
        )
    return "\n\n".join(parts)


def headline_of(made: Mapping[str, RealTable]) -> dict[str, Any]:
    """The numbers for `dvc metrics diff`: table -> model -> group -> numbers; tables without a model are left out."""
    return {
        result.table.name: {
            model: {group: headline(groups[group]) for group in GROUPS if group in groups}
            for model, groups in result.parts.items()
        }
        for result in made.values()
        if result.parts
    }


def _asked(task: Task[ReportSettings], strategy: str, names: Mapping[str, str]) -> dict[str, str]:
    """The models with answers to a strategy; a file may have only responses to another strategy, or none here."""
    answered = with_predictions(task, ANSWERER, strategy=strategy)
    return {key: name for key, name in names.items() if key in answered}


def _code_models(task: Task[ReportSettings], names: Mapping[str, str]) -> dict[str, str]:
    """The models that answer in ViperGPT's way, under the names of their code models."""
    shown = task.shown_models(ANSWERER)
    return {key: code_model(name) for key, name in names.items() if shown[key].get("adapter") == VIPERGPT}


def _sets(task: Task[ReportSettings], questions: Sequence[Row]) -> dict[str, Sequence[Row]]:
    """The sets that tables show, by name: our verified questions, the released ones, or both; the main one first."""
    if task.settings.source is not None:
        return {RELEASED: task.read("generated").to_pylist()}
    released = task.settings.aggregate.released_questions
    return {OURS: questions} if released is None else {OURS: questions, RELEASED: released_set(released)}


def _audits(task: Task[ReportSettings]) -> dict[str, list[Shortcut]]:
    """The findings of the shortcut audit by set, in the order of the groups and variants."""
    order = [f"{group} {variant}" for group in GROUPS for variant in VARIANTS]
    return {name: sorted(found, key=lambda one: order.index(one.variant)) for name, found in audits_of(task).items()}


def _note(strategy: str, asking: ReportSettings) -> str:
    """Explains why rows of a table may be missing, have fewer questions, or were asked in another way than reported."""
    if strategy not in asking.strategies:
        others = ", ".join(asking.strategies)
        return f"It shows answers to the strategy {strategy} alone; asked was only {others}."
    if strategy not in (DIRECT, STEP_BY_STEP):
        return f"Our rows are answers to the strategy {strategy}; the strategy {DIRECT} was not asked."
    if strategy == STEP_BY_STEP and asking.sampled_models:
        share = f"{100 * asking.sample_share:g}%"
        return f"Of systems marked (a part), {share} of each group were asked."
    return ""


def _beside_reported(strategy: str, asking: ReportSettings) -> str:
    """What readers have to know about our rows beside the reported ones."""
    sets = "Our rows are about our own questions, the reported ones about the released set."
    is_own = asking.source is None and strategy in asking.strategies
    return " ".join(filter(None, [sets if is_own else "", _note(strategy, asking)]))
