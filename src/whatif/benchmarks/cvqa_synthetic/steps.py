"""C-VQA-Synthetic: multiple-choice questions on drawn puzzles, each with a counterfactual (C-VQA 3.3, 4.2).

The steps extract flower images; generate puzzles in six templates of 500, with two questions each; filter out puzzles
that are too crowded or duplicates; verify every answer by recounting the stored scene; ask models; and make Table 7.
"""

from __future__ import annotations

from typing import Any

from whatif.benchmarks.cvqa_synthetic.schemas import PUZZLES
from whatif.benchmarks.cvqa_synthetic.settings import (
    AuditSettings,
    CvqaSyntheticSettings,
    ExtractPuzzles,
    FilterPuzzles,
    GeneratePuzzles,
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
from whatif.benchmarks.shared.tables import shared_tables, without_empty_tables
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
from whatif.engine.graph.dimensions import Dimension, part_dimension
from whatif.engine.graph.steps import Benchmark, StepsOf
from whatif.engine.graph.task import Task
from whatif.engine.language.strategies import DIRECT
from whatif.results.reporting.table_modules import TableModules

NAME = "cvqa-synthetic"
TITLE = "C-VQA-Synthetic"
_step = StepsOf(CvqaSyntheticSettings)
PART = part_dimension(lambda params, benchmark: params.section(benchmark, CvqaSyntheticSettings).generate.shards)
VARIANT = Dimension(
    "variant",
    lambda params, benchmark: ["original", "counterfactual"],
    "Only this variant of the questions, original or counterfactual.",
)
PAIRED_TABLES = shared_tables(
    "templates",
    "drops",
    "letters",
    "rules",
    "shortcuts",
    "repeats",
    "prompt_sensitivity",
    "probes",
    "reading",
    "costs",
    "programs",
    "funnel",
)
TABLES = TableModules("whatif.benchmarks.cvqa_synthetic", *PAIRED_TABLES)
TABLE_7 = f"{__package__}:published/table7.csv"  # a file of the package
CITATION = (
    'Zhang et al., "What If the TV Was Off? Examining Counterfactual Reasoning Abilities of Multi-modal Language '
    'Models", CVPR 2024.'
)
HEADLINE = ("original", "counterfactual")


@_step("extract", reads=lambda s: s.extract, outputs={"flowers": IMAGES, "rejections": REJECTIONS})
def extract(task: Task[ExtractPuzzles]) -> None:
    """Extracts flower images from Icons-50 if `params.yaml` names its folder, otherwise draws them."""
    from whatif.benchmarks.cvqa_synthetic.flowers import drawn_flowers, icons50_flowers

    settings = task.settings
    rejections: list[dict[str, Any]] = []
    folder = settings.icons50.folder
    if folder is None:
        flowers = drawn_flowers(settings.flower_picture_size)
    else:
        icons50 = settings.icons50
        flowers, rejections = icons50_flowers(user_path(folder), icons50.classes, settings.flower_picture_size)
    task.outputs.write("flowers", flowers)
    task.outputs.write("rejections", rejections)
    remedy = f"give the folder of Icons-50 as extract.{NAME}.icons50.folder in params.yaml, or null for drawn flowers"
    task.check_losses("flower pictures", len(flowers), rejections, remedy=remedy)


@_step(
    "generate",
    reads=lambda s: s.generate,
    seed=True,
    divided_by=(PART,),
    inputs={"flowers": extract["flowers"]},
    outputs={"images": IMAGES, "puzzles": PUZZLES, "questions": QUESTIONS},
)
def generate(task: Task[GeneratePuzzles]) -> None:
    """Generates the puzzles of one part: images, scenes, and two questions each."""
    from whatif.benchmarks.cvqa_synthetic.puzzle_image import FlowerPictures
    from whatif.benchmarks.cvqa_synthetic.puzzles import generate_puzzle
    from whatif.benchmarks.cvqa_synthetic.questions import GROUPS
    from whatif.engine.progress import progress

    settings = task.settings
    flowers = FlowerPictures(task.rows("flowers"))
    numbers = task.part_of(len(GROUPS) * settings.puzzles_per_template)
    with SortedImages(task.outputs.writer("images")) as images:
        for number in progress(numbers, len(numbers), task.part, "puzzle"):
            image, puzzle, questions = generate_puzzle(number, task.seed, settings, flowers)
            images.add(image)
            task.outputs.writer("puzzles").write([puzzle])
            task.outputs.writer("questions").write(questions)


@_step(
    "filter",
    reads=lambda s: s.filter,
    inputs={"puzzles": generate["puzzles"], "questions": generate["questions"]},
    outputs={"questions": QUESTIONS, "rejections": REJECTIONS},
)
def filter_(task: Task[FilterPuzzles]) -> None:
    """Rejects puzzles that are too crowded to be read, and puzzles whose image occurred before."""
    from whatif.benchmarks.cvqa_synthetic.checks import crowding_reason

    settings = task.settings
    seen: dict[str, str] = {}
    rejected: dict[str, dict[str, Any]] = {}
    for puzzle in task.rows("puzzles"):
        pair_id = puzzle["pair_id"]
        first = seen.setdefault(puzzle["image_id"], pair_id)
        reason = crowding_reason(puzzle, settings)
        if first != pair_id:
            rejected[pair_id] = rejection(pair_id, "duplicate", f"shows the same picture as {first}")
        elif reason:
            kind, _, detail = reason.partition(": ")
            rejected[pair_id] = rejection(pair_id, kind, detail)
    keep_pairs(task, rejected, remedy=f"loosen filter.{NAME} in params.yaml")


@_step(
    "verify",
    inputs={"puzzles": generate["puzzles"], "questions": filter_["questions"]},
    outputs={"questions": QUESTIONS, "judgements": JUDGEMENTS, "rejections": REJECTIONS},
)
def verify(task: Task[None]) -> None:
    """Recounts every stored scene and checks both questions against it; rejects every pair that disagrees."""
    from whatif.benchmarks.cvqa_synthetic.checks import question_defects, scene_defects

    rejected: dict[str, dict[str, Any]] = {}
    puzzles = task.rows("puzzles")
    for pair_id, pair in pairs_of(task.rows("questions")):
        # Both are in order of pair_id; the skipped puzzles were filtered out before.
        puzzle = next((puzzle for puzzle in puzzles if puzzle["pair_id"] == pair_id), None)
        if puzzle is None:
            raise WhatifError(f"pair {pair_id}: is among the questions but not among the puzzles; filter them again")
        findings = {"answer": question_defects(puzzle, pair), "scene": scene_defects(puzzle)}  # in the order of the key
        task.outputs.writer("judgements").write([judgement(pair_id, *found) for found in findings.items()])
        for check, defects in reversed(findings.items()):
            if defects and pair_id not in rejected:
                rejected[pair_id] = rejection(pair_id, f"failed the check of its {check}", "; ".join(defects))
    keep_pairs(task, rejected)


@_step(
    "evaluate",
    reads=lambda s: s.evaluate.ask,
    seed=True,
    divided_by=(CHOOSER, PART),
    package_files=(f"whatif.engine.language:strategies/{DIRECT}.yaml",),
    inputs={"questions": verify["questions"], "puzzles": generate["puzzles"], "images": generate["images"]},
    outputs={"predictions": PREDICTIONS},
)
def evaluate(task: Task[Ask]) -> None:
    """Asks one model the questions of one part's puzzles: it ranks the four options, or names one in its own words."""
    from whatif.benchmarks.cvqa_synthetic.depicted_puzzles import DrawnPuzzles

    here = {puzzle["pair_id"] for puzzle in task.rows("puzzles", ["pair_id"])}
    ask_choices(task, task.settings, here, depicted=DrawnPuzzles(lambda: task.rows("puzzles")))


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
        "puzzles": generate["puzzles"],
        "images": generate["images"],
        "predictions": evaluate["predictions"],
    },
    outputs={"program-findings": PROGRAM_FINDINGS},
)
def find_causes(task: Task[str | None]) -> None:
    """Finds out why the answers of one model's programs are wrong, with tools that know what a puzzle shows."""
    from whatif.benchmarks.cvqa_synthetic.depicted_puzzles import DrawnPuzzles

    write_choice_findings(task, DrawnPuzzles(lambda: task.rows("puzzles")), task.settings)


