"""COCO-Counterfactuals as released: its pairs of pictures, labelled, searched and matched (COCO-Counterfactuals 4).

Extract the released pairs, and the photographs of their original captions where MS-COCO's captions and folders are
given; from there on all is as for pairs of our own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any

from whatif import artifacts
from whatif.benchmarks.coco_counterfactuals_report import Made, publish_report, published
from whatif.benchmarks.coco_counterfactuals_steps import (
    evaluated,
    evaluation_steps,
    photographs_of,
    searchers_and_matchers,
)
from whatif.errors import WhatifError
from whatif.graph.run import Task
from whatif.graph.steps import Benchmark, Output, Step
from whatif.images import SortedImages
from whatif.schemas import FILES, IMAGES, PAIRS, REJECTIONS
from whatif.tables.funnel import FunnelStage, reasons

NAME = "coco-counterfactuals-released"
_CHOSE = "openai/clip-vit-base-patch32"  # of the CLIP models the only one among the paper's assets (B.5)
_REMEDY = (
    f"give another data set as extract.{NAME}.data_set in params.yaml; data/extract/{NAME}/rejections.parquet says why"
)


def extract(task: Task) -> None:
    """The released pairs and their pictures; each with the photograph of its original caption, where it is there."""
    from whatif.sources.coco_counterfactuals import read_released_pairs

    settings = task.parameters[f"extract.{NAME}"]
    if settings.data_set is None:
        raise WhatifError(f"extract.{NAME}.data_set: is null; give the folder or the zip of the released data set")
    with SortedImages(task.outputs.writer("images")) as images:
        released = read_released_pairs(Path(settings.data_set).expanduser(), images.add)
    originals = {row["pair_id"]: row["caption_0"].strip() for row in released.pairs}
    found, missing = _photographs(set(originals.values()), settings)
    with SortedImages(task.outputs.writer("photographs")) as images:
        for row in found.values():
            images.add(row)
    pairs = [_with_photograph(row, found.get(originals[row["pair_id"]])) for row in released.pairs]
    lost = [
        {"item_id": pair_id, "reason": missing[caption][0], "detail": missing[caption][1]}
        for pair_id, caption in originals.items()
        if caption in missing
    ]
    task.outputs.write("pairs", pairs)
    task.outputs.write("rejections", released.rejections)
    task.outputs.write("missing", lost)


def verify(task: Task) -> None:
    """Which caption each picture shows: the labels of people (4.1)."""
    from whatif.benchmarks.coco_counterfactuals_pictures import verify_pictures

    verify_pictures(task, task.parameters[f"verify.{NAME}"])


def aggregate(task: Task) -> None:
    """Tables and Figure 3 beside the printed numbers, the funnel, and a gallery of pairs."""
    unusable, missing = (reasons(artifacts.rows_of(task.inputs[role], REJECTIONS)) for role in ("unusable", "missing"))
    pairs = list(artifacts.rows_of(task.inputs["pairs"], PAIRS))
    stages = [
        FunnelStage("extract", "pairs", len(pairs) + sum(unusable.values()), len(pairs), unusable),
        FunnelStage("extract", "photographs", len(pairs), len(photographs_of(pairs)), missing),
    ]
    publish_report(task, Made(NAME, "COCO-Counterfactuals as released", stages, chose=_CHOSE, remedy=_REMEDY))


def _photographs(captions: Set[str], settings: Any) -> tuple[dict[str, dict[str, Any]], dict[str, tuple[str, str]]]:
    """Original caption -> the row of `images` of its photograph; and of the others, why there is none.

    Captions are without the space around them, which does not matter.
    """
    from whatif.sources.caption_pictures import find_pictures
    from whatif.sources.caption_sets import read_caption_set

    if settings.captions is None:
        return {}, dict.fromkeys(captions, ("no caption set", f"extract.{NAME}.captions is null"))
    file = Path(settings.captions).expanduser()
    # Some captions were written for several photographs: the first, by id, counts.
    names: dict[str, str] = {}
    for one in read_caption_set(file).captions:
        if one.caption in captions and one.image is not None:
            names.setdefault(one.caption, one.image)
    looked_up = find_pictures(names.values(), [Path(folder).expanduser() for folder in settings.image_folders])
    missing = dict.fromkeys(captions - names.keys(), ("unknown caption", f"{file.name} has no picture for it"))
    missing |= {caption: looked_up.missing[name] for caption, name in names.items() if name in looked_up.missing}
    return {caption: looked_up.found[name] for caption, name in names.items() if name in looked_up.found}, missing


def _with_photograph(row: dict[str, Any], photograph: Mapping[str, Any] | None) -> dict[str, Any]:
    told = {**json.loads(row["provenance"]), "image_id": photograph["image_id"] if photograph else None}
    return {**row, "provenance": artifacts.canonical_json(told)}


_MODULE = "whatif.benchmarks.coco_counterfactuals_released"
_EXTRACTED = f"data/extract/{NAME}"
_READ = {role: f"{_EXTRACTED}/{role}.parquet" for role in ("pairs", "images", "photographs")}

BENCHMARK = Benchmark(
    name=NAME,
    wildcards=searchers_and_matchers,
    steps=(
        Step(
            stage="extract",
            benchmark=NAME,
            function=f"{_MODULE}:extract",
            reads=(f"extract.{NAME}",),
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
            reads=("seed", "models", f"verify.{NAME}", f"aggregate.{NAME}"),
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
