"""The image stages of COCO-Counterfactuals: candidates, selection, labels, retrieval and matching (3.2, 4)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from whatif import models
from whatif.benchmarks.coco_counterfactuals.captions import PART, choose, extract
from whatif.benchmarks.coco_counterfactuals.schemas import LOGIT_SCALES
from whatif.benchmarks.coco_counterfactuals.settings import (
    CocoCounterfactualsSettings,
    GeneratePictures,
    JudgeSettings,
    KeepSettings,
    VerifyPictures,
)
from whatif.benchmarks.shared.dimensions import ENCODER, MATCHER
from whatif.engine.artifacts.images import SortedImages
from whatif.engine.artifacts.pair_items import SIDES, item_id
from whatif.engine.artifacts.schemas import IMAGES, JUDGEMENTS, MATCHES, PAIRS, RANKS, REJECTIONS
from whatif.engine.files.inputs import user_path
from whatif.engine.graph.reading import only_name
from whatif.engine.graph.steps import StepsOf
from whatif.engine.graph.task import Task
from whatif.engine.params.resolution import Resolution

if TYPE_CHECKING:
    from whatif.scoring.retrieve import Item

NAME = "coco-counterfactuals"
_REMEDY = (
    f"lower filter.{NAME}, raise generate.{NAME}.pictures.candidates, or name a diffusion checkpoint that can draw "
    "such captions, in params.yaml"
)


_step = StepsOf(CocoCounterfactualsSettings)


@_step(
    "generate",
    name="draw",
    reads=lambda s: s.generate.pictures,
    seed=True,
    divided_by=(PART,),
    inputs={"caption-pairs": choose["caption-pairs"]},
    outputs={"pairs": PAIRS},
)
def draw(task: Task[GeneratePictures]) -> None:
    """Draws candidate images for one part of the caption pairs; records their settings and CLIP similarities (3.2)."""
    from whatif.models.prompt_to_prompt.candidate_scores import candidate_rows
    from whatif.models.responses.store import ResponseStore, store_path

    settings = task.settings
    pairs = task.read("caption-pairs").to_pylist()
    chosen = task.part_of(len(pairs))
    with ResponseStore(store_path()) as store:
        rows = candidate_rows(
            pairs[chosen.start : chosen.stop],
            _picture_maker(settings),
            store,
            candidates=settings.candidates,
            seed=task.seed,
            p=settings.p,
            guidance=settings.guidance,
            what=task.part,
        )
        for row in rows:
            task.outputs.writer("pairs").write([row])


@_step(
    "filter",
    reads=lambda s: KeepSettings(
        s.filter.caption_image, s.filter.image_image, s.filter.directional, s.generate.pictures
    ),
    divided_by=(PART,),
    inputs={"pairs": draw["pairs"]},
    outputs={"pairs": PAIRS, "images": IMAGES, "rejections": REJECTIONS},
)
def filter_(task: Task[KeepSettings]) -> None:
    """Selects each pair's best candidate by directional similarity; draws it again to store its images (3.2, B.1.2)."""
    from whatif.models.prompt_to_prompt.chosen_images import chosen_pictures
    from whatif.models.prompt_to_prompt.directional_similarity import Thresholds, best_candidates, lost_pair

    settings = task.settings
    least = Thresholds(settings.caption_image, settings.image_image, settings.directional)
    chosen = []
    rejected: list[dict[str, Any]] = []
    for pair_id, best, refused in best_candidates(task.rows("pairs"), least):
        rejected += refused
        if best is None:
            rejected.append(lost_pair(pair_id, refused))
        else:
            chosen.append(best)
    pictures = settings.pictures
    maker, licence = _picture_maker(pictures), pictures.diffusion.licence
    kept = []
    with SortedImages(task.outputs.writer("images")) as images:
        for pair in chosen_pictures(chosen, maker, least, licence=licence, what=task.part):
            if pair.rejection is not None:
                rejected.append(pair.rejection)
                continue
            kept.append(pair.row)
            for picture in pair.images:
                images.add(picture)
    task.outputs.write("pairs", kept)
    task.outputs.write("rejections", rejected)
    if task.is_only_part:
        task.check_losses("pairs", len(kept), list(_lost(rejected)), remedy=_REMEDY)


