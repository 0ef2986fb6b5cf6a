"""The embedded world through all six stages: questions about scenes, and pairs of pictures that differ in one thing.

Extract scenes in the formats of MS-COCO and VQAv2; generate captions that differ in one noun and candidates of their
pictures by prompt-to-prompt; filter these by CLIP (COCO-Counterfactuals 3.2); verify what the pictures show; ask models
the questions, and let matchers score each pair; make tables, and a gallery to look at.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

from whatif import artifacts, models
from whatif.artifacts.images import ImageStore, SortedImages, image_row
from whatif.artifacts.pair_items import SIDES, item_id
from whatif.artifacts.schemas import FILES, IMAGES, JUDGEMENTS, MATCHES, PAIRS, PREDICTIONS, QUESTIONS, REJECTIONS
from whatif.benchmarks.scenes.settings import GenerateScenes, ScenesSettings
from whatif.benchmarks.shared.evaluation import write_predictions
from whatif.benchmarks.shared.pilots import pilot_of
from whatif.benchmarks.shared.tasks import (
    SHOWN_OF_ANSWERERS,
    adapter_code,
    asked_code,
    judgement,
    not_its_work,
    table_paths,
    without_effect,
)
from whatif.graph.run import Task
from whatif.graph.steps import Benchmark, Output, Step, part_range, parts
from whatif.params.models import answerers, matchers
from whatif.params.whole import Params

NAME = "scenes"
SPLIT = "test"  # no model was trained on its scenes
_LEAST_SCORE = f"lower verify.{NAME}.least_score or raise generate.{NAME}.candidates in params.yaml"


def extract(task: Task) -> None:
    """Scenes with their questions, written in the published formats and read back as MS-COCO and VQAv2 are."""
    from tempfile import TemporaryDirectory

    from whatif.embedded.scene_files import write_scene_files
    from whatif.formats.coco_annotations import read_captions
    from whatif.formats.vqa_rows import question_rows
    from whatif.formats.vqa_v2 import read_vqa

    settings = task.parameters[f"extract.{NAME}"]
    image_ids = {}
    with TemporaryDirectory() as folder, SortedImages(task.outputs.writer("images")) as images:
        numbers = range(settings.number)
        files = write_scene_files(Path(folder), SPLIT, numbers, task.parameters["seed"], side=settings.side)
        for image in read_captions(files.captions).images.values():
            data = (files.pictures / image.file_name).read_bytes()
            source, licence = f"{NAME}:{image.file_name}", image.licence or "unknown"
            row = image_row(data, image.width, image.height, source, licence)
            images.add(row)
            image_ids[image.image_id] = row["image_id"]
        questions, rejections = question_rows(read_vqa(files.questions, files.annotations), image_ids)
    task.outputs.write("questions", questions)
    task.outputs.write("rejections", rejections)
    task.check_losses("questions", len(questions), rejections)


def generate(task: Task) -> None:
    """The candidates of one part of the pairs: pictures of both captions, each candidate with settings of its own."""
    from whatif.embedded.scene_pairs import caption_pair
    from whatif.progress import progress
    from whatif.prompt_to_prompt.image_maker import PictureDrawer
    from whatif.prompt_to_prompt.pair_candidates import draw_candidate, drawn

    settings: GenerateScenes = task.parameters[f"generate.{NAME}"]
    seed, drawer = task.parameters["seed"], PictureDrawer(settings.diffusion)
    numbers = part_range(task.wildcards["part"], settings.pairs)
    with SortedImages(task.outputs.writer("images")) as images:
        for number in progress(numbers, len(numbers), task.wildcards["part"], "pair"):
            pair = caption_pair(SPLIT, number, seed)
            candidates = [
                draw_candidate(pair["pair_id"], place, seed, p=settings.p, guidance=settings.guidance)
                for place in range(settings.candidates)
            ]
            for row, pictures in drawn(drawer, pair, candidates, licence=settings.diffusion.licence):
                task.outputs.writer("pairs").write([row])
                for picture in pictures:
                    images.add(picture)


def filter_(task: Task) -> None:
    """The best candidate of each pair by CLIP's directional similarity, among those whose thing stays in its place."""
    from whatif.embedded.object_movement import moved_too_far
    from whatif.models.local.encoders import dual_encoder
    from whatif.prompt_to_prompt.directional_similarity import Thresholds, best_candidates, lost_pair, measured

    settings = task.parameters[f"filter.{NAME}"]
    candidates = artifacts.rows_of(task.inputs["pairs"], PAIRS)
    pictures = ImageStore(task.inputs["images"])
    found = measured(candidates, pictures, dual_encoder(settings.clip))
    least = Thresholds(settings.caption_image, settings.image_image, settings.directional)
    kept, lost = 0, []
    for pair_id, best, rejections in best_candidates(found, least, partial(moved_too_far, pictures, settings.movement)):
        if best is None:
            lost.append(lost_pair(pair_id, rejections))
        else:
            kept += 1
            task.outputs.writer("pairs").write([best])
        task.outputs.writer("rejections").write(rejections)
    remedy = f"lower filter.{NAME} or raise generate.{NAME}.candidates in params.yaml"
    task.check_losses("pairs", kept, lost, remedy=remedy)


