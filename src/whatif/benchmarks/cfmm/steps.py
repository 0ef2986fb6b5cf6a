"""CFMM: a basic question and four counterfactual ones about each image, in six categories (CFMM 3, A, B).

The steps extract rich images; take the questions of annotators, which a second person checks, and let a chat model
write further ones; filter out questions that give their answer away or have no certain one; verify them again; ask
models, which rank two options; and make Tables 1 to 3 and Figure 4.
"""

from __future__ import annotations

from whatif.benchmarks.cfmm.annotation_tasks import peoples_work
from whatif.benchmarks.cfmm.dimensions import STRATEGY, VARIANT, WRITER
from whatif.benchmarks.cfmm.schemas import BASIC, CANDIDATES, EXAMPLES, REPLIES
from whatif.benchmarks.cfmm.settings import (
    CfmmSettings,
    ExpandSettings,
    ExtractCfmm,
    FilterCfmm,
    ReportSettings,
    WriteSettings,
)
from whatif.benchmarks.shared.dimensions import CHOOSER, HAS_CHOSEN, PROBE, SHOWN_CHOOSERS, SHOWN_JUDGE
from whatif.benchmarks.shared.human_attempts import people_step
from whatif.benchmarks.shared.judging import judge_step
from whatif.benchmarks.shared.people import answered_questions
from whatif.benchmarks.shared.probing import probe_step
from whatif.benchmarks.shared.question_labels import VerifyQuestions
from whatif.benchmarks.shared.tables import shared_tables, without_empty_tables
from whatif.benchmarks.shared.tasks import scatter_plot, write_shortcuts
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
from whatif.engine.graph.steps import Benchmark, StepsOf
from whatif.engine.graph.task import Task
from whatif.results.reporting.table_modules import TableModules

NAME = "cfmm"
TITLE = "CFMM"
_step = StepsOf(CfmmSettings)
_RICHER = f"lower least_objects and least_categories, or complete image_folders, of extract.{NAME} in params.yaml"
TABLES = TableModules(
    "whatif.benchmarks.cfmm",
    *shared_tables(
        "shortcuts",
        "annotator_agreement",
        "annotators",
        "repeats",
        "prompt_sensitivity",
        "probes",
        "reading",
        "costs",
        "funnel",
    ),
)


@_step(
    "extract",
    reads=lambda s: s.extract,
    seed=True,
    outputs={"images": IMAGES, "candidates": CANDIDATES, "examples": EXAMPLES, "rejections": REJECTIONS},
)
def extract(task: Task[ExtractCfmm]) -> None:
    """Extracts images with enough objects, and the examples that are shown before questions (CFMM 3.3, 4)."""
    from whatif.benchmarks.cfmm.examples import examples_of
    from whatif.benchmarks.cfmm.sources import candidates_of
    from whatif.engine.artifacts.images import SortedImages

    found = candidates_of(task.settings, task.seed)
    shown = examples_of(task.settings, task.seed)
    with SortedImages(task.outputs.writer("images")) as images:
        for row in (*found.images, *shown.images):
            images.add(row)
    task.outputs.write("candidates", found.rows)
    task.outputs.write("examples", shown.rows)
    task.outputs.write("rejections", found.rejections)
    task.check_losses("images", len(found.rows), found.rejections, remedy=_RICHER)


@_step(
    "generate",
    name="annotate",
    reads=lambda s: WriteSettings(s.extract, s.generate.annotations, s.generate.resolution, s.generate.second_option),
    seed=True,
    inputs={"candidates": extract["candidates"]},
    outputs={
        "annotated": QUESTIONS,
        "annotations": JUDGEMENTS,
        "annotation-gold": JUDGEMENTS,
        "unannotated": REJECTIONS,
    },
)
def annotate(task: Task[WriteSettings]) -> None:
    """Makes the annotators' questions: basic and counterfactual ones (CFMM 3.3), or computes those of drawn scenes."""
    from whatif.benchmarks.cfmm.annotations import write_annotated

    write_annotated(task)


@_step(
    "generate",
    name="check",
    reads=lambda s: s.generate.check,
    seed=True,
    inputs={"questions": annotate["annotated"]},
    outputs={
        "checked": QUESTIONS,
        "checks": JUDGEMENTS,
        "check-gold": JUDGEMENTS,
        "corrections": CORRECTIONS,
        "unchecked": REJECTIONS,
    },
)
def check(task: Task[VerifyQuestions]) -> None:
    """Applies what a second person says about the annotators' questions, before they are expanded (CFMM 3.3)."""
    from whatif.benchmarks.cfmm.checks import write_checked

    write_checked(task, "checked", "checks", "check-gold", "unchecked", "corrections", right_first=True)


@_step(
    "generate",
    name="expand",
    reads=lambda s: ExpandSettings(s.generate.expansion, s.generate.second_option),
    seed=True,
    divided_by=(WRITER,),
    package_files=(f"{__package__}:expansion_prompts.yaml",),
    inputs={"questions": check["checked"], "images": extract["images"]},
    outputs={"expanded": QUESTIONS, "replies": REPLIES, "refused": REJECTIONS},
)
def expand(task: Task[ExpandSettings]) -> None:
    """Asks a chat model for three further counterfactual questions of each item (CFMM 3.3, B)."""
    from whatif.benchmarks.cfmm.expansion import write_expanded

    write_expanded(task)


