"""The steps of every benchmark that a YAML file declares.

They extract rows with pictures and attributes; generate candidates: pairs of an original and a counterfactual question
about a row, with both answers; filter them, and choose pairs with options; verify the answers against the stored
attributes, and by people; ask models; and make tables and the items of the site.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from whatif.benchmarks.from_yaml.schemas import CANDIDATES, ROWS
from whatif.benchmarks.from_yaml.settings import (
    MOST_DRAWS,
    CandidateSettings,
    ChoiceSettings,
    ExtractRows,
    FromYamlSettings,
    ReportSettings,
)
from whatif.benchmarks.shared.choice_questions import Ask, ask_choices
from whatif.benchmarks.shared.dimensions import CHOOSER, HAS_CHOSEN, PROBE, SHOWN_CHOOSERS, SHOWN_JUDGE
from whatif.benchmarks.shared.human_attempts import people_step
from whatif.benchmarks.shared.judging import judge_step
from whatif.benchmarks.shared.people import answered_questions, judged_questions
from whatif.benchmarks.shared.probing import probe_step
from whatif.benchmarks.shared.tables import shared_tables, without_empty_tables
from whatif.benchmarks.shared.tasks import by_pair, judgement, rejection
from whatif.engine.artifacts.images import SortedImages
from whatif.engine.artifacts.schemas import (
    CORRECTIONS,
    IMAGES,
    JUDGEMENTS,
    PREDICTIONS,
    QUESTIONS,
    REJECTIONS,
    SHORTCUTS,
)
from whatif.engine.artifacts.site_schemas import SITE_OUTPUTS
from whatif.engine.graph.dimensions import Dimension, part_dimension
from whatif.engine.graph.steps import Step, StepsOf
from whatif.engine.graph.task import Task
from whatif.engine.language.strategies import DIRECT
from whatif.results.reporting.table_modules import TableModules

_step = StepsOf(FromYamlSettings)
PART = part_dimension(lambda params, benchmark: params.section(benchmark, FromYamlSettings).generate.shards)
VARIANT = Dimension(
    "variant",
    lambda params, benchmark: ["original", "counterfactual"],
    "Only this variant of the questions, original or counterfactual.",
)
TABLES = TableModules(
    "whatif.benchmarks.from_yaml",
    *shared_tables(
        "templates", "letters", "rules", "repeats", "prompt_sensitivity", "probes", "reading", "costs", "funnel"
    ),
)
TITLE = "title"  # the text that the report declares


@_step(
    "extract",
    reads=lambda s: s.extract,
    seed=True,
    outputs={"images": IMAGES, "rows": ROWS, "rejections": REJECTIONS},
)
def extract(task: Task[ExtractRows]) -> None:
    """Draws scenes, or reads a table with its pictures; a row without a picture is rejected."""
    from whatif.benchmarks.from_yaml.reading import read_rows

    rejected: list[dict[str, Any]] = []
    with SortedImages(task.outputs.writer("images")) as images:
        rows = [
            {**row, "attributes": json.dumps(row["attributes"], sort_keys=True, ensure_ascii=False)}
            for row in read_rows(task.settings, task.seed, images.add, rejected.append)
        ]
    task.outputs.write("rows", rows)
    task.outputs.write("rejections", rejected)
    remedy = f"see extract in benchmarks/{task.benchmark}.yaml"
    # All rows of a table are wanted; scenes are drawn by chance.
    task.check_losses("rows", len(rows), rejected, remedy=remedy, usual=0 if task.settings.table else 0.5)


@_step(
    "generate",
    reads=lambda s: CandidateSettings(s.generate.templates, s.generate.candidates_per_row),
    seed=True,
    divided_by=(PART,),
    inputs={"rows": extract["rows"]},
    outputs={"candidates": CANDIDATES, "rejections": REJECTIONS},
)
def generate(task: Task[CandidateSettings]) -> None:
    """Fills the templates with the words of each row of one part, and computes both answers."""
    from whatif.benchmarks.from_yaml.expressions import ExpressionError
    from whatif.benchmarks.from_yaml.words import FAILED, candidates
    from whatif.engine.progress import progress

    rows = task.read("rows").to_pylist()
    here = task.part_of(len(rows))
    known = [(row, json.loads(row["attributes"])) for row in rows[here.start : here.stop]]
    rejected = []
    for name in sorted(task.settings.templates):
        template = task.settings.templates[name]
        for row, attributes in progress(known, len(known), f"{name} {task.part}", "row"):
            most = task.settings.candidates_per_row
            try:
                found = list(candidates(name, template, row, attributes, most=most, seed=task.seed))
            except ExpressionError as error:
                detail = f"row {row['row_id']}: templates.{name}.{error}"
                rejected.append(rejection(f"{name} {row['row_id']}", FAILED, detail))
                continue
            task.outputs.writer("candidates").write(sorted(found, key=lambda one: str(one["blanks"])))
    task.outputs.write("rejections", rejected)


@_step(
    "filter",
    reads=lambda s: ChoiceSettings(s.generate.templates, s.filter),
    seed=True,
    inputs={"candidates": generate["candidates"], "failed": generate["rejections"]},
    outputs={"questions": QUESTIONS, "rejections": REJECTIONS},
)
def filter_(task: Task[ChoiceSettings]) -> None:
    """Rejects candidates whose answers contradict `change`, and repeated ones; chooses pairs, with their options."""
    from whatif.benchmarks.from_yaml.filtering import filtered, remedies, shortest

    failed = list(task.rows("failed"))
    found = filtered(task.settings, task.rows("candidates"), failed, task.seed)
    task.outputs.write("questions", found.questions)
    task.outputs.write("rejections", found.rejections)
    kept = len(found.questions) // 2
    if kept < task.settings.filter.pairs:
        short = shortest(task.settings, found.questions)
        task.say(
            f"warning: {task.name}: {kept:,} of {task.settings.filter.pairs:,} pairs: no more rows have enough "
            f"different answers to the same question, mostly in templates.{short}; "
            f"{remedies(task.settings.templates[short], per_row=task.settings.filter.pairs_per_row)}"
        )
    if found.distance > 1:
        draws = task.settings.filter.draws
        more = ", or raise filter.draws" if draws < MOST_DRAWS else ""
        task.say(
            f"warning: {task.name}: in none of {draws} draws is guessing inside all intervals of the shortcut audit; "
            f"see its table in the report{more}"
        )


@_step(
    "verify",
    name="answers",
    reads=lambda s: s.generate.templates,
    inputs={"rows": extract["rows"], "questions": filter_["questions"]},
    outputs={"computed": QUESTIONS, "answer-checks": JUDGEMENTS, "failed": REJECTIONS},
)
def compute_again(task: Task[Any]) -> None:
    """Computes every answer again from the stored attributes; rejects every pair that disagrees."""
    from whatif.benchmarks.from_yaml.checks import pair_defects

    attributes = {row["row_id"]: row["attributes"] for row in task.rows("rows", ["row_id", "attributes"])}
    kept, checks, rejected = [], [], []
    for pair_id, pair in by_pair(task.rows("questions")).items():
        row_id = json.loads(pair[0]["provenance"])["row"]
        defects = pair_defects(pair, task.settings[pair[0]["group"]], json.loads(attributes[row_id]))
        checks += [judgement(pair_id, check, lines) for check, lines in defects.items()]
        wrong = next((check for check, lines in defects.items() if lines), None)
        if wrong is None:
            kept += pair
        else:
            rejected.append(rejection(pair_id, f"failed the check of its {wrong}", "; ".join(defects[wrong])))
    task.outputs.write("computed", kept)
    task.outputs.write("answer-checks", checks)
    task.outputs.write("failed", rejected)
    task.check_losses("pairs", len(kept) // 2, rejected)


@_step(
    "verify",
    reads=lambda s: s.verify,
    seed=True,
    inputs={"questions": compute_again["computed"]},
    outputs={
        "questions": QUESTIONS,
        "judgements": JUDGEMENTS,
        "gold": JUDGEMENTS,
        "corrections": CORRECTIONS,
        "rejections": REJECTIONS,
    },
)
def verify(task: Task[Any]) -> None:
    """Removes and corrects questions as people say; without their labels, all remain."""
    from whatif.benchmarks.from_yaml.checks import cannot_be_scored
    from whatif.benchmarks.shared.question_labels import write_checked_pairs

    roles = ("questions", "judgements", "gold", "rejections", "corrections")
    write_checked_pairs(task, task.settings, cannot_be_scored, *roles)


@_step(
    "evaluate",
    reads=lambda s: s.evaluate.ask,
    seed=True,
    divided_by=(CHOOSER, PART),
    package_files=(f"whatif.engine.language:strategies/{DIRECT}.yaml",),
    inputs={"questions": verify["questions"], "images": extract["images"]},
    outputs={"predictions": PREDICTIONS},
)
def evaluate(task: Task[Ask]) -> None:
    """Asks one model the questions of one part's pairs: it ranks the options, or names one in its own words."""
    ask_choices(task, task.settings)


