"""C-VQA-Real as released: open questions about photographs, each with a counterfactual twin (C-VQA 3.1, 4.1).

Extract the released questions and their photographs; join them; leave out pairs whose photograph is not there; check
that every answer can be scored; ask models with each prompting strategy; make Tables 3, 4 and 5.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from whatif import artifacts
from whatif.artifacts.schemas import FILES, IMAGES, JUDGEMENTS, PREDICTIONS, QUESTIONS, REJECTIONS
from whatif.benchmarks.cvqa_real.sampled_questions import questions_for
from whatif.benchmarks.cvqa_real.settings import CvqaRealSettings
from whatif.benchmarks.shared.evaluation import write_predictions
from whatif.benchmarks.shared.pilots import pilot_of
from whatif.benchmarks.shared.tasks import (
    SHOWN_OF_ANSWERERS,
    asked_code,
    judgement,
    pairs_of,
    table_paths,
    without_effect,
)
from whatif.errors import WhatifError
from whatif.files.inputs import user_path
from whatif.graph.run import Task
from whatif.graph.steps import Benchmark, Output, Step, part_range, parts
from whatif.params.models import answerers
from whatif.params.whole import Params

NAME = "cvqa-real"
VARIANTS = ("original", "counterfactual")
_FOLDERS = f"name the folders of COCO's photographs as extract.{NAME}.image_folders in params.yaml"


def extract(task: Task) -> None:
    """The released questions, and the photographs that they ask about as far as the folders have them."""
    from whatif.formats.c_vqa import read_released
    from whatif.formats.coco_photographs import find_photographs

    settings = task.parameters[f"extract.{NAME}"]
    if settings.questions is None:
        raise WhatifError(f"extract.{NAME}.questions: is null; give the path of C-VQA-Real_questions.csv")
    questions = read_released(user_path(settings.questions))
    if any(question["choices"] for question in questions):
        raise WhatifError(f"{settings.questions}: holds multiple-choice questions; C-VQA-Real has open ones")
    names = {_picture(question) for question in questions}
    photographs = find_photographs(names, [user_path(folder) for folder in settings.image_folders])
    task.outputs.write("images", list({row["image_id"]: row for row in photographs.found.values()}.values()))
    missing = [
        {"item_id": name, "reason": reason, "detail": detail} for name, (reason, detail) in photographs.missing.items()
    ]
    task.outputs.write("missing", missing)
    task.check_losses("photographs", len(photographs.found), missing, remedy=_FOLDERS)
    image_ids = {name: [row["image_id"]] for name, row in photographs.found.items()}
    task.outputs.write("questions", [{**q, "image_ids": image_ids.get(_picture(q), [])} for q in questions])


def generate(task: Task) -> None:
    """The pairs as they were released: both twins of every pair, in order of their ids."""
    for pair_id, rows in pairs_of(task.inputs["questions"]):
        if sorted(row["variant"] for row in rows) != sorted(VARIANTS):
            raise WhatifError(f"pair {pair_id}: has no twin; read the released file again")
        task.outputs.writer("questions").write(rows)


def filter_(task: Task) -> None:
    """Leaves out pairs whose photograph is not there: they stay in the set, and are not asked."""
    kept, rejected = 0, []
    for pair_id, rows in pairs_of(task.inputs["questions"]):
        if rows[0]["image_ids"]:
            kept += 1
            task.outputs.writer("questions").write(rows)
        else:
            detail = f"{_picture(rows[0])} is in none of the folders, or cannot be decoded"
            rejected.append({"item_id": pair_id, "reason": "no picture", "detail": detail})
    task.outputs.write("rejections", rejected)
    task.check_losses("pairs", kept, rejected, remedy=_FOLDERS)


def verify(task: Task) -> None:
    """Checks that each answer can be scored: that it is extracted from itself."""
    from whatif.scoring.extraction.answer import extract as extract_answer
    from whatif.scoring.extraction.answer import is_correct

    judgements, kept, rejected = [], 0, []
    for pair_id, rows in pairs_of(task.inputs["questions"]):
        odd = [
            f"{row['variant']}: the answer {row['answer']!r} is not extracted from itself"
            for row in rows
            if not is_correct(
                extract_answer(row["answer"], row["answer_kind"], row["question"]), row["answer"], row["answer_kind"]
            )
        ]
        judgements.append(judgement(pair_id, "answer", odd))
        if odd:
            rejected.append({"item_id": pair_id, "reason": "cannot be scored", "detail": "; ".join(odd)})
        else:
            kept += 1
            task.outputs.writer("questions").write(rows)
    task.outputs.write("judgements", judgements)
    task.outputs.write("rejections", rejected)
    task.check_losses("pairs", kept, rejected)


def evaluate(task: Task) -> None:
    """Asks one model the questions of one part in the words of one strategy."""
    from whatif.scoring.open_answers import open_predictions

    model, strategy = task.wildcards["model"], task.wildcards["strategy"]
    asking = task.parameters[f"evaluate.{NAME}"]
    # Predictions made elsewhere were asked for in one way: there are none of any other.
    if getattr(task.parameters[f"models.{model}"], "strategy", strategy) != strategy:
        task.outputs.write("predictions", [])
        return
    everything = artifacts.read(task.inputs["questions"], QUESTIONS).to_pylist()
    questions = questions_for(model, everything, asking, task.parameters["seed"])
    pilot = pilot_of(task.parameters[f"models.{model}"].limit, questions, task.parameters["seed"], NAME)
    pairs = sorted(pilot.pairs if pilot else {question["pair_id"] for question in questions})
    places = part_range(task.wildcards["part"], len(pairs))
    here = set(pairs[places.start : places.stop])
    write_predictions(
        task,
        lambda loaded, images: open_predictions(questions, images, model, loaded, strategy=strategy, pairs=here),
        strategy,
        benchmark=NAME,
        questions=everything,
    )


def aggregate(task: Task) -> None:
    """Tables 3, 4 and 5 beside the printed numbers, the answers of Figure 3, words, and the funnel."""
    from whatif.benchmarks.cvqa_real.report import publish_report

    publish_report(task)


def _picture(question: Mapping[str, Any]) -> str:
    return str(json.loads(question["provenance"])["img_path"])


def _wildcards(params: Params) -> dict[str, list[str]]:
    asking = params.section(NAME, CvqaRealSettings).evaluate
    return {
        "model": answerers(params.models, NAME, open_questions=True),
        "strategy": list(asking.strategies),
        "part": parts(asking.shards),
    }


_MODULE = "whatif.benchmarks.cvqa_real.steps"
_PREDICTIONS = "data/evaluate/{model}/" + NAME + "/{strategy}/{part}.parquet"
_TABLES = ("table3", "table4", "table5", "drops", "gender", "questions", "answers", "words", "costs", "funnel")

BENCHMARK = Benchmark(
    name=NAME,
    settings=CvqaRealSettings,
    citation=(
        'Zhang et al., "What If the TV Was Off? Examining Counterfactual Reasoning Abilities of Multi-modal Language '
        'Models", CVPR 2024.'
    ),
    wildcards=_wildcards,
    outside=lambda params: "photographs",
    steps=(
        Step(
            stage="extract",
            benchmark=NAME,
            function=f"{_MODULE}:extract",
            reads=(f"extract.{NAME}",),
            ignores=(f"extract.{NAME}.gender_annotations",),
            sources=(f"extract.{NAME}.questions", f"extract.{NAME}.image_folders"),
            outputs={
                "questions": Output(QUESTIONS, f"data/extract/{NAME}/questions.parquet"),
                "images": Output(IMAGES, f"data/extract/{NAME}/images.parquet"),
                "missing": Output(REJECTIONS, f"data/extract/{NAME}/missing.parquet"),
            },
        ),
        Step(
            stage="generate",
            benchmark=NAME,
            function=f"{_MODULE}:generate",
            inputs={"questions": f"data/extract/{NAME}/questions.parquet"},
            outputs={"questions": Output(QUESTIONS, f"data/generate/{NAME}/questions.parquet")},
        ),
        Step(
            stage="filter",
            benchmark=NAME,
            function=f"{_MODULE}:filter_",
            inputs={"questions": f"data/generate/{NAME}/questions.parquet"},
            outputs={
                "questions": Output(QUESTIONS, f"data/filter/{NAME}/questions.parquet"),
                "rejections": Output(REJECTIONS, f"data/filter/{NAME}/rejections.parquet"),
            },
        ),
        Step(
            stage="verify",
            benchmark=NAME,
            function=f"{_MODULE}:verify",
            inputs={"questions": f"data/filter/{NAME}/questions.parquet"},
            outputs={
                "questions": Output(QUESTIONS, f"data/verify/{NAME}/questions.parquet"),
                "judgements": Output(JUDGEMENTS, f"data/verify/{NAME}/judgements.parquet"),
                "rejections": Output(REJECTIONS, f"data/verify/{NAME}/rejections.parquet"),
            },
        ),
        Step(
            stage="evaluate",
            benchmark=NAME,
            function=f"{_MODULE}:evaluate",
            reads=("seed", f"evaluate.{NAME}", "models.{model}"),
            ignores=(
                f"evaluate.{NAME}.strategies",  # of which this job has one
                f"evaluate.{NAME}.shards",
                *without_effect(open_questions=True),
            ),
            sources=("models.{model}.checkpoint", "models.{model}.predictions"),
            code=asked_code,
            package_files=("language/strategies/{strategy}.yaml",),
            inputs={
                "questions": f"data/verify/{NAME}/questions.parquet",
                "images": f"data/extract/{NAME}/images.parquet",
            },
            outputs={"predictions": Output(PREDICTIONS, _PREDICTIONS)},
        ),
        Step(
            stage="aggregate",
            benchmark=NAME,
            function=f"{_MODULE}:aggregate",
            reads=(
                "seed",
                *SHOWN_OF_ANSWERERS,
                "models.{model}.strategy?",  # of predictions made elsewhere
                f"evaluate.{NAME}",
                f"extract.{NAME}.gender_annotations",
                f"aggregate.{NAME}",
            ),
            ignores=(f"evaluate.{NAME}.shards",),
            sources=(f"extract.{NAME}.gender_annotations",),
            package_files=tuple(f"reporting/published/c-vqa_table{number}.csv" for number in (3, 4, 5)),
            inputs={
                "images": f"data/extract/{NAME}/images.parquet",
                "missing": f"data/extract/{NAME}/missing.parquet",
                "released": f"data/generate/{NAME}/questions.parquet",
                "filtered": f"data/filter/{NAME}/rejections.parquet",
                "filtered questions": f"data/filter/{NAME}/questions.parquet",
                "refused": f"data/verify/{NAME}/rejections.parquet",
                "questions": f"data/verify/{NAME}/questions.parquet",
                "predictions": _PREDICTIONS,
            },
            outputs={"files": Output(FILES, f"data/aggregate/{NAME}/files.parquet")},
            publishes=(
                f"metrics/{NAME}.json",
                f"metrics/{NAME}/report.md",
                *(f"metrics/{NAME}/accuracy-{group}.svg" for group in ("direct", "indirect", "boolean")),
                f"metrics/{NAME}/figure3.svg",
                f"metrics/{NAME}/figure5.svg",
                *table_paths(f"metrics/{NAME}", _TABLES),
            ),
        ),
    ),
)
