"""MuCR: which effect follows from a cause, and why, in siamese images and in text (MuCR 3 to 5, A, B).

The steps extract core caption pairs in groups of four; take people's cue phrases and explanations, write contextual
descriptions and draw candidates of images in three styles; preselect these by CLIP; let people choose, and make
questions in text and in several visual forms; ask models, fine-tune small ones, and import people's answers; and make
Tables 1 to 4, 6 and 7 and Figures 4 to 6, 8, 11 and 14.
"""

from __future__ import annotations

from whatif.artifacts.schemas import IMAGES, JUDGEMENTS, PREDICTIONS, QUESTIONS, REJECTIONS, SHORTCUTS
from whatif.benchmarks.mucr.dimensions import GENERATOR, PART, SEED, SHOWN, SHOWN_TUNED, STRATEGY, TUNED, WRITER
from whatif.benchmarks.mucr.people import peoples_work
from whatif.benchmarks.mucr.schemas import (
    ATTEMPTS,
    CANDIDATES,
    CAUSAL_PAIRS,
    CHOICES,
    DESCRIPTIONS,
    ITEMS,
    TRAINING,
)
from whatif.benchmarks.mucr.settings import (
    AnnotateSettings,
    AuditSettings,
    ChooseSettings,
    Descriptions,
    DrawSettings,
    FilterMucr,
    MucrSettings,
    QuestionSettings,
    ReportSettings,
    SourceSettings,
)
from whatif.benchmarks.shared.annotator_tables import ANNOTATOR_TABLES
from whatif.benchmarks.shared.dimensions import CHOOSER, STRATEGY_FILES
from whatif.benchmarks.shared.tasks import table_files
from whatif.graph.reading import first_of
from whatif.graph.steps import Benchmark, StepsOf
from whatif.graph.task import Task
from whatif.language.strategies import DIRECT
from whatif.params.fine_tuning import FineTuning

NAME = "mucr"
FIGURES = tuple(f"figure{number}.svg" for number in (4, 5, 6, 8, 11, 14))
_TABLES = (
    *("table6", "gap", "table1", "table2", "table3", "table4", "table7", "styles", "context", "language", "set"),
    *("shortcuts", "rules", "costs", "funnel"),
)
_step = StepsOf(MucrSettings)


@_step(
    "extract",
    reads=lambda s: SourceSettings(s.extract, s.generate.styles),
    seed=True,
    outputs={"pairs": CAUSAL_PAIRS, "provided": CANDIDATES, "images": IMAGES, "rejections": REJECTIONS},
)
def extract(task: Task[SourceSettings]) -> None:
    """Extracts pairs of core captions in groups of four, and the images of the released form (MuCR 3.1)."""
    from whatif.benchmarks.mucr.sources import write_pairs

    write_pairs(task)


@_step(
    "generate",
    name="annotate",
    reads=lambda s: AnnotateSettings(s.generate.annotations, s.generate.resolution),
    seed=True,
    inputs={"pairs": extract["pairs"]},
    outputs={
        "pairs": CAUSAL_PAIRS,
        "annotations": JUDGEMENTS,
        "annotation-gold": JUDGEMENTS,
        "unannotated": REJECTIONS,
    },
)
def annotate(task: Task[AnnotateSettings]) -> None:
    """Takes people's cue phrases and explanations of pairs that have none (MuCR 3.1)."""
    from whatif.benchmarks.mucr.annotations import write_annotated

    write_annotated(task)


@_step(
    "generate",
    name="describe",
    reads=lambda s: s.generate.descriptions,
    seed=True,
    divided_by=(WRITER,),
    package_files=(f"{__package__}:description_prompt.yaml",),
    inputs={"pairs": extract["pairs"]},  # not the annotated ones: new cue phrases change no description and no image
    outputs={"written": DESCRIPTIONS, "undescribed": REJECTIONS},
)
def describe(task: Task[Descriptions]) -> None:
    """Asks a chat model for contextual descriptions of cause and effect (MuCR 3.1, A.4)."""
    from whatif.benchmarks.mucr.descriptions import write_descriptions

    write_descriptions(task)


