"""C-VQA-Synthetic: multiple-choice questions on drawn puzzles, each with a counterfactual twin (C-VQA 3.3, 4.2).

Extract flower pictures; generate puzzles in six templates of 500, with their two questions; filter out what is too
crowded or there twice; verify every answer by recounting the stored scene; ask models; make Table 7.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from whatif import artifacts
from whatif.artifacts.images import SortedImages, image_row
from whatif.artifacts.reader import canonical_json
from whatif.artifacts.schemas import FILES, IMAGES, JUDGEMENTS, PREDICTIONS, PUZZLES, QUESTIONS, REJECTIONS, SHORTCUTS
from whatif.benchmarks.cvqa_synthetic.settings import CvqaSyntheticSettings, GeneratePuzzles
from whatif.benchmarks.shared.evaluation import write_predictions
from whatif.benchmarks.shared.pilots import pilot_of
from whatif.benchmarks.shared.tasks import (
    SHOWN_OF_ANSWERERS,
    adapter_code,
    judgement,
    pairs_of,
    table_paths,
    without_effect,
)
from whatif.errors import WhatifError
from whatif.graph.run import Task
from whatif.graph.steps import Benchmark, Output, Step, part_range, parts
from whatif.language.strategies import DIRECT
from whatif.params.models import answerers
from whatif.params.whole import Params

NAME = "cvqa-synthetic"


def extract(task: Task) -> None:
    """Flower pictures from Icons-50 when `params.yaml` names its folder, else the ones that we draw."""
    from whatif.benchmarks.cvqa_synthetic.flowers import drawn_flowers, icons50_flowers

    settings = task.parameters[f"extract.{NAME}"]
    rejections: list[dict[str, Any]] = []
    if settings.icons50.folder is None:
        flowers = drawn_flowers(settings.flower_picture_size)
    else:
        icons50 = settings.icons50
        flowers, rejections = icons50_flowers(Path(icons50.folder), icons50.classes, settings.flower_picture_size)
    task.outputs.write("flowers", flowers)
    task.outputs.write("rejections", rejections)
    remedy = f"give the folder of Icons-50 as extract.{NAME}.icons50.folder in params.yaml, or null for drawn flowers"
    task.check_losses("flower pictures", len(flowers), rejections, remedy=remedy)


def generate(task: Task) -> None:
    """The puzzles of one part: pictures, scenes, and two questions each."""
    from whatif.benchmarks.cvqa_synthetic.puzzle_image import FlowerPictures
    from whatif.benchmarks.cvqa_synthetic.questions import GROUPS
    from whatif.progress import progress

    settings: GeneratePuzzles = task.parameters[f"generate.{NAME}"]
    flowers = FlowerPictures(artifacts.rows_of(task.inputs["flowers"], IMAGES))
    numbers = part_range(task.wildcards["part"], len(GROUPS) * settings.puzzles_per_template)
    with SortedImages(task.outputs.writer("images")) as images:
        for number in progress(numbers, len(numbers), task.wildcards["part"], "puzzle"):
            image, puzzle, questions = _puzzle(number, task.parameters["seed"], settings, flowers)
            images.add(image)
            task.outputs.writer("puzzles").write([puzzle])
            task.outputs.writer("questions").write(questions)


def _puzzle(
    number: int, seed: int, settings: GeneratePuzzles, flowers: Any
) -> tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]]]:
    """Rows of `images`, `puzzles` and `questions` of the puzzle with this number, counted over all templates."""
    from whatif.benchmarks.cvqa_synthetic.dot_puzzle import lay_out_dots
    from whatif.benchmarks.cvqa_synthetic.flower_puzzle import lay_out_flowers
    from whatif.benchmarks.cvqa_synthetic.options import puzzle_text
    from whatif.benchmarks.cvqa_synthetic.puzzle_image import draw_puzzle
    from whatif.benchmarks.cvqa_synthetic.questions import GROUPS
    from whatif.random_streams import stream

    group = GROUPS[number // settings.puzzles_per_template]
    place = number % settings.puzzles_per_template
    text = puzzle_text(group, place, seed, settings)
    generator = stream(seed, "layout", group, place)
    if text.words.colours is None:
        scene = lay_out_dots(text.counts, settings, generator)
    else:
        scene = lay_out_flowers(text.counts, text.words.colours, flowers.image_ids, settings, generator)
    puzzle = {
        "pair_id": f"abs_counting_{number + 1:06d}",
        "group": group,
        "image_size": settings.image_size,
        **scene,
        "removed": text.words.removed,
        "original_answer": text.original.number,
        "counterfactual_answer": text.counterfactual.number,
    }
    data = draw_puzzle(puzzle, flowers)
    image = image_row(data, settings.image_size, settings.image_size, f"drawn:{group}", "CC0-1.0")
    puzzle["image_id"] = image["image_id"]
    asked = {"counterfactual": text.counterfactual, "original": text.original}
    questions = [
        {
            "question_id": f"{puzzle['pair_id']}-{variant}",
            "pair_id": puzzle["pair_id"],
            "group": group,
            "variant": variant,
            "question": question.question,
            "choices": list(question.choices),
            "answer": question.letter,
            "answer_kind": "choice",
            "image_ids": [image["image_id"]],
            "provenance": canonical_json({"options": settings.options}),
        }
        for variant, question in asked.items()
    ]
    return image, puzzle, questions


def filter_(task: Task) -> None:
    """Rejects puzzles that are too crowded to be read, and puzzles whose picture was there before."""
    from whatif.benchmarks.cvqa_synthetic.checks import crowding_reason

    settings = task.parameters[f"filter.{NAME}"]
    seen: dict[str, str] = {}
    rejected: dict[str, dict[str, Any]] = {}
    for puzzle in artifacts.rows_of(task.inputs["puzzles"], PUZZLES):
        first = seen.setdefault(puzzle["image_id"], puzzle["pair_id"])
        reason = crowding_reason(puzzle, settings)
        if first != puzzle["pair_id"]:
            rejected[puzzle["pair_id"]] = _rejection(puzzle, "duplicate", f"shows the same picture as {first}")
        elif reason:
            kind, _, detail = reason.partition(": ")
            rejected[puzzle["pair_id"]] = _rejection(puzzle, kind, detail)
    _keep(task, rejected, remedy=f"loosen filter.{NAME} in params.yaml")


def verify(task: Task) -> None:
    """Recounts every stored scene and checks both questions against it; nothing that disagrees is asked."""
    from whatif.benchmarks.cvqa_synthetic.checks import question_defects, scene_defects

    judgements = []
    rejected: dict[str, dict[str, Any]] = {}
    puzzles = artifacts.rows_of(task.inputs["puzzles"], PUZZLES)
    for pair_id, twins in pairs_of(task.inputs["questions"]):
        # Both are in order of pair_id; the puzzles passed over were filtered out before.
        puzzle = next((puzzle for puzzle in puzzles if puzzle["pair_id"] == pair_id), None)
        if puzzle is None:
            raise WhatifError(f"pair {pair_id}: is among the questions but not among the puzzles; filter them again")
        findings = {"scene": scene_defects(puzzle), "answer": question_defects(puzzle, twins)}
        for check, defects in findings.items():
            judgements.append(judgement(pair_id, check, defects))
            if defects and pair_id not in rejected:
                rejected[pair_id] = _rejection(puzzle, f"failed the check of its {check}", "; ".join(defects))
    task.outputs.write("judgements", judgements)
    _keep(task, rejected)


def evaluate(task: Task) -> None:
    """Asks one model the questions of one part's puzzles: it ranks the four options, or names one in its own words."""
    from whatif.scoring.rank import majority_answers, predictions

    model = task.wildcards["model"]
    asking, form = task.parameters[f"evaluate.{NAME}"], task.parameters[f"models.{model}"].multiple_choice
    questions = artifacts.read(task.inputs["questions"], QUESTIONS).to_pylist()
    majority = majority_answers(questions)  # of all parts, or a baseline would depend on how many there are
    here = {puzzle["pair_id"] for puzzle in artifacts.rows_of(task.inputs["puzzles"], PUZZLES)}
    pilot = pilot_of(task.parameters[f"models.{model}"].limit, questions, task.parameters["seed"], NAME)
    asked = [question for question in (pilot.rows(questions) if pilot else questions) if question["pair_id"] in here]
    write_predictions(
        task,
        lambda loaded, images: predictions(
            asked, images, model, loaded, form=form, rule=asking.rule, majority=majority
        ),
        benchmark=NAME,
        questions=questions,
    )