@_step(
    "verify",
    reads=lambda s: JudgeSettings(s.verify, only_name(s.extract.captions)),
    seed=True,
    inputs={"pairs": filter_["pairs"], "images": filter_["images"], "filtered": filter_["rejections"]},
    outputs={"judgements": JUDGEMENTS, "gold": JUDGEMENTS, "errors": REJECTIONS, "rejections": REJECTIONS},
)
def verify(task: Task[JudgeSettings]) -> None:
    """Determines the caption that each image shows, by human labels or, for scenes, by the recogniser (4.1)."""
    if len(task.paths("filtered")) > 1:  # this is the first step that reads all parts
        lost = list(_lost(task.rows("filtered")))
        task.check_losses("pairs", task.count("pairs"), lost, remedy=_REMEDY)
    verify_pictures(task, task.settings.verify, drawn=task.settings.captions is None)


def _lost(rejections: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The rejections of whole pairs, without those of candidates."""
    from whatif.models.prompt_to_prompt.chosen_images import WHEN_DRAWN_AGAIN
    from whatif.models.prompt_to_prompt.directional_similarity import is_lost_pair

    return (row for row in rejections if is_lost_pair(row) or str(row["reason"]).endswith(WHEN_DRAWN_AGAIN))


def verify_pictures(task: Task[Any], settings: VerifyPictures, *, drawn: bool) -> None:
    """Writes judgements, the sample of errors with their categories, and the unusable entries of the given files.

    Without labels, the recogniser judges the images if their captions are those of the embedded scenes (`drawn`). All
    other images are rejected, because the recogniser knows only scenes.
    """
    from whatif.benchmarks.shared.imported_labels import report_labels
    from whatif.people.consensus import consensus, errors
    from whatif.people.error_categories import read_error_categories, sample_errors
    from whatif.people.imports.importer import import_labels
    from whatif.people.imports.items import Items
    from whatif.world.automatic_labels import automatic_categories, automatic_labels, unlabelled

    seed, rule = task.seed, settings.resolution
    pairs = list(task.rows("pairs"))
    pictures = task.images()
    judgements: list[dict[str, Any]] = []
    gold: list[dict[str, Any]] = []
    if settings.labels is None and not drawn:
        rejected = unlabelled(pairs)
    elif settings.labels is None:
        judgements, rejected = automatic_labels(
            pairs, pictures, seed=seed, labelled_three_times=settings.labelled_three_times
        )
    else:
        read = import_labels(settings.labels, Items.of_pairs(pairs, seed=seed, names=items_of_images(pairs)))
        judgements, rejected, gold = read.judgements, read.rejections, read.gold
        report_labels(task, judgements, rejected, rule)
    sample = sample_errors(errors(judgements, rule), seed=seed)
    categories: dict[str, str] = {}
    if settings.error_categories is not None:
        sorted_out = read_error_categories(user_path(settings.error_categories), sample)
        categories, rejected = sorted_out.categories, rejected + sorted_out.rejections
    elif settings.labels is None:
        categories = automatic_categories(sample, pairs, pictures)
    decided = consensus(judgements, rule)
    task.outputs.write("judgements", judgements)
    task.outputs.write("gold", gold)
    task.outputs.write("rejections", rejected)
    named = ({"item_id": item, "reason": categories.get(item, ""), "detail": decided[item]} for item in sample)
    task.outputs.write("errors", list(named))


# The two steps below are used for our pairs and for the released pairs.
_PAIRED = {"pairs": filter_["pairs"], "images": filter_["images"], "photographs": extract["images"]}


@_step(
    "evaluate",
    name="retrieve",
    reads=lambda s: s.verify.resolution,
    divided_by=(ENCODER,),
    inputs={**_PAIRED, "judgements": verify["judgements"]},
    outputs={"ranks": RANKS},
)
def retrieve(task: Task[Resolution]) -> None:
    """Computes the ranks of one dual encoder for captions and images (4.2.1), also for correctly matched pairs only."""
    search_pictures(task, unique_captions=False)


def search_pictures(task: Task[Resolution], *, unique_captions: bool) -> None:
    """Writes the ranks of the three subsets, and also those with unique captions if `unique_captions` is set."""
    from whatif.people.consensus import human_evaluated
    from whatif.scoring.retrieve import (
        COUNTERFACTUALS,
        HUMAN_EVALUATED,
        ORIGINALS,
        counterfactual_items,
        human_evaluated_items,
        original_items,
        retrieval,
        with_unique_captions,
    )

    pairs = list(task.rows("pairs"))
    correct = set(human_evaluated(task.rows("judgements"), task.settings))
    subsets: Mapping[str, Sequence[Item]] = {
        COUNTERFACTUALS: counterfactual_items(pairs),
        HUMAN_EVALUATED: human_evaluated_items(pairs, correct),
        ORIGINALS: original_items(pairs, photographs_of(pairs)),
    }
    if unique_captions:
        subsets = with_unique_captions(subsets)
    pictures = task.images("images", "photographs")
    for row in retrieval(subsets, pictures, task.wildcards["encoder"], _matcher(task)):
        task.outputs.writer("ranks").write([row])


@_step(
    "evaluate",
    name="match",
    seed=True,
    divided_by=(MATCHER,),
    inputs=_PAIRED,
    outputs={"matches": MATCHES, "random-matches": MATCHES, "logit-scales": LOGIT_SCALES},
)
def match(task: Task[None]) -> None:
    """Scores the captions and images of each pair, and of random pairs of originals, by one matcher (4.2.2)."""
    from whatif.scoring.match import matches, random_pairs

    matcher, key = _matcher(task), task.wildcards["matcher"]
    task.outputs.write("logit-scales", [{"model": key, "logit_scale": matcher.logit_scale}])
    pairs = list(task.rows("pairs"))
    pictures = task.images("images", "photographs")
    photographs = photographs_of(pairs)
    originals = [
        {"caption_id": pair["pair_id"], "caption": pair["caption_0"], "image_id": photographs[pair["pair_id"]]}
        for pair in pairs
        if pair["pair_id"] in photographs
    ]
    enough = len(set(photographs.values())) > 1
    for role, rows in (
        ("matches", pairs),
        ("random-matches", random_pairs(originals, task.seed) if enough else []),
    ):
        for row in matches(rows, pictures, key, matcher):
            task.outputs.writer(role).write([row])


def _picture_maker(settings: GeneratePictures) -> Any:
    from whatif.models.prompt_to_prompt.image_maker import PictureMaker

    return PictureMaker(settings.diffusion, settings.clip, settings.stop)


def items_of_images(pairs: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Name of an image -> item, for images of a single item; exported files are named after the ids of images.

    Released images have the names of their files, too, unless these may be a pair id with a number behind it.
    """
    rows = list(pairs)
    ids = {pair["pair_id"] for pair in rows}
    found = []
    for pair in rows:
        told = json.loads(pair["provenance"])
        for side in SIDES:
            item = item_id(pair["pair_id"], side)
            found.append((pair[f"image_id_{side}"], item))
            file = PurePosixPath(str(told.get(f"image_{side}") or "")).stem
            if file and not {file, file.rpartition("_")[0]} & ids:
                found.append((file, item))
    times = Counter(name for name, _ in found)
    return {name: item for name, item in found if times[name] == 1}


def photographs_of(pairs: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Pair id -> image id of the photograph that its original caption was written for, if there is one."""
    found = {pair["pair_id"]: json.loads(pair["provenance"]).get("image_id") for pair in pairs}
    return {pair_id: image_id for pair_id, image_id in found.items() if image_id is not None}


def _matcher(task: Task[Any]) -> Any:
    return models.load_matcher(task.model.adapter, task.model)
