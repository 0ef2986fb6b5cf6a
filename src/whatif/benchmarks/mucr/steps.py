"""MuCR: which effect follows from a cause, and why, in siamese images and in text (MuCR 3 to 5, A, B).

The steps extract core caption pairs in groups of four; take people's cue phrases and explanations, write contextual
descriptions and draw candidates of images in three styles; preselect these by CLIP; let people choose, and make
questions in text and in several visual forms; ask models, fine-tune small ones, and import people's answers; and make
Tables 1 to 4, 6 and 7 and Figures 4 to 6, 8, 11 and 14. The steps up to the questions are in `construction`.
"""

from __future__ import annotations

from whatif.benchmarks.mucr import construction as made
from whatif.benchmarks.mucr.dimensions import SEED, SHOWN, SHOWN_TUNED, STRATEGY, TUNED
from whatif.benchmarks.mucr.people import peoples_work
from whatif.benchmarks.mucr.schemas import TRAINING
from whatif.benchmarks.mucr.settings import (
    NAME,
    MucrSettings,
    ReportSettings,
)
from whatif.benchmarks.shared.dimensions import CHOOSER, HAS_CHOSEN, PROBE, SHOWN_JUDGE, STRATEGY_FILES
from whatif.benchmarks.shared.human_attempts import people_step
from whatif.benchmarks.shared.judging import judge_step
from whatif.benchmarks.shared.probing import probe_step
from whatif.benchmarks.shared.tables import shared_tables, without_empty_tables
from whatif.benchmarks.shared.tasks import scatter_plot
from whatif.engine.artifacts.schemas import PREDICTIONS, SHORTCUTS
from whatif.engine.artifacts.site_schemas import SITE_OUTPUTS
from whatif.engine.graph.reading import first_of
from whatif.engine.graph.steps import Benchmark, StepsOf
from whatif.engine.graph.task import Task
from whatif.engine.language.strategies import DIRECT
from whatif.engine.params.fine_tuning import FineTuning
from whatif.results.reporting.table_modules import TableModules

