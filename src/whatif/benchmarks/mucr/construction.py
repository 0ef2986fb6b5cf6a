"""The steps of MuCR that make its questions, from the sources of the pairs to the visual forms (MuCR 3, A, 5).

`whatif.benchmarks.mucr.steps` evaluates models on them and makes the tables.
"""

from __future__ import annotations

from whatif.benchmarks.mucr.dimensions import GENERATOR, PART, WRITER
from whatif.benchmarks.mucr.schemas import (
    CANDIDATES,
    CAUSAL_PAIRS,
    CHOICES,
    DESCRIPTIONS,
    ITEMS,
)
from whatif.benchmarks.mucr.settings import (
    Descriptions,
    DrawSettings,
    FilterMucr,
    MucrSettings,
    QuestionSettings,
    SourceSettings,
)
from whatif.benchmarks.shared.imported_labels import LabelSettings
from whatif.engine.artifacts.schemas import IMAGES, JUDGEMENTS, QUESTIONS, REJECTIONS
from whatif.engine.graph.steps import StepsOf
from whatif.engine.graph.task import Task

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
    reads=lambda s: LabelSettings(s.generate.annotations, s.generate.resolution),
    seed=True,
    inputs={"pairs": extract["pairs"]},
    outputs={
        "pairs": CAUSAL_PAIRS,
        "annotations": JUDGEMENTS,
        "annotation-gold": JUDGEMENTS,
        "unannotated": REJECTIONS,
    },
)
def annotate(task: Task[LabelSettings]) -> None:
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
    reads=lambda s: LabelSettings(s.verify.choices, s.verify.resolution),
    seed=True,
    inputs={"preselected": filter_["preselected"], "pairs": annotate["pairs"]},
    outputs={"choices": CHOICES, "judgements": JUDGEMENTS, "gold": JUDGEMENTS, "rejections": REJECTIONS},
)
def verify(task: Task[LabelSettings]) -> None:
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