# Only the settings that the audit depends on, so that a change to other table settings does not refit its forests.
@_step(
    "aggregate",
    name="shortcuts",
    reads=lambda s: AuditSettings(s.aggregate.audit_folds, s.aggregate.released_questions),
    seed=True,
    divided_by=(VARIANT,),
    inputs={"questions": verify["questions"]},
    outputs={"shortcuts": SHORTCUTS},
)
def audit_shortcuts(task: Task[AuditSettings]) -> None:
    """Measures how many questions of a variant can be answered without images, in our set and in the released one."""
    from whatif.formats.c_vqa import read_released

    released = task.settings.released_questions
    sets: dict[str, list[dict[str, Any]]] = {"ours": task.read("questions").to_pylist()}
    if released is not None:
        sets["released"] = read_released(user_path(released))
    write_shortcuts(task, sets, task.settings.audit_folds)


@_step(
    "aggregate",
    reads=lambda s: ReportSettings(
        s.aggregate.confidence, s.generate.puzzles_per_template, s.aggregate.rule, s.evaluate.judge
    ),
    seed=True,
    shown=(SHOWN_CHOOSERS, SHOWN_JUDGE),
    package_files=(TABLE_7,),
    inputs={
        "flowers": extract["flowers"],
        "unused flowers": extract["rejections"],
        "puzzles": generate["puzzles"],
        "images": generate["images"],
        "filtered": filter_["rejections"],
        "filtered questions": filter_["questions"],
        "refused": verify["rejections"],
        "questions": verify["questions"],
        "shortcuts": audit_shortcuts["shortcuts"],
        "predictions": evaluate["predictions"],
        "judged": judge["judged"],
        "probed": probes["probed"],
        "attempts": people["attempts"],
        "uncounted": people["uncounted"],
        "program-findings": find_causes["program-findings"],
    },
    outputs=SITE_OUTPUTS,
    code=TABLES.code,
    publishes=("report.md", *TABLES.files),
    leaves_out=without_empty_tables(CHOOSER, PROBE),
)
def aggregate(task: Task[ReportSettings]) -> None:
    """Makes Table 7 beside the reported numbers, and every other table and figure that is declared."""
    from whatif.benchmarks.cvqa_synthetic.report import own_puzzles, publish_report

    publish_report(task, own_puzzles(task, TITLE), TABLES)


BENCHMARK = Benchmark(
    name=NAME,
    settings=CvqaSyntheticSettings,
    steps=(
        extract,
        generate,
        filter_,
        verify,
        evaluate,
        judge,
        probes,
        people,
        find_causes,
        audit_shortcuts,
        aggregate,
    ),
    citation=CITATION,
    headline=HEADLINE,
    people={"answer": answered_questions(verify["questions"], generate["images"])},
    plots=(scatter_plot(TITLE, *OF_ACCURACIES),),
    about=(
        "Multiple-choice questions about drawn puzzles. The counterfactual question adds a presupposition, such as an"
        " object that is taken away, to the original one; the image stays the same (C-VQA, Zhang et al. 2024)."
    ),
)
