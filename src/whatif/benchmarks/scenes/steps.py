"""The embedded scenes in all six stages: questions about scenes, and pairs of images that differ in one object.

The steps extract scenes in the formats of MS-COCO and VQAv2; generate captions that differ in one noun and candidates
of their images by prompt-to-prompt; filter these by CLIP (COCO-Counterfactuals 3.2); verify what the images show; ask
models the questions, and let matchers score each pair; and make tables and the items of the site.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from typing import Any

from whatif import models
from whatif.benchmarks.scenes.settings import (
    ExtractScenes,
    FilterScenes,
    GenerateScenes,
    ReportSettings,
    ScenesSettings,
    VerifyScenes,
)
from whatif.benchmarks.shared.dimensions import (
    ANSWERED,
    ANSWERER,
    MATCHER,
    OPEN_PROBE,
    SHOWN_ANSWERERS,
    SHOWN_JUDGE,
    SHOWN_MATCHERS,
    strategy,
)
from whatif.benchmarks.shared.drawn_scenes import SPLIT, read_drawn_scenes
from whatif.benchmarks.shared.evaluation import write_predictions
from whatif.benchmarks.shared.human_attempts import people_step
from whatif.benchmarks.shared.judging import judge_step
from whatif.benchmarks.shared.people import answered_questions
from whatif.benchmarks.shared.pilots import pilot_of
from whatif.benchmarks.shared.probing import probe_step
from whatif.benchmarks.shared.tables import shared_tables, without_empty_tables
from whatif.benchmarks.shared.tasks import judgement
from whatif.engine.artifacts.images import SortedImages
from whatif.engine.artifacts.pair_items import SIDES, item_id
from whatif.engine.artifacts.schemas import IMAGES, JUDGEMENTS, MATCHES, PAIRS, PREDICTIONS, QUESTIONS, REJECTIONS
from whatif.engine.artifacts.site_schemas import SITE_OUTPUTS
from whatif.engine.graph.dimensions import part_dimension
from whatif.engine.graph.reading import only_name
from whatif.engine.graph.steps import Benchmark, StepsOf
from whatif.engine.graph.task import Task
from whatif.results.reporting.table_modules import TableModules

NAME = "scenes"
TABLES = TableModules(
    "whatif.benchmarks.scenes", *shared_tables("repeats", "prompt_sensitivity", "probes", "reading", "costs", "funnel")
)
_LEAST_SCORE = f"lower verify.{NAME}.least_score or raise generate.{NAME}.candidates in params.yaml"
_step = StepsOf(ScenesSettings)
PART = part_dimension(lambda params, benchmark: params.section(benchmark, ScenesSettings).generate.shards)
STRATEGY = strategy(lambda params, benchmark: [params.section(benchmark, ScenesSettings).evaluate.strategy])


@_step(
    "extract",
    reads=lambda s: s.extract,
    seed=True,
    outputs={"images": IMAGES, "questions": QUESTIONS, "rejections": REJECTIONS},
)
def extract(task: Task[ExtractScenes]) -> None:
    """Extracts scenes with their questions, written in the published formats and read back like MS-COCO and VQAv2."""
    from whatif.formats.vqa_v2 import question_rows

    with SortedImages(task.outputs.writer("images")) as images:
        scenes = read_drawn_scenes(images, task.settings.number, task.seed, side=task.settings.side)
    questions, rejections = question_rows(scenes.vqa, scenes.image_ids)
    task.outputs.write("questions", questions)
    task.outputs.write("rejections", rejections)
    task.check_losses("questions", len(questions), rejections)


@_step(
    "generate", reads=lambda s: s.generate, seed=True, divided_by=(PART,), outputs={"images": IMAGES, "pairs": PAIRS}
)
def generate(task: Task[GenerateScenes]) -> None:
    """Draws the candidates of one part of the pairs: images of both captions, with settings for each candidate."""
    from whatif.engine.progress import progress
    from whatif.models.prompt_to_prompt.image_maker import PictureDrawer
    from whatif.models.prompt_to_prompt.pair_candidates import draw_candidate, drawn
    from whatif.world.scene_pairs import caption_pair

    settings, seed = task.settings, task.seed
    drawer = PictureDrawer(settings.diffusion)
    numbers = task.part_of(settings.pairs)
    with SortedImages(task.outputs.writer("images")) as images:
        for number in progress(numbers, len(numbers), task.part, "pair"):
            pair = caption_pair(SPLIT, number, seed)
            candidates = [
                draw_candidate(pair["pair_id"], place, seed, p=settings.p, guidance=settings.guidance)
                for place in range(settings.candidates)
            ]
            for row, pictures in drawn(drawer, pair, candidates, licence=settings.diffusion.licence):
                task.outputs.writer("pairs").write([row])
                for picture in pictures:
                    images.add(picture)


@_step(
    "filter",
    reads=lambda s: s.filter,
    inputs={"images": generate["images"], "pairs": generate["pairs"]},
    outputs={"pairs": PAIRS, "rejections": REJECTIONS},
)
def filter_(task: Task[FilterScenes]) -> None:
    """Selects each pair's best candidate by directional similarity, among those whose object stays in its place."""
    from whatif.models.local.encoders import dual_encoder
    from whatif.models.prompt_to_prompt.directional_similarity import Thresholds, best_candidates, lost_pair, measured
    from whatif.world.object_movement import moved_too_far

    settings, pictures = task.settings, task.images()
    found = measured(task.rows("pairs"), pictures, dual_encoder(settings.clip))
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