@_step(
    "generate",
    name="describe-all",
    reads=lambda s: s.generate.descriptions,
    inputs={"pairs": extract["pairs"], "written": describe["written"]},
    outputs={"descriptions": DESCRIPTIONS},
)
def describe_all(task: Task[Descriptions]) -> None:
    """The descriptions of all pairs: written by a model, computed for drawn scenes, or the captions themselves."""
    from whatif.benchmarks.mucr.descriptions import write_all_descriptions

    write_all_descriptions(task)


@_step(
    "generate",
    name="draw",
    reads=lambda s: DrawSettings(s.generate.styles, s.generate.candidates, s.generate.generators),
    seed=True,
    divided_by=(GENERATOR, PART),
    package_files=(f"{__package__}:styles.yaml",),
    inputs={"pairs": extract["pairs"], "descriptions": describe_all["descriptions"], "provided": extract["provided"]},
    outputs={"candidates": CANDIDATES, "drawn-images": IMAGES, "undrawn": REJECTIONS},
)
def draw(task: Task[DrawSettings]) -> None:
    """Draws candidates of every cause and effect in every style with one generator (MuCR 3.1)."""
    from whatif.benchmarks.mucr.drawing import write_candidates

    write_candidates(task)


@_step(
    "filter",
    reads=lambda s: s.filter,
    inputs={
        "descriptions": describe_all["descriptions"],
        "provided": extract["provided"],
        "candidates": draw["candidates"],
        "undrawn": draw["undrawn"],
        "images": extract["images"],
        "drawn-images": draw["drawn-images"],
    },
    outputs={"preselected": CHOICES, "rejections": REJECTIONS},
)
def filter_(task: Task[FilterMucr]) -> None:
    """Preselects pairs of images by CLIP: the fit to their descriptions, and the likeness of siblings (MuCR 3.1)."""
    from whatif.benchmarks.mucr.preselection import write_preselected

    write_preselected(task)


@_step(
    "verify",
    reads=lambda s: ChooseSettings(s.verify.choices, s.verify.resolution),
    seed=True,
    inputs={"preselected": filter_["preselected"], "pairs": annotate["pairs"]},
    outputs={"choices": CHOICES, "judgements": JUDGEMENTS, "gold": JUDGEMENTS, "rejections": REJECTIONS},
)
def verify(task: Task[ChooseSettings]) -> None:
    """Applies people's choice of one pair of images for each pair and style, or takes CLIP's best (MuCR 3.1)."""
    from whatif.benchmarks.mucr.choices import write_choices

    write_choices(task)


@_step(
    "verify",
    name="questions",
    reads=lambda s: QuestionSettings(s.verify.questions, s.generate.styles),
    seed=True,
    package_files=tuple(f"{__package__}:questions/{language}.yaml" for language in ("en", "zh")),
    inputs={
        "pairs": annotate["pairs"],
        "descriptions": describe_all["descriptions"],
        "provided": extract["provided"],
        "candidates": draw["candidates"],
        "choices": verify["choices"],
        "images": extract["images"],
        "drawn-images": draw["drawn-images"],
    },
    outputs={
        "questions": QUESTIONS,
        "training": QUESTIONS,
        "items": ITEMS,
        "composites": IMAGES,
        "unasked": REJECTIONS,
    },
)
def questions(task: Task[QuestionSettings]) -> None:
    """Makes the questions C2E, CP and EXP in text and in visual forms, with balanced letters (MuCR 3.2, 5)."""
    from whatif.benchmarks.mucr.questions import write_questions

    write_questions(task)


_IMAGES = {
    "images": extract["images"],
    "drawn-images": draw["drawn-images"],
    "composites": questions["composites"],
}


@_step(
    "evaluate",
    reads=lambda s: first_of(s.evaluate.strategies),
    seed=True,
    divided_by=(CHOOSER, STRATEGY),
    inputs={
        "questions": questions["questions"],
        "training": questions["training"],
        "items": questions["items"],
        "pairs": annotate["pairs"],
        **_IMAGES,
    },
    outputs={"predictions": PREDICTIONS},
)
def evaluate(task: Task[str]) -> None:
    """Asks one model with one strategy; those after the first ask in the main visual form only (MuCR 4, 5.3)."""
    from whatif.benchmarks.mucr.evaluation import write_answers

    write_answers(task)