def audit_shortcuts(task: Task) -> None:
    """How many questions of a variant are answered without their pictures, in our set and in the released one."""
    from whatif.formats.c_vqa import read_released
    from whatif.shortcuts.audit import audit

    released = task.parameters[f"aggregate.{NAME}.released_questions"]
    sets: dict[str, list[dict[str, Any]]] = {"ours": artifacts.read(task.inputs["questions"], QUESTIONS).to_pylist()}
    if released is not None:
        sets["released"] = read_released(Path(released))
    folds, seed = task.parameters[f"aggregate.{NAME}.audit_folds"], task.parameters["seed"]
    found = [
        {"set": name, **asdict(shortcut)}
        for name, rows in sets.items()
        for shortcut in audit(rows, folds=folds, seed=seed, variants=[task.wildcards["variant"]])
    ]
    task.outputs.write("shortcuts", found)


def aggregate(task: Task) -> None:
    """Table 7 beside the printed numbers, by template, the letters chosen, the shortcut audit and the funnel."""
    from whatif.benchmarks.cvqa_synthetic.report import publish_report

    publish_report(task)


def _keep(task: Task, rejected: Mapping[str, dict[str, Any]], *, remedy: str = "") -> None:
    """Writes the questions of pairs that were not rejected, and the rejections."""
    kept = 0
    for pair_id, twins in pairs_of(task.inputs["questions"]):
        if pair_id not in rejected:
            kept += 1
            task.outputs.writer("questions").write(twins)
    refused = [rejected[pair_id] for pair_id in sorted(rejected)]
    task.outputs.write("rejections", refused)
    task.check_losses("pairs", kept, refused, remedy=remedy)


