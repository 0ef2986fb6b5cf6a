"""The steps of C-VQA-Real that make its questions, from their sources to those that people verified (C-VQA 3).

`whatif.benchmarks.cvqa_real.steps` evaluates models on them and makes the tables.
"""

from __future__ import annotations

from whatif.benchmarks.cvqa_real.dimensions import POLISHER, WRITER
from whatif.benchmarks.cvqa_real.schemas import POLISHED, REPLIES, WRITTEN
from whatif.benchmarks.cvqa_real.settings import (
    CheckSettings,
    CvqaRealSettings,
    FilterSettings,
    Polish,
    SourceSettings,
    Writers,
    WriteSettings,
)
from whatif.benchmarks.shared.imported_labels import LabelSettings
from whatif.engine.artifacts.schemas import CORRECTIONS, IMAGES, JUDGEMENTS, QUESTIONS, REJECTIONS
from whatif.engine.graph.steps import StepsOf
from whatif.engine.graph.task import Task

_step = StepsOf(CvqaRealSettings)


@_step(
    "extract",
    reads=lambda s: SourceSettings(
        s.extract.questions,
        s.extract.vqa,
        s.extract.image_folders,
        s.extract.least_agreement,
        s.extract.limit,
        s.extract.scenes,
    ),
    seed=True,
    outputs={"questions": QUESTIONS, "images": IMAGES, "missing": REJECTIONS, "rejections": REJECTIONS},
)
def extract(task: Task[SourceSettings]) -> None:
    """Extracts the released pairs, or numerical and yes-or-no questions to be changed, with their images."""
    from whatif.benchmarks.cvqa_real.sources import write_source

    write_source(task)


@_step(
    "generate",
    name="annotate",
    reads=lambda s: LabelSettings(s.generate.annotations, s.generate.resolution),
    seed=True,
    inputs={"questions": extract["questions"]},
    outputs={
        "annotated": WRITTEN,
        "annotations": JUDGEMENTS,
        "annotation-gold": JUDGEMENTS,
        "unannotated": REJECTIONS,
    },
)
def annotate(task: Task[LabelSettings]) -> None:
    """Takes the counterfactual questions that people wrote: the seeds, and indirect ones (C-VQA 3.1, 3.2)."""
    from whatif.benchmarks.cvqa_real.annotations import write_annotated

    write_annotated(task)


@_step(
    "generate",
    name="rules",
    reads=lambda s: s.generate.writers,
    seed=True,
    inputs={"questions": extract["questions"]},
    outputs={"by-rules": WRITTEN, "unchanged": REJECTIONS},
)
def rules(task: Task[Writers]) -> None:
    """Writes counterfactual questions by rules, and indirect ones about drawn scenes, whose content is known."""
    from whatif.benchmarks.cvqa_real.offline_writers import write_by_rules

    write_by_rules(task)


@_step(
    "generate",
    name="write",
    reads=lambda s: WriteSettings(s.generate.writers, s.generate.prompting),
    seed=True,
    divided_by=(WRITER,),
    package_files=tuple(
        f"{__package__}:{name}" for name in ("writer_prompt.yaml", "writer_prompt_short.yaml", "seeds.yaml")
    ),
    inputs={"questions": extract["questions"], "annotated": annotate["annotated"]},
    outputs={"by-model": WRITTEN, "replies": REPLIES, "unwritten": REJECTIONS},
)
def write(task: Task[WriteSettings]) -> None:
    """Asks a chat model for counterfactual questions, with examples, in the steps of C-VQA 3.1 and B."""
    from whatif.benchmarks.cvqa_real.chat_writing import write_with_model

    write_with_model(task)


@_step(
    "generate",
    inputs={
        "source": extract["questions"],
        "annotated": annotate["annotated"],
        "by-rules": rules["by-rules"],
        "by-model": write["by-model"],
    },
    outputs={"questions": QUESTIONS, "written": WRITTEN},
)
def generate(task: Task[None]) -> None:
    """Joins originals and counterfactuals into pairs, by the ids of the written questions, or as released."""
    from whatif.benchmarks.cvqa_real.joining import write_pairs

    write_pairs(task)


@_step(
    "filter",
    reads=lambda s: FilterSettings(s.filter, s.aggregate.audit_folds),
    seed=True,
    inputs={"questions": generate["questions"], "written": generate["written"]},
    outputs={"questions": QUESTIONS, "rejections": REJECTIONS},
)
def filter_(task: Task[FilterSettings]) -> None:
    """Rejects pairs without image, and written questions that contradict themselves, their answer or others."""
    from whatif.benchmarks.cvqa_real.filters import write_filtered

    write_filtered(task)


@_step(
    "verify",
    name="check",
    reads=lambda s: CheckSettings(s.verify.labels, s.verify.resolution, s.verify.unjudged),
    seed=True,
    inputs={"questions": filter_["questions"]},
    outputs={
        "checked": QUESTIONS,
        "judgements": JUDGEMENTS,
        "gold": JUDGEMENTS,
        "corrections": CORRECTIONS,
        "unchecked": REJECTIONS,
    },
)
def check(task: Task[CheckSettings]) -> None:
    """Removes and corrects questions as people say: related to the image, with a reasonable answer (C-VQA 3.2)."""
    from whatif.benchmarks.cvqa_real.verification import write_checked

    write_checked(task)


@_step(
    "verify",
    name="polish",
    reads=lambda s: s.verify.polish,
    seed=True,
    divided_by=(POLISHER,),
    package_files=(f"{__package__}:polish_prompt.yaml",),
    inputs={"checked": check["checked"]},
    outputs={"polished": POLISHED, "unpolished": REJECTIONS},
)
def polish(task: Task[Polish]) -> None:
    """Asks a chat model to correct the grammar of the questions, and refuses edits that change more (C-VQA 3.2)."""
    from whatif.benchmarks.cvqa_real.polishing import write_polished

    write_polished(task)


@_step(
    "verify",
    inputs={"checked": check["checked"], "polished": polish["polished"]},
    outputs={"questions": QUESTIONS, "answer-checks": JUDGEMENTS, "rejections": REJECTIONS},
)
def verify(task: Task[None]) -> None:
    """Applies the polishing, and checks that each answer can be scored: that it is extracted from its own text."""
    from whatif.benchmarks.cvqa_real.verification import write_verified

    write_verified(task)