@_step(
    "evaluate",
    name="fine-tune",
    reads=lambda s: s.evaluate.fine_tuning.recipe,
    seed=True,
    divided_by=(TUNED, SEED),
    package_files=tuple(file.format(DIRECT) for file in STRATEGY_FILES),
    inputs={
        "questions": questions["questions"],
        "training": questions["training"],
        "items": questions["items"],
        **_IMAGES,
    },
    outputs={"tuned-predictions": PREDICTIONS, "losses": TRAINING},
)
def fine_tune(task: Task[FineTuning]) -> None:
    """Fine-tunes a model with the correct choices of the train groups, and asks it about the test groups (Table 4)."""
    from whatif.benchmarks.mucr.fine_tuning import write_tuned

    write_tuned(task)


@_step(
    "evaluate",
    name="people",
    reads=lambda s: s.evaluate.human_attempts,
    inputs={"questions": questions["questions"]},
    outputs={"attempts": ATTEMPTS, "uncounted": REJECTIONS},
)
def people(task: Task[list[str]]) -> None:
    """Imports people's answers to the questions (MuCR 4.1, Figure 5)."""
    from whatif.benchmarks.mucr.human_answers import write_attempts

    write_attempts(task)


@_step(
    "aggregate",
    name="shortcuts",
    reads=lambda s: AuditSettings(s.aggregate.audit_folds),
    seed=True,
    inputs={"questions": questions["questions"], "items": questions["items"], "pairs": annotate["pairs"]},
    outputs={"shortcuts": SHORTCUTS},
)
def audit_shortcuts(task: Task[AuditSettings]) -> None:
    """Measures how many questions can be answered without the images or without the cause."""
    from whatif.benchmarks.mucr.shortcut_audit import write_shortcuts

    write_shortcuts(task)


@_step(
    "aggregate",
    reads=lambda s: ReportSettings(
        s.aggregate, s.evaluate.strategies, s.verify.questions, s.verify.resolution, s.extract.released
    ),
    seed=True,
    shown=(SHOWN, SHOWN_TUNED),
    package_files=tuple(
        f"{__package__}:published/{name}.csv"
        for name in ("table1", "table2", "table3", "table4", "table6", "table7", "text")
    ),
    inputs={
        **_IMAGES,
        "extracted": extract["pairs"],
        "unusable": extract["rejections"],
        "pairs": annotate["pairs"],
        "annotations": annotate["annotations"],
        "unannotated": annotate["unannotated"],
        "descriptions": describe_all["descriptions"],
        "undescribed": describe["undescribed"],
        "provided": extract["provided"],
        "candidates": draw["candidates"],
        "undrawn": draw["undrawn"],
        "preselected": filter_["preselected"],
        "filtered": filter_["rejections"],
        "choices": verify["choices"],
        "judgements": verify["judgements"],
        "gold": verify["gold"],
        "refused": verify["rejections"],
        "questions": questions["questions"],
        "training": questions["training"],
        "items": questions["items"],
        "unasked": questions["unasked"],
        "predictions": evaluate["predictions"],
        "tuned": fine_tune["tuned-predictions"],
        "losses": fine_tune["losses"],
        "attempts": people["attempts"],
        "uncounted": people["uncounted"],
        "shortcuts": audit_shortcuts["shortcuts"],
    },
    publishes=("report.md", "accuracy.csv", "gallery.html", *FIGURES, *table_files((*_TABLES, *ANNOTATOR_TABLES))),
)
def aggregate(task: Task[ReportSettings]) -> None:
    """Makes the tables beside the reported numbers, the figures, the gap of text and images, and the funnel."""
    from whatif.benchmarks.mucr.report import publish_report

    publish_report(task)


BENCHMARK = Benchmark(
    name=NAME,
    settings=MucrSettings,
    steps=(
        extract,
        annotate,
        describe,
        describe_all,
        draw,
        filter_,
        verify,
        questions,
        evaluate,
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
    headline=("text", "multimodal"),
    people=peoples_work(
        extract["pairs"],
        annotated=annotate["pairs"],
        preselected=filter_["preselected"],
        choices=verify["choices"],
        candidates=(extract["provided"], draw["candidates"]),
        images=(extract["images"], draw["drawn-images"]),
    ),
    plots=(
        {
            "file": "accuracy.csv",
            "template": "models",
            "x": "text",
            "y": "images",
            "x_label": "text, mean of C2E, CP and EXP (%)",
            "y_label": "images, mean of C2E, CP and EXP (%)",
            "title": "MuCR",
        },
    ),
)