TITLE = "MuCR"
TABLES = TableModules(
    "whatif.benchmarks.mucr",
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
_step = StepsOf(MucrSettings)


_IMAGES = {
    "images": made.extract["images"],
    "drawn-images": made.draw["drawn-images"],
    "composites": made.questions["composites"],
}


@_step(
    "evaluate",
    reads=lambda s: first_of(s.evaluate.strategies),
    seed=True,
    divided_by=(CHOOSER, STRATEGY),
    inputs={
        "questions": made.questions["questions"],
        "training": made.questions["training"],
        "items": made.questions["items"],
        "pairs": made.annotate["pairs"],
        **_IMAGES,
    },
    outputs={"predictions": PREDICTIONS},
)
def evaluate(task: Task[str]) -> None:
    """Asks one model with one strategy; those after the first ask in the main visual form only (MuCR 4, 5.3)."""
    from whatif.benchmarks.mucr.evaluation import write_answers

    write_answers(task)


judge = judge_step(HAS_CHOSEN, STRATEGY, questions=made.questions["questions"], predictions=evaluate["predictions"])
probes = probe_step(evaluate, PROBE)


@_step(
    "evaluate",
    name="fine-tune",
    reads=lambda s: s.evaluate.fine_tuning.recipe,
    seed=True,
    divided_by=(TUNED, SEED),
    package_files=tuple(file.format(DIRECT) for file in STRATEGY_FILES),
    inputs={
        "questions": made.questions["questions"],
        "training": made.questions["training"],
        "items": made.questions["items"],
        **_IMAGES,
    },
    outputs={"tuned-predictions": PREDICTIONS, "losses": TRAINING},
)
def fine_tune(task: Task[FineTuning]) -> None:
    """Fine-tunes a model with the correct choices of the train groups, and asks it about the test groups (Table 4)."""
    from whatif.benchmarks.mucr.fine_tuning import write_tuned

    write_tuned(task)


people = people_step(made.questions["questions"])  # (MuCR 4.1, Figure 5)


@_step(
    "aggregate",
    name="shortcuts",
    reads=lambda s: s.aggregate.audit_folds,
    seed=True,
    inputs={
        "questions": made.questions["questions"],
        "items": made.questions["items"],
        "pairs": made.annotate["pairs"],
    },
    outputs={"shortcuts": SHORTCUTS},
)
def audit_shortcuts(task: Task[int]) -> None:
    """Measures how many questions can be answered without the images or without the cause."""
    from whatif.benchmarks.mucr.shortcut_audit import write_shortcuts

    write_shortcuts(task)


@_step(
    "aggregate",
    reads=lambda s: ReportSettings(
        s.aggregate,
        s.evaluate.strategies,
        s.verify.questions,
        s.verify.resolution,
        s.extract.released,
        s.evaluate.judge,
    ),
    seed=True,
    shown=(SHOWN, SHOWN_TUNED, SHOWN_JUDGE),
    package_files=tuple(
        f"{__package__}:published/{name}.csv"
        for name in ("table1", "table2", "table3", "table4", "table6", "table7", "text")
    ),
    inputs={
        **_IMAGES,
        "extracted": made.extract["pairs"],
        "unusable": made.extract["rejections"],
        "pairs": made.annotate["pairs"],
        "annotations": made.annotate["annotations"],
        "unannotated": made.annotate["unannotated"],
        "descriptions": made.describe_all["descriptions"],
        "undescribed": made.describe["undescribed"],
        "provided": made.extract["provided"],
        "candidates": made.draw["candidates"],
        "undrawn": made.draw["undrawn"],
        "preselected": made.filter_["preselected"],
        "filtered": made.filter_["rejections"],
        "choices": made.verify["choices"],
        "judgements": made.verify["judgements"],
        "gold": made.verify["gold"],
        "refused": made.verify["rejections"],
        "questions": made.questions["questions"],
        "training": made.questions["training"],
        "items": made.questions["items"],
        "unasked": made.questions["unasked"],
        "predictions": evaluate["predictions"],
        "judged": judge["judged"],
        "probed": probes["probed"],
        "tuned": fine_tune["tuned-predictions"],
        "losses": fine_tune["losses"],
        "attempts": people["attempts"],
        "uncounted": people["uncounted"],
        "shortcuts": audit_shortcuts["shortcuts"],
    },
    outputs=SITE_OUTPUTS,
    code=TABLES.code,
    publishes=("report.md", *TABLES.files),
    leaves_out=without_empty_tables(CHOOSER, PROBE),
)
def aggregate(task: Task[ReportSettings]) -> None:
    """Makes the tables beside the reported numbers, the figures, the drops, the funnel, and items."""
    from whatif.benchmarks.mucr.report import publish_report

    publish_report(task, TITLE, TABLES)


BENCHMARK = Benchmark(
    name=NAME,
    settings=MucrSettings,
    steps=(
        made.extract,
        made.annotate,
        made.describe,
        made.describe_all,
        made.draw,
        made.filter_,
        made.verify,
        made.questions,
        evaluate,
        judge,
        probes,
        fine_tune,
        people,
        audit_shortcuts,
        aggregate,
    ),
    outside=lambda params: (
        "pairs from outside"
        if (own := params.section(NAME, MucrSettings).extract).released is not None or own.captions is not None
        else ""
    ),
    citation='"Multimodal Causal Reasoning Benchmark: Challenging Multimodal Large Language Models to Discern Causal '
    'Links Across Modalities", 2025.',
    headline=("multimodal", "text"),
    people=peoples_work(
        made.extract["pairs"],
        questions=made.questions["questions"],
        items=made.questions["items"],
        composites=made.questions["composites"],
        annotated=made.annotate["pairs"],
        preselected=made.filter_["preselected"],
        choices=made.verify["choices"],
        candidates=(made.extract["provided"], made.draw["candidates"]),
        images=(made.extract["images"], made.draw["drawn-images"]),
    ),
    plots=(
        scatter_plot(
            "MuCR", "text, mean of C2E, CP and EXP (%)", "images, mean of C2E, CP and EXP (%)", x="text", y="images"
        ),
    ),
    about=(
        "A cause and its effect, as siamese images and as text, in groups of four that differ only in their cues. "
        "Models choose the effect (C2E), the cue phrase (CP) and the explanation (EXP) out of four options (MuCR, "
        "2025)."
    ),
)