@_step(
    "verify",
    reads=lambda s: s.verify,
    inputs={"images": generate["images"], "pairs": filter_["pairs"], "questions": extract["questions"]},
    outputs={"pairs": PAIRS, "questions": QUESTIONS, "judgements": JUDGEMENTS, "rejections": REJECTIONS},
)
def verify(task: Task[VerifyScenes]) -> None:
    """Checks each image without using how it was made, and checks that each answer can be scored."""
    from whatif.scoring.extraction.answer import extract as extract_answer
    from whatif.scoring.extraction.answer import is_correct
    from whatif.world.scene_pairs import picture_defects

    judgements, kept = [], Counter[str]()
    rejected: dict[str, list[dict[str, Any]]] = {"pairs": [], "questions": []}
    pictures = task.images()
    least_score = task.settings.least_score
    for pair in task.rows("pairs"):
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
    for row in task.rows("questions"):
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


@_step(
    "evaluate",
    seed=True,
    divided_by=(ANSWERER, STRATEGY),
    inputs={"questions": verify["questions"], "images": extract["images"]},
    outputs={"predictions": PREDICTIONS},
)
def ask(task: Task[None]) -> None:
    """Asks one model every question as an open question, with the prompts of a strategy."""
    from whatif.scoring.open_answers import open_predictions

    model, strategy = task.wildcards["model"], task.wildcards["strategy"]
    questions = task.read("questions").to_pylist()
    pilot = pilot_of(task.model.limit, questions, task.seed, NAME)
    pairs = pilot.pairs if pilot else None
    write_predictions(
        task,
        lambda loaded, images: open_predictions(
            questions,
            images,
            model,
            loaded,
            strategy=strategy,
            pairs=pairs,
            prompt_form=task.model.prompt_form,
            samples=task.model.samples,
        ),
        questions=questions,
    )


judge = judge_step(ANSWERED, STRATEGY, questions=verify["questions"], predictions=ask["predictions"])
probes = probe_step(ask, OPEN_PROBE)
people = people_step(verify["questions"])


@_step(
    "evaluate",
    name="pairs",
    divided_by=(MATCHER,),
    inputs={"pairs": verify["pairs"], "images": generate["images"]},
    outputs={"matches": MATCHES},
)
def match(task: Task[None]) -> None:
    """Scores both captions of each pair with both of its images by one matcher (COCO-Counterfactuals 4.2.2)."""
    from whatif.scoring.match import matches

    matcher = models.load_matcher(task.model.adapter, task.model)
    for row in matches(task.rows("pairs"), task.images(), task.wildcards["matcher"], matcher):
        task.outputs.writer("matches").write([row])


@_step(
    "aggregate",
    reads=lambda s: ReportSettings(
        s.aggregate,
        s.generate.pairs,
        s.generate.candidates,
        s.evaluate.judge,
        only_name(s.generate.diffusion.checkpoint),
        only_name(s.filter.clip.checkpoint),
    ),
    seed=True,
    shown=(SHOWN_ANSWERERS, SHOWN_MATCHERS, SHOWN_JUDGE),
    inputs={
        "scenes": extract["images"],
        "extracted": extract["questions"],
        "unread": extract["rejections"],
        "pictures": generate["images"],
        "candidates": generate["pairs"],
        "filtered": filter_["rejections"],
        "best": filter_["pairs"],
        "refused": verify["rejections"],
        "pairs": verify["pairs"],
        "questions": verify["questions"],
        "predictions": ask["predictions"],
        "judged": judge["judged"],
        "probed": probes["probed"],
        "attempts": people["attempts"],
        "uncounted": people["uncounted"],
        "matches": match["matches"],
    },
    outputs=SITE_OUTPUTS,
    code=TABLES.code,
    publishes=("report.md", *TABLES.files),
    leaves_out=without_empty_tables(ANSWERER, OPEN_PROBE),
)
def aggregate(task: Task[ReportSettings]) -> None:
    """Makes the tables of accuracy by type of question and of matching, the funnel, and the items of the site."""
    from whatif.benchmarks.scenes.report import publish_report

    publish_report(task, "Scenes", TABLES)


BENCHMARK = Benchmark(
    name=NAME,
    settings=ScenesSettings,
    steps=(extract, generate, filter_, verify, ask, judge, probes, people, match, aggregate),
    headline=("accuracy", "pair"),
    people={"answer": answered_questions(verify["questions"], extract["images"])},
    plots=(
        {
            "file": "accuracy.csv",
            "template": "groups",  # .dvc/plots/groups.json: accuracy with its interval, by group of questions
            "x": "group",
            "y": "value",
            "x_label": "Type of answer",
            "y_label": "Accuracy (%)",
            "title": "Scenes",
        },
    ),
    about=(
        "A small drawn world that needs no data from elsewhere: questions about scenes, and pairs of captions and "
        "images in which one noun is another one, as in COCO-Counterfactuals."
    ),
)