@_step(
    "filter",
    reads=lambda s: s.filter,
    seed=True,
    inputs={"questions": check["checked"], "expanded": expand["expanded"]},
    outputs={"questions": QUESTIONS, "rejections": REJECTIONS},
)
def filter_(task: Task[FilterCfmm]) -> None:
    """Rejects questions that give their answer away or have no certain one, and orders the options (CFMM 3.3)."""
    from whatif.benchmarks.cfmm.filters import filtered, remedy_for

    questions = [*task.rows("questions"), *task.rows("expanded")]
    kept, rejections = filtered(questions, task.settings, seed=task.seed)
    task.outputs.write("questions", kept)
    task.outputs.write("rejections", rejections)
    task.check_losses("questions", len(kept), rejections, remedy=remedy_for(questions, task.settings))


@_step(
    "verify",
    reads=lambda s: s.verify,
    seed=True,
    inputs={"questions": filter_["questions"]},
    outputs={
        "questions": QUESTIONS,
        "judgements": JUDGEMENTS,
        "gold": JUDGEMENTS,
        "corrections": CORRECTIONS,
        "rejections": REJECTIONS,
    },
)
def verify(task: Task[VerifyQuestions]) -> None:
    """Applies what people say about the expanded questions (CFMM 3.3)."""
    from whatif.benchmarks.cfmm.checks import write_checked

    write_checked(task, "questions", "judgements", "gold", "rejections", "corrections")


@_step(
    "evaluate",
    seed=True,
    divided_by=(CHOOSER, STRATEGY),
    inputs={"questions": verify["questions"], "images": extract["images"], "examples": extract["examples"]},
    outputs={"predictions": PREDICTIONS},
)
def evaluate(task: Task[None]) -> None:
    """Asks one model all questions with the prompts of one strategy: it ranks the two options (CFMM 3.4, 4)."""
    from whatif.benchmarks.cfmm.evaluation import write_answers

    write_answers(task)


judge = judge_step(HAS_CHOSEN, STRATEGY, questions=verify["questions"], predictions=evaluate["predictions"])
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
    """Measures how many questions of a variant can be answered without images."""
    from whatif.scoring.shortcuts.audit import ALL_RULES

    write_shortcuts(task, {"ours": task.rows("questions")}, task.settings, rules=ALL_RULES, basis=BASIC)


@_step(
    "aggregate",
    reads=lambda s: ReportSettings(
        s.aggregate,
        s.evaluate.strategies,
        s.generate.second_option,
        s.verify.resolution,
        s.extract.items,
        s.evaluate.judge,
    ),
    seed=True,
    shown=(SHOWN_CHOOSERS, SHOWN_JUDGE),
    package_files=tuple(f"{__package__}:published/{name}.csv" for name in ("table1", "table2", "table3", "text")),
    inputs={
        "images": extract["images"],
        "candidates": extract["candidates"],
        "poor": extract["rejections"],
        "annotated": annotate["annotated"],
        "annotations": annotate["annotations"],
        "unannotated": annotate["unannotated"],
        "checked": check["checked"],
        "checks": check["checks"],
        "unchecked": check["unchecked"],
        "expanded": expand["expanded"],
        "replies": expand["replies"],
        "refused expansions": expand["refused"],
        "filtered": filter_["rejections"],
        "filtered questions": filter_["questions"],
        "refused": verify["rejections"],
        "judgements": verify["judgements"],
        "gold": verify["gold"],
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
    """Makes Tables 1 to 3 beside the reported numbers, Figure 4, the fall from basic questions, and the funnel."""
    from whatif.benchmarks.cfmm.report import publish_report

    publish_report(task, TITLE, TABLES)


BENCHMARK = Benchmark(
    name=NAME,
    settings=CfmmSettings,
    steps=(
        extract,
        annotate,
        check,
        expand,
        filter_,
        verify,
        evaluate,
        judge,
        probes,
        people,
        audit_shortcuts,
        aggregate,
    ),
    outside=lambda params: (
        "photographs"
        if (own := params.section(NAME, CfmmSettings).extract).instances is not None or own.items is not None
        else ""
    ),
    citation=(
        'Li et al., "Eyes Can Deceive: Benchmarking Counterfactual Reasoning Capabilities of Multimodal Large Language '
        'Models", 2024.'
    ),
    headline=("acc_b", "acc_c"),
    plots=(scatter_plot(TITLE, "acc_b, mean over categories (%)", "acc_c, mean over categories (%)"),),
    people={
        **peoples_work(
            extract["candidates"], extract["images"], written=annotate["annotated"], expanded=filter_["questions"]
        ),
        "answer": answered_questions(verify["questions"], extract["images"]),
    },
    about=(
        "One basic question about each image and four counterfactual ones, each of which presupposes a change of the "
        "image, in six categories. Models rank two options (CFMM, Li et al. 2024)."
    ),
)