def _rejection(puzzle: Mapping[str, Any], reason: str, detail: str) -> dict[str, Any]:
    return {"item_id": puzzle["pair_id"], "reason": reason, "detail": detail}


def _wildcards(params: Params) -> dict[str, list[str]]:
    return {
        "part": parts(params.section(NAME, CvqaSyntheticSettings).generate.shards),
        "model": answerers(params.models, NAME),
        "variant": ["original", "counterfactual"],
    }


_MODULE = "whatif.benchmarks.cvqa_synthetic.steps"
_QUESTIONS = f"data/verify/{NAME}/questions.parquet"
_GENERATED = f"data/generate/{NAME}"
_PREDICTIONS = "data/evaluate/{model}/" + NAME + "/predictions/{part}.parquet"
_TABLES = ("table7", "templates", "drops", "letters", "shortcuts", "costs", "funnel")
_SHORTCUTS = f"data/aggregate/{NAME}/shortcuts/" + "{variant}.parquet"
# What only the shortcut audit depends on, so that no other setting of the tables grows its forests again.
_OF_THE_AUDIT = (f"aggregate.{NAME}.audit_folds", f"aggregate.{NAME}.released_questions")

BENCHMARK = Benchmark(
    name=NAME,
    settings=CvqaSyntheticSettings,
    citation=(
        'Zhang et al., "What If the TV Was Off? Examining Counterfactual Reasoning Abilities of Multi-modal Language '
        'Models", CVPR 2024.'
    ),
    wildcards=_wildcards,
    steps=(
        Step(
            stage="extract",
            benchmark=NAME,
            function=f"{_MODULE}:extract",
            reads=(f"extract.{NAME}",),
            sources=(f"extract.{NAME}.icons50.folder",),
            outputs={
                "flowers": Output(IMAGES, f"data/extract/{NAME}/flowers.parquet"),
                "rejections": Output(REJECTIONS, f"data/extract/{NAME}/rejections.parquet"),
            },
        ),
        Step(
            stage="generate",
            benchmark=NAME,
            function=f"{_MODULE}:generate",
            reads=("seed", f"generate.{NAME}"),
            inputs={"flowers": f"data/extract/{NAME}/flowers.parquet"},
            outputs={
                "images": Output(IMAGES, _GENERATED + "/images/{part}.parquet"),
                "puzzles": Output(PUZZLES, _GENERATED + "/puzzles/{part}.parquet"),
                "questions": Output(QUESTIONS, _GENERATED + "/questions/{part}.parquet"),
            },
        ),
        Step(
            stage="filter",
            benchmark=NAME,
            function=f"{_MODULE}:filter_",
            reads=(f"filter.{NAME}",),
            inputs={
                "puzzles": _GENERATED + "/puzzles/{part}.parquet",
                "questions": _GENERATED + "/questions/{part}.parquet",
            },
            outputs={
                "questions": Output(QUESTIONS, f"data/filter/{NAME}/questions.parquet"),
                "rejections": Output(REJECTIONS, f"data/filter/{NAME}/rejections.parquet"),
            },
        ),
        Step(
            stage="verify",
            benchmark=NAME,
            function=f"{_MODULE}:verify",
            inputs={
                "puzzles": _GENERATED + "/puzzles/{part}.parquet",
                "questions": f"data/filter/{NAME}/questions.parquet",
            },
            outputs={
                "questions": Output(QUESTIONS, _QUESTIONS),
                "judgements": Output(JUDGEMENTS, f"data/verify/{NAME}/judgements.parquet"),
                "rejections": Output(REJECTIONS, f"data/verify/{NAME}/rejections.parquet"),
            },
        ),
        Step(
            stage="evaluate",
            benchmark=NAME,
            function=f"{_MODULE}:evaluate",
            reads=("seed", f"evaluate.{NAME}", "models.{model}"),
            ignores=without_effect(),
            sources=("models.{model}.checkpoint", "models.{model}.predictions"),
            code=adapter_code,
            package_files=(f"language/strategies/{DIRECT}.yaml",),
            inputs={
                "questions": _QUESTIONS,
                "puzzles": _GENERATED + "/puzzles/{part}.parquet",
                "images": _GENERATED + "/images/{part}.parquet",
            },
            outputs={"predictions": Output(PREDICTIONS, _PREDICTIONS)},
        ),
        Step(
            stage="aggregate",
            name="shortcuts",
            benchmark=NAME,
            function=f"{_MODULE}:audit_shortcuts",
            reads=("seed", *_OF_THE_AUDIT),
            sources=(f"aggregate.{NAME}.released_questions",),
            inputs={"questions": _QUESTIONS},
            outputs={"shortcuts": Output(SHORTCUTS, _SHORTCUTS)},
        ),
        Step(
            stage="aggregate",
            benchmark=NAME,
            function=f"{_MODULE}:aggregate",
            reads=("seed", *SHOWN_OF_ANSWERERS, f"generate.{NAME}.puzzles_per_template", f"aggregate.{NAME}"),
            ignores=_OF_THE_AUDIT,
            package_files=("reporting/published/c-vqa_table7.csv",),
            inputs={
                "flowers": f"data/extract/{NAME}/flowers.parquet",
                "unused flowers": f"data/extract/{NAME}/rejections.parquet",
                "puzzles": _GENERATED + "/puzzles/{part}.parquet",
                "images": _GENERATED + "/images/{part}.parquet",
                "filtered": f"data/filter/{NAME}/rejections.parquet",
                "filtered questions": f"data/filter/{NAME}/questions.parquet",
                "refused": f"data/verify/{NAME}/rejections.parquet",
                "questions": _QUESTIONS,
                "shortcuts": _SHORTCUTS,
                "predictions": _PREDICTIONS,
            },
            outputs={"files": Output(FILES, f"data/aggregate/{NAME}/files.parquet")},
            publishes=(
                f"metrics/{NAME}.json",
                f"metrics/{NAME}/report.md",
                f"metrics/{NAME}/gallery.html",
                f"metrics/{NAME}/accuracy.csv",
                f"metrics/{NAME}/accuracy.svg",
                *table_paths(f"metrics/{NAME}", _TABLES),
            ),
        ),
    ),
)