judge = judge_step(HAS_CHOSEN, PART, questions=verify["questions"], predictions=evaluate["predictions"])
probes = probe_step(evaluate, PROBE)
people = people_step(verify["questions"])


@_step(
    "aggregate",
    name="shortcuts",
    reads=lambda s: s.aggregate.audit_folds,
    seed=True,
    divided_by=(VARIANT,),
    inputs={"questions": verify["questions"]},
    outputs={"shortcuts": SHORTCUTS},
)
def audit_shortcuts(task: Task[int]) -> None:
    """Measures how many questions of a variant can be answered without pictures."""
    from whatif.benchmarks.from_yaml.auditing import audited

    questions = task.read("questions").to_pylist()
    variant, folds = task.wildcards["variant"], task.settings
    task.outputs.write("shortcuts", audited(questions, variant, folds=folds, seed=task.seed))


@_step(
    "aggregate",
    reads=lambda s: ReportSettings(s.aggregate.confidence, s.aggregate.rule, s.filter.draws, s.evaluate.judge),
    seed=True,
    shown=(SHOWN_CHOOSERS, SHOWN_JUDGE),
    inputs={
        "images": extract["images"],
        "rows": extract["rows"],
        "unread": extract["rejections"],
        "candidates": generate["candidates"],
        "failed": generate["rejections"],
        "chosen": filter_["questions"],
        "not chosen": filter_["rejections"],
        "computed": compute_again["computed"],
        "wrong": compute_again["failed"],
        "judgements": verify["judgements"],
        "refused": verify["rejections"],
        "questions": verify["questions"],
        "shortcuts": audit_shortcuts["shortcuts"],
        "predictions": evaluate["predictions"],
        "judged": judge["judged"],
        "probed": probes["probed"],
        "attempts": people["attempts"],
        "uncounted": people["uncounted"],
    },
    outputs=SITE_OUTPUTS,
    code=TABLES.code,
    publishes=("report.md", *TABLES.files),
    leaves_out=without_empty_tables(CHOOSER, PROBE),
)
def aggregate(task: Task[ReportSettings]) -> None:
    """Makes the tables of accuracy, pairs, letters, shortcuts and costs, the funnel, and the items of the site."""
    from whatif.benchmarks.from_yaml.report import publish_report

    publish_report(task, task.declared[TITLE], TABLES)


PEOPLE = {
    "verify": judged_questions(compute_again["computed"], extract["images"]),
    "answer": answered_questions(verify["questions"], extract["images"]),
}


def steps(title: str) -> tuple[Step, ...]:
    """All steps; `title` is the heading of the report."""
    titled = replace(aggregate, declared={TITLE: title})
    return (extract, generate, filter_, compute_again, verify, evaluate, judge, probes, people, audit_shortcuts, titled)