def verify(task: Task) -> None:
    """Looks at each picture without knowing how it was made, and at each answer: can it be scored?"""
    from whatif.embedded.scene_pairs import picture_defects
    from whatif.scoring.extraction.answer import extract as extract_answer
    from whatif.scoring.extraction.answer import is_correct

    judgements, kept = [], Counter[str]()
    rejected: dict[str, list[dict[str, Any]]] = {"pairs": [], "questions": []}
    pictures = ImageStore(task.inputs["images"])
    least_score = task.parameters[f"verify.{NAME}"].least_score
    for pair in artifacts.rows_of(task.inputs["pairs"], PAIRS):
        told = json.loads(pair["provenance"])
        defects = []
        for side in SIDES:
            noun, picture = pair[f"subject_{side}"], pictures.get(pair[f"image_id_{side}"])
            found = picture_defects(picture, noun=noun, **told, least_score=least_score)
            judgements.append(judgement(item_id(pair["pair_id"], side), "recogniser", [line for _, line in found]))
            defects += [(what, f"side {side}: {line}") for what, line in found]
        if defects:
            detail = "; ".join(line for _, line in defects)
            rejection = {"item_id": pair["pair_id"], "reason": f"wrong {defects[0][0]}", "detail": detail}
            rejected["pairs"].append(rejection)
        else:
            kept["pairs"] += 1
            task.outputs.writer("pairs").write([pair])
    for row in artifacts.rows_of(task.inputs["questions"], QUESTIONS):
        kind, answer = row["answer_kind"], row["answer"]
        odd = not is_correct(extract_answer(answer, kind, row["question"]), answer, kind)
        detail = f"the answer {answer!r} is not extracted from itself"
        judgements.append(judgement(row["question_id"], "answer", [detail] if odd else []))
        if odd:
            rejection = {"item_id": row["question_id"], "reason": "cannot be scored", "detail": detail}
            rejected["questions"].append(rejection)
        else:
            kept["questions"] += 1
            task.outputs.writer("questions").write([row])
    task.outputs.write("judgements", judgements)
    task.outputs.write("rejections", [row for rows in rejected.values() for row in rows])
    for unit, rows in rejected.items():
        task.check_losses(unit, kept[unit], rows, remedy=_LEAST_SCORE if unit == "pairs" else "")


def ask(task: Task) -> None:
    """Asks one model every question, openly, in the words of a strategy."""
    from whatif.scoring.open_answers import open_predictions

    model, strategy = task.wildcards["model"], task.wildcards["strategy"]
    questions = artifacts.read(task.inputs["questions"], QUESTIONS).to_pylist()
    pilot = pilot_of(task.parameters[f"models.{model}"].limit, questions, task.parameters["seed"], NAME)
    pairs = pilot.pairs if pilot else None
    write_predictions(
        task,
        lambda loaded, images: open_predictions(questions, images, model, loaded, strategy=strategy, pairs=pairs),
        strategy,
        benchmark=NAME,
        questions=questions,
    )


def match(task: Task) -> None:
    """Lets one matcher score both captions of each pair with both its pictures (COCO-Counterfactuals 4.2.2)."""
    from whatif.scoring.match import matches

    key = task.wildcards["matcher"]
    settings = task.parameters[f"models.{key}"]
    matcher = models.load_matcher(settings.adapter, settings)
    pairs = artifacts.rows_of(task.inputs["pairs"], PAIRS)
    for row in matches(pairs, ImageStore(task.inputs["images"]), key, matcher):
        task.outputs.writer("matches").write([row])


def aggregate(task: Task) -> None:
    """Accuracy by type of question, matching, the funnel, and a gallery of scenes and pairs."""
    from whatif.benchmarks.scenes.report import publish_report

    publish_report(task)


def _wildcards(params: Params) -> dict[str, list[str]]:
    return {
        "part": parts(params.section(NAME, ScenesSettings).generate.shards),
        "model": answerers(params.models, NAME, open_questions=True),
        "strategy": [params.section(NAME, ScenesSettings).evaluate.strategy],
        "matcher": matchers(params.models, NAME),
    }


_MODULE = "whatif.benchmarks.scenes.steps"
_EXTRACTED, _GENERATED, _VERIFIED = (f"data/{stage}/{NAME}" for stage in ("extract", "generate", "verify"))
_PREDICTIONS = "data/evaluate/{model}/" + NAME + "/{strategy}.parquet"
_MATCHES = "data/evaluate/{matcher}/" + NAME + "/pairs/matches.parquet"

