"""COCO-Counterfactuals as released: its pairs of pictures, labelled, searched and matched (COCO-Counterfactuals 4).

Extract the released pairs, and the photographs of their original captions where MS-COCO's captions and folders are
given; from there on all is as for pairs of our own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from whatif import artifacts
from whatif.artifacts.images import SortedImages
from whatif.artifacts.schemas import FILES, IMAGES, PAIRS, REJECTIONS
from whatif.benchmarks.coco_counterfactuals.image_pair_steps import (
    evaluated,
    evaluation_steps,
    photographs_of,
    read_by_tables,
    searchers_and_matchers,
)
from whatif.benchmarks.coco_counterfactuals.report import Made, publish_report, published
from whatif.benchmarks.coco_counterfactuals_released.settings import CocoCounterfactualsReleasedSettings
from whatif.errors import WhatifError
from whatif.files.inputs import user_path
from whatif.graph.run import Task
from whatif.graph.steps import Benchmark, Output, Step
from whatif.reporting.funnel import FunnelStage, reasons

NAME = "coco-counterfactuals-released"
_CHOSE = "openai/clip-vit-base-patch32"  # of the CLIP models the only one among the paper's assets (B.5)
_REMEDY = (
    f"give the released examples.jsonl with its pictures, a folder or a zip, as extract.{NAME}.data_set in params.yaml"
)


def extract(task: Task) -> None:
    """The released pairs and their pictures; each with the photograph of its original caption, where it is there."""
    from whatif.formats.caption_sets import NOT_DRAWN
    from whatif.formats.coco_counterfactuals import read_released_pairs

    settings = task.parameters[f"extract.{NAME}"]
    if settings.data_set is None:
        raise WhatifError(f"extract.{NAME}.data_set: is null; give the folder or the zip of the released data set")
    data_set = user_path(settings.data_set)
    with SortedImages(task.outputs.writer("images")) as images:
        released = read_released_pairs(data_set, images.add, limit=settings.limit, seed=task.parameters["seed"])
    refused = [row for row in released.rejections if row["reason"] != NOT_DRAWN]
    task.check_losses("pairs", len(released.pairs), refused, remedy=_REMEDY)
    found, missing = _photographs({row["pair_id"]: row["caption_0"] for row in released.pairs}, settings)
    with SortedImages(task.outputs.writer("photographs")) as images:
        for row in found.values():
            images.add(row)
    lost = [{"item_id": pair_id, "reason": reason, "detail": detail} for pair_id, (reason, detail) in missing.items()]
    task.outputs.write("pairs", [_with_photograph(row, found.get(row["pair_id"])) for row in released.pairs])
    task.outputs.write("rejections", released.rejections)
    task.outputs.write("missing", lost)
    if settings.captions is not None:
        task.check_losses("photographs", len(found), lost, needed=False)


def verify(task: Task) -> None:
    """Which caption each picture shows: the labels of people (4.1)."""
    from whatif.benchmarks.coco_counterfactuals.images import verify_pictures

    verify_pictures(task, task.parameters[f"verify.{NAME}"], drawn=False)


def aggregate(task: Task) -> None:
    """Tables and Figure 3 beside the printed numbers, the funnel, and a gallery of pairs."""
    unusable, missing = (reasons(artifacts.rows_of(task.inputs[role], REJECTIONS)) for role in ("unusable", "missing"))
    pairs = list(artifacts.rows_of(task.inputs["pairs"], PAIRS))
    stages = [
        FunnelStage("extract", "pairs", len(pairs) + sum(unusable.values()), len(pairs), unusable),
        FunnelStage("extract", "photographs", len(pairs), len(photographs_of(pairs)), missing),
    ]
    publish_report(task, Made(NAME, "COCO-Counterfactuals as released", stages, chose=_CHOSE))


def _photographs(
    originals: Mapping[str, str], settings: Any
) -> tuple[dict[str, dict[str, Any]], dict[str, tuple[str, str]]]:
    """Pair id -> the row of `images` of its original caption's photograph; and of the others, why there is none."""
    from whatif.benchmarks.coco_counterfactuals_released.original_photographs import photograph_names
    from whatif.formats.caption_images import find_pictures
    from whatif.formats.caption_sets import read_captions_in_order

    if settings.captions is None:
        return {}, dict.fromkeys(originals, ("no caption set", f"extract.{NAME}.captions is null"))
    names, missing = photograph_names(originals, read_captions_in_order(user_path(settings.captions)))
    looked_up = find_pictures(names.values(), [user_path(folder) for folder in settings.image_folders])
    missing |= {pair_id: looked_up.missing[name] for pair_id, name in names.items() if name in looked_up.missing}
    return {pair_id: looked_up.found[name] for pair_id, name in names.items() if name in looked_up.found}, missing


def _with_photograph(row: dict[str, Any], photograph: Mapping[str, Any] | None) -> dict[str, Any]:
    told = {**json.loads(row["provenance"]), "image_id": photograph["image_id"] if photograph else None}
    return {**row, "provenance": artifacts.canonical_json(told)}


_MODULE = "whatif.benchmarks.coco_counterfactuals_released.steps"
_EXTRACTED = f"data/extract/{NAME}"
_READ = {role: f"{_EXTRACTED}/{role}.parquet" for role in ("pairs", "images", "photographs")}

BENCHMARK = Benchmark(
    name=NAME,
    settings=CocoCounterfactualsReleasedSettings,
    citation=(
        'Le, Lal and Howard, "COCO-Counterfactuals: Automatically Constructed Counterfactual Examples for Image-Text '
        'Pairs", 2023.'
    ),
    wildcards=partial(searchers_and_matchers, name=NAME),
    outside=lambda params: "the released pairs",
    steps=(
        Step(
            stage="extract",
            benchmark=NAME,
            function=f"{_MODULE}:extract",
            reads=("seed", f"extract.{NAME}"),
            sources=tuple(f"extract.{NAME}.{source}" for source in ("data_set", "captions", "image_folders")),
            outputs={
                "pairs": Output(PAIRS, _READ["pairs"]),
                "images": Output(IMAGES, _READ["images"]),
                "photographs": Output(IMAGES, _READ["photographs"]),
                "rejections": Output(REJECTIONS, f"{_EXTRACTED}/rejections.parquet"),
                "missing": Output(REJECTIONS, f"{_EXTRACTED}/missing.parquet"),
            },
        ),
        *evaluation_steps(NAME, _READ, f"{_MODULE}:verify"),
        Step(
            stage="aggregate",
            benchmark=NAME,
            function=f"{_MODULE}:aggregate",
            reads=read_by_tables(NAME),
            inputs={
                **_READ,
                "unusable": f"{_EXTRACTED}/rejections.parquet",
                "missing": f"{_EXTRACTED}/missing.parquet",
                **evaluated(NAME),
            },
            outputs={"files": Output(FILES, f"data/aggregate/{NAME}/files.parquet")},
            publishes=published(NAME),
        ),
    ),
)
