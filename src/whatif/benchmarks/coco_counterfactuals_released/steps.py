"""COCO-Counterfactuals as released: its pairs of images, labelled, retrieved and matched (COCO-Counterfactuals 4).

The first step extracts the released pairs, and the photographs of their original captions if MS-COCO's captions and
folders are configured. All later steps are the same as for our own pairs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from whatif.benchmarks.coco_counterfactuals import BENCHMARK as OURS
from whatif.benchmarks.coco_counterfactuals import images
from whatif.benchmarks.coco_counterfactuals.contents import OF_PAIRS, PLOTS, SHOWN
from whatif.benchmarks.coco_counterfactuals.settings import VerifyPictures
from whatif.benchmarks.coco_counterfactuals_released.settings import (
    CocoCounterfactualsReleasedSettings,
    ExtractReleasedPairs,
    ReportSettings,
)
from whatif.benchmarks.shared.dimensions import ENCODER
from whatif.benchmarks.shared.people import judged_pairs
from whatif.engine import artifacts
from whatif.engine.artifacts.images import SortedImages
from whatif.engine.artifacts.schemas import IMAGES, PAIRS, REJECTIONS
from whatif.engine.artifacts.site_schemas import SITE_OUTPUTS
from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import user_path
from whatif.engine.graph.reading import only_name
from whatif.engine.graph.steps import Benchmark, StepsOf
from whatif.engine.graph.task import Task
from whatif.engine.params.resolution import Resolution
from whatif.results.reporting.funnel import FunnelStage, reasons
from whatif.results.reporting.table_modules import TableModules

NAME = "coco-counterfactuals-released"
_CHOSE = "openai/clip-vit-base-patch32"  # the only CLIP model among the paper's assets (B.5)
_REMEDY = (
    f"give the released examples.jsonl with its pictures, a folder or a zip, as extract.{NAME}.data_set in params.yaml"
)


# All our pairs are drawn with Prompt-to-Prompt and some of them without; of the released ones, none was drawn here.
TABLES = TableModules(*OF_PAIRS, "whatif.benchmarks.coco_counterfactuals_released", without=("figure2",))
_step = StepsOf(CocoCounterfactualsReleasedSettings)


@_step(
    "extract",
    reads=lambda s: s.extract,
    seed=True,
    outputs={
        "pairs": PAIRS,
        "images": IMAGES,
        "photographs": IMAGES,
        "rejections": REJECTIONS,
        "missing": REJECTIONS,
    },
)
def extract(task: Task[ExtractReleasedPairs]) -> None:
    """Extracts the released pairs and their images, with the photograph of each original caption if available."""
    from whatif.formats.caption_sets import NOT_DRAWN
    from whatif.formats.coco_counterfactuals import read_released_pairs

    settings = task.settings
    if settings.data_set is None:
        raise WhatifError(f"extract.{NAME}.data_set: is null; give the folder or the zip of the released data set")
    data_set = user_path(settings.data_set)
    with SortedImages(task.outputs.writer("images")) as store:
        released = read_released_pairs(data_set, store.add, limit=settings.limit, seed=task.seed)
    refused = [row for row in released.rejections if row["reason"] != NOT_DRAWN]
    task.check_losses("pairs", len(released.pairs), refused, remedy=_REMEDY)
    found, missing = _photographs({row["pair_id"]: row["caption_0"] for row in released.pairs}, settings)
    with SortedImages(task.outputs.writer("photographs")) as store:
        for row in found.values():
            store.add(row)
    lost = [{"item_id": pair_id, "reason": reason, "detail": detail} for pair_id, (reason, detail) in missing.items()]
    task.outputs.write("pairs", [_with_photograph(row, found.get(row["pair_id"])) for row in released.pairs])
    task.outputs.write("rejections", released.rejections)
    task.outputs.write("missing", lost)
    if settings.captions is not None:
        task.check_losses("photographs", len(found), lost, needed=False)


@_step(
    "verify",
    reads=lambda s: s.verify,
    seed=True,
    inputs={"pairs": extract["pairs"], "images": extract["images"]},
    outputs=images.verify.outputs,
)
def verify(task: Task[VerifyPictures]) -> None:
    """Determines the caption that each image shows, from human labels (4.1)."""
    images.verify_pictures(task, task.settings, drawn=False)


_PAIRED = {role: extract[role] for role in ("pairs", "images", "photographs")}


@_step(
    "evaluate",
    name="retrieve",
    reads=lambda s: s.verify.resolution,
    divided_by=(ENCODER,),
    inputs={**_PAIRED, "judgements": verify["judgements"]},
    outputs=images.retrieve.outputs,
)
def retrieve(task: Task[Resolution]) -> None:
    """Computes the ranks of one dual encoder (4.2.1), with unique captions as published, and by item as for ours."""
    images.search_pictures(task, unique_captions=True)


match = images.match.reading(**_PAIRED)


@_step(
    "aggregate",
    reads=lambda s: ReportSettings(s.aggregate, s.verify.resolution, only_name(s.verify.error_categories)),
    seed=True,
    shown=SHOWN,
    inputs={
        **retrieve.inputs,
        "unusable": extract["rejections"],
        "missing": extract["missing"],
        "errors": verify["errors"],
        "refused": verify["rejections"],
        "gold": verify["gold"],
        "ranks": retrieve["ranks"],
        "matches": match["matches"],
        "random": match["random-matches"],
        "logit-scales": match["logit-scales"],
    },
    outputs=SITE_OUTPUTS,
    code=TABLES.code,
    publishes=("report.md", *TABLES.files),
)
def aggregate(task: Task[ReportSettings]) -> None:
    """Makes the tables and Figure 3 beside the reported numbers, the funnel, and the items of the site."""
    from whatif.benchmarks.coco_counterfactuals.report import PairResults, publish_report

    unusable, missing = (reasons(task.rows(role)) for role in ("unusable", "missing"))
    pairs = list(task.rows("pairs"))
    stages = [
        FunnelStage("extract", "pairs", len(pairs) + sum(unusable.values()), len(pairs), unusable),
        FunnelStage("extract", "photographs", len(pairs), len(images.photographs_of(pairs)), missing),
    ]
    title = "COCO-Counterfactuals as released"
    publish_report(PairResults.of(task, title, stages, chose=_CHOSE, unique_captions=True), TABLES)


def _photographs(
    originals: Mapping[str, str], settings: Any
) -> tuple[dict[str, dict[str, Any]], dict[str, tuple[str, str]]]:
    """Pair id -> the row of `images` for the photograph of its original caption; for other pairs, why there is none."""
    from whatif.benchmarks.coco_counterfactuals_released.original_photographs import photograph_names
    from whatif.formats.caption_sets import read_captions_in_order
    from whatif.formats.image_folders import find_pictures

    if settings.captions is None:
        return {}, dict.fromkeys(originals, ("no caption set", f"extract.{NAME}.captions is null"))
    names, missing = photograph_names(originals, read_captions_in_order(user_path(settings.captions)))
    looked_up = find_pictures(names.values(), [user_path(folder) for folder in settings.image_folders])
    missing |= {pair_id: looked_up.missing[name] for pair_id, name in names.items() if name in looked_up.missing}
    return {pair_id: looked_up.found[name] for pair_id, name in names.items() if name in looked_up.found}, missing


def _with_photograph(row: dict[str, Any], photograph: Mapping[str, Any] | None) -> dict[str, Any]:
    told = {**json.loads(row["provenance"]), "image_id": photograph["image_id"] if photograph else None}
    return {**row, "provenance": artifacts.canonical_json(told)}


BENCHMARK = Benchmark(
    name=NAME,
    settings=CocoCounterfactualsReleasedSettings,
    steps=(extract, verify, retrieve, match, aggregate),
    headline=OURS.headline,
    plots=PLOTS,
    people={
        "verify": judged_pairs(
            extract["pairs"],
            extract["images"],
            lambda params: params.section(NAME, CocoCounterfactualsReleasedSettings).verify.labelled_three_times,
        )
    },
    outside=lambda params: "the released pairs",
    citation=OURS.citation,
    about=(
        "The released pairs of COCO-Counterfactuals: captions in which one noun is another one, and a generated image"
        " of both. Models match captions with images (Le et al. 2023)."
    ),
)