BENCHMARK = Benchmark(
    name=NAME,
    settings=ScenesSettings,
    wildcards=_wildcards,
    steps=(
        Step(
            stage="extract",
            benchmark=NAME,
            function=f"{_MODULE}:extract",
            reads=("seed", f"extract.{NAME}"),
            outputs={
                "images": Output(IMAGES, f"{_EXTRACTED}/images.parquet"),
                "questions": Output(QUESTIONS, f"{_EXTRACTED}/questions.parquet"),
                "rejections": Output(REJECTIONS, f"{_EXTRACTED}/rejections.parquet"),
            },
        ),
        Step(
            stage="generate",
            benchmark=NAME,
            function=f"{_MODULE}:generate",
            reads=("seed", f"generate.{NAME}"),
            sources=(f"generate.{NAME}.diffusion.checkpoint",),
            outputs={
                "images": Output(IMAGES, _GENERATED + "/images/{part}.parquet"),
                "pairs": Output(PAIRS, _GENERATED + "/pairs/{part}.parquet"),
            },
        ),
        Step(
            stage="filter",
            benchmark=NAME,
            function=f"{_MODULE}:filter_",
            reads=(f"filter.{NAME}",),
            sources=(f"filter.{NAME}.clip.checkpoint",),
            inputs={
                "images": _GENERATED + "/images/{part}.parquet",
                "pairs": _GENERATED + "/pairs/{part}.parquet",
            },
            outputs={
                "pairs": Output(PAIRS, f"data/filter/{NAME}/pairs.parquet"),
                "rejections": Output(REJECTIONS, f"data/filter/{NAME}/rejections.parquet"),
            },
        ),
        Step(
            stage="verify",
            benchmark=NAME,
            function=f"{_MODULE}:verify",
            reads=(f"verify.{NAME}",),
            inputs={
                "images": _GENERATED + "/images/{part}.parquet",
                "pairs": f"data/filter/{NAME}/pairs.parquet",
                "questions": f"{_EXTRACTED}/questions.parquet",
            },
            outputs={
                "pairs": Output(PAIRS, f"{_VERIFIED}/pairs.parquet"),
                "questions": Output(QUESTIONS, f"{_VERIFIED}/questions.parquet"),
                "judgements": Output(JUDGEMENTS, f"{_VERIFIED}/judgements.parquet"),
                "rejections": Output(REJECTIONS, f"{_VERIFIED}/rejections.parquet"),
            },
        ),
        Step(
            stage="evaluate",
            benchmark=NAME,
            function=f"{_MODULE}:ask",
            reads=("seed", "models.{model}"),
            ignores=without_effect(open_questions=True),
            sources=("models.{model}.checkpoint", "models.{model}.predictions"),
            code=asked_code,
            package_files=("language/strategies/{strategy}.yaml",),
            inputs={"questions": f"{_VERIFIED}/questions.parquet", "images": f"{_EXTRACTED}/images.parquet"},
            outputs={"predictions": Output(PREDICTIONS, _PREDICTIONS)},
        ),
        Step(
            stage="evaluate",
            name="pairs",
            benchmark=NAME,
            function=f"{_MODULE}:match",
            reads=("models.{matcher}",),
            ignores=not_its_work("matcher"),
            sources=("models.{matcher}.checkpoint",),
            code=adapter_code,
            inputs={"pairs": f"{_VERIFIED}/pairs.parquet", "images": _GENERATED + "/images/{part}.parquet"},
            outputs={"matches": Output(MATCHES, _MATCHES)},
        ),
        Step(
            stage="aggregate",
            benchmark=NAME,
            function=f"{_MODULE}:aggregate",
            reads=(
                "seed",
                *SHOWN_OF_ANSWERERS,
                "models.{matcher}.name",
                f"generate.{NAME}.pairs",
                f"generate.{NAME}.candidates",
                f"aggregate.{NAME}",
            ),
            inputs={
                "scenes": f"{_EXTRACTED}/images.parquet",
                "extracted": f"{_EXTRACTED}/questions.parquet",
                "unread": f"{_EXTRACTED}/rejections.parquet",
                "pictures": _GENERATED + "/images/{part}.parquet",
                "candidates": _GENERATED + "/pairs/{part}.parquet",
                "filtered": f"data/filter/{NAME}/rejections.parquet",
                "best": f"data/filter/{NAME}/pairs.parquet",
                "refused": f"{_VERIFIED}/rejections.parquet",
                "pairs": f"{_VERIFIED}/pairs.parquet",
                "questions": f"{_VERIFIED}/questions.parquet",
                "predictions": _PREDICTIONS,
                "matches": _MATCHES,
            },
            outputs={"files": Output(FILES, f"data/aggregate/{NAME}/files.parquet")},
            publishes=(
                f"metrics/{NAME}.json",
                f"metrics/{NAME}/gallery.html",
                f"metrics/{NAME}/report.md",
                *table_paths(f"metrics/{NAME}", ("accuracy", "matching", "costs", "funnel")),
            ),
        ),
    ),
)
