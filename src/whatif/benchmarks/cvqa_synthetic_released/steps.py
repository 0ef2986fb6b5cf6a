"""C-VQA-Synthetic as released: its 3,000 puzzles, checked by their text, asked, and in Table 7 (C-VQA 3.3, 4.2).

The steps extract the released questions and their images; leave out puzzles whose image is missing or occurs twice;
reject puzzles whose text contradicts itself; ask models; and make the tables of our own puzzles, beside those if both
benchmarks are selected.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from whatif.benchmarks.cvqa_synthetic import BENCHMARK as OURS
from whatif.benchmarks.cvqa_synthetic.steps import PAIRED_TABLES, TABLE_7, VARIANT
from whatif.benchmarks.cvqa_synthetic.steps import aggregate as our_aggregate
from whatif.benchmarks.cvqa_synthetic_released.settings import (
    CvqaSyntheticReleasedSettings,
    ExtractReleasedPuzzles,
    ReportSettings,
)
from whatif.benchmarks.shared.choice_questions import Ask, ask_choices, write_choice_findings
from whatif.benchmarks.shared.dimensions import (
    CHOOSER,
    HAS_CHOSEN,
    PROBE,
    PROGRAMMER,
    SHOWN_CHOOSERS,
    SHOWN_JUDGE,
    SHOWN_PROGRAMMER,
)
from whatif.benchmarks.shared.human_attempts import people_step
from whatif.benchmarks.shared.judging import judge_step
from whatif.benchmarks.shared.people import answered_questions
from whatif.benchmarks.shared.probing import probe_step
from whatif.benchmarks.shared.program_findings import PROGRAM_FINDINGS
from whatif.benchmarks.shared.tables import without_empty_tables
from whatif.benchmarks.shared.tasks import (
    OF_ACCURACIES,
    judgement,
    keep_pairs,
    pairs_of,
    rejection,
    scatter_plot,
    write_shortcuts,
)
from whatif.engine.artifacts.images import SortedImages
from whatif.engine.artifacts.schemas import IMAGES, JUDGEMENTS, PREDICTIONS, QUESTIONS, REJECTIONS, SHORTCUTS
from whatif.engine.artifacts.site_schemas import SITE_OUTPUTS
from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import user_path
from whatif.engine.graph.dimensions import part_dimension
from whatif.engine.graph.steps import TEXT_FILES, Benchmark, StepsOf
from whatif.engine.graph.task import Task
from whatif.engine.language.strategies import DIRECT
from whatif.results.reporting.table_modules import TableModules

NAME = "cvqa-synthetic-released"
TITLE = "C-VQA-Synthetic as released"
TABLES = TableModules("whatif.benchmarks.cvqa_synthetic", "whatif.benchmarks.cvqa_synthetic_released", *PAIRED_TABLES)
_step = StepsOf(CvqaSyntheticReleasedSettings)
PART = part_dimension(
    lambda params, benchmark: params.section(benchmark, CvqaSyntheticReleasedSettings).evaluate.shards
)
_FOLDER = f"give the folder of the released images as extract.{NAME}.image_folder in params.yaml"
_FILE = f"give the path of C-VQA-Synthetic_questions.csv as extract.{NAME}.questions in params.yaml"


@_step(
    "extract",
    reads=lambda s: s.extract,
    outputs={"questions": QUESTIONS, "images": IMAGES, "rejections": REJECTIONS, "pictures": REJECTIONS},
)
def extract(task: Task[ExtractReleasedPuzzles]) -> None:
    """Extracts the released questions and their images; counts bad rows, and missing, bad and repeated images."""
    from whatif.formats.c_vqa import SYNTHETIC_GROUPS, read_good_rows
    from whatif.formats.c_vqa_folder import FoundImages, find_images

    settings = task.settings
    if settings.questions is None:
        raise WhatifError(f"extract.{NAME}.questions: is null; {_FILE}")
    released = read_good_rows(user_path(settings.questions), SYNTHETIC_GROUPS)
    task.check_losses("rows", len(released.questions) // 2, released.rejections, remedy=_FILE)
    with SortedImages(task.outputs.writer("images")) as store:
        names = [_picture(question) for question in released.questions]
        found = FoundImages()  # without a folder, models that take no images can be asked
        if settings.image_folder is not None:
            found = find_images(names, user_path(settings.image_folder), store.add)
            missing = [row for row in found.rejections if row["item_id"] not in found.ids]
            task.check_losses("pictures", len(set(names)) - len(missing), missing, remedy=_FOLDER)
    questions = [
        {**question, "image_ids": [found.ids[name]] if name in found.ids else []}
        for question, name in zip(released.questions, names, strict=True)
    ]
    task.outputs.write("questions", questions)
    task.outputs.write("rejections", released.rejections)
    task.outputs.write("pictures", found.rejections)


@_step("filter", inputs={"questions": extract["questions"]}, outputs={"questions": QUESTIONS, "rejections": REJECTIONS})
def filter_(task: Task[None]) -> None:
    """Rejects puzzles whose image is missing, or occurred before with the same or another question.

    If there are no images at all, the name of an image stands for it.
    """
    first: dict[str, tuple[str, list[Any]]] = {}
    rejected: dict[str, dict[str, Any]] = {}
    texts_only = not any(row["image_ids"] for row in task.rows("questions"))
    for pair_id, pair in pairs_of(task.rows("questions")):
        shown = [_picture(pair[0])] if texts_only else pair[0]["image_ids"]
        if not shown:
            detail = f"{_picture(pair[0])} is not in the folder, or cannot be decoded"
            rejected[pair_id] = rejection(pair_id, "no picture", detail)
            continue
        asked = [(row["variant"], row["question"]) for row in pair]
        earlier, asked_earlier = first.setdefault(shown[0], (pair_id, asked))
        if earlier != pair_id:
            same = "question" if asked == asked_earlier else "picture"
            detail = f"shows the same picture as {earlier}{', with the same questions' if same == 'question' else ''}"
            rejected[pair_id] = rejection(pair_id, f"same {same}", detail)
    keep_pairs(task, rejected, remedy=_FOLDER)


@_step(
    "verify",
    inputs={"questions": filter_["questions"]},
    outputs={"questions": QUESTIONS, "judgements": JUDGEMENTS, "rejections": REJECTIONS},
)
def verify(task: Task[None]) -> None:
    """Checks what can be checked without the scene, and rejects the pairs whose text contradicts itself."""
    from whatif.benchmarks.cvqa_synthetic_released.text_checks import findings

    judgements = []
    rejected: dict[str, dict[str, Any]] = {}
    for pair_id, pair in pairs_of(task.rows("questions")):
        for finding in findings(pair):
            row = judgement(pair_id, finding.check, finding.contradictions)
            judgements.append({**row, "comment": row["comment"] or finding.note})
            if finding.contradictions and pair_id not in rejected:
                reason = f"failed the check of its {finding.check}"
                rejected[pair_id] = rejection(pair_id, reason, "; ".join(finding.contradictions))
    task.outputs.write("judgements", judgements)
    keep_pairs(task, rejected, remedy=_FILE)


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
    """Asks one model the questions of one part's puzzles, as our own are asked."""
    ask_choices(task, task.settings, image_remedy=_FOLDER)


judge = judge_step(HAS_CHOSEN, PART, questions=verify["questions"], predictions=evaluate["predictions"])
probes = probe_step(evaluate, PROBE)
people = people_step(verify["questions"])


@_step(
    "evaluate",
    name="programs",
    reads=lambda s: s.evaluate.program_labels,
    divided_by=(PROGRAMMER, PART),
    shown=(SHOWN_PROGRAMMER,),
    inputs={
        "questions": verify["questions"],
        "images": extract["images"],
        "predictions": evaluate["predictions"],
    },
    outputs={"program-findings": PROGRAM_FINDINGS},
)
def find_causes(task: Task[str | None]) -> None:
    """Finds out why the answers of one model's programs are wrong, from their runs and from people's labels."""
    write_choice_findings(task, lambda image_id: None, task.settings)


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
    write_shortcuts(task, {"released": task.read("questions").to_pylist()}, task.settings)


@_step(
    "aggregate",
    reads=lambda s: ReportSettings(s.aggregate.confidence, s.aggregate.rule, s.evaluate.judge),
    seed=True,
    shown=(SHOWN_CHOOSERS, SHOWN_JUDGE),
    package_files=(TABLE_7,),
    inputs={
        "images": extract["images"],
        "bad rows": extract["rejections"],
        "pictures": extract["pictures"],
        "released": extract["questions"],
        "filtered": filter_["rejections"],
        "filtered questions": filter_["questions"],
        "judgements": verify["judgements"],
        "refused": verify["rejections"],
        "questions": verify["questions"],
        "shortcuts": audit_shortcuts["shortcuts"],
        "predictions": evaluate["predictions"],
        "judged": judge["judged"],
        "probed": probes["probed"],
        "attempts": people["attempts"],
        "uncounted": people["uncounted"],
        "program-findings": find_causes["program-findings"],
        "ours": our_aggregate[TEXT_FILES].of(OURS.name),
    },
    outputs=SITE_OUTPUTS,
    code=TABLES.code,
    publishes=("report.md", *TABLES.files),
    leaves_out=without_empty_tables(CHOOSER, PROBE),
)
def aggregate(task: Task[ReportSettings]) -> None:
    """Makes Table 7 beside the reported numbers and those of our own puzzles, and its companion tables."""
    from whatif.benchmarks.cvqa_synthetic.report import publish_report
    from whatif.benchmarks.cvqa_synthetic_released.released_set import released_puzzles

    publish_report(task, released_puzzles(task, TITLE), TABLES)


def _picture(question: Mapping[str, Any]) -> str:
    return str(json.loads(question["provenance"])["img_path"])


BENCHMARK = Benchmark(
    name=NAME,
    settings=CvqaSyntheticReleasedSettings,
    steps=(extract, filter_, verify, evaluate, judge, probes, people, find_causes, audit_shortcuts, aggregate),
    outside=lambda params: "the released puzzles",
    citation=OURS.citation,
    headline=OURS.headline,
    people={"answer": answered_questions(verify["questions"], extract["images"])},
    plots=(scatter_plot(TITLE, *OF_ACCURACIES),),
    about=(
        "The released puzzles of C-VQA-Synthetic: multiple-choice questions about drawn images. The counterfactual "
        "question adds a presupposition to the original one; the image stays the same (C-VQA, Zhang et al. 2024)."
    ),
)
