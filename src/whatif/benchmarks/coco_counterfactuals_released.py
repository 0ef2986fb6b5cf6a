"""COCO-Counterfactuals as released: its pairs of pictures, labelled, searched and matched (COCO-Counterfactuals 4).

Extract the released pairs, and the photographs of their original captions where MS-COCO's captions and folders are
given; from there on all is as for pairs of our own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from whatif import artifacts
from whatif.benchmarks.coco_counterfactuals_report import Made, publish_report, published
from whatif.benchmarks.coco_counterfactuals_steps import evaluated, evaluation_steps, searchers_and_matchers
from whatif.benchmarks.shared import rows_in
from whatif.errors import WhatifError
from whatif.graph.run import Task
from whatif.graph.steps import Benchmark, Output, Step
from whatif.images import SortedImages
from whatif.schemas import FILES, IMAGES, PAIRS, REJECTIONS
from whatif.tables.funnel import FunnelStage, reasons

NAME = "coco-counterfactuals-released"
_CHOSE = "openai/clip-vit-base-patch32"  # of the CLIP models the only one among the paper's assets (B.5)


def extract(task: Task) -> None:
    """The released pairs and their pictures; each with the photograph of its original caption, where it is there."""
    from whatif.sources.coco_counterfactuals import read_released_pairs

    settings = task.parameters[f"extract.{NAME}"]
    if settings.data_set is None:
        raise WhatifError(f"extract.{NAME}.data_set: is null; give the folder or the zip of the released data set")
    with SortedImages(task.outputs.writer("images")) as images:
        released = read_released_pairs(Path(settings.data_set).expanduser(), images.add)
    photographs = _photographs({row["caption_0"] for row in released.pairs}, settings)
    with SortedImages(task.outputs.writer("photographs")) as images:
        for row in photographs.values():
            images.add(row)
    task.outputs.write("pairs", [_with_photograph(row, photographs) for row in released.pairs])
    task.outputs.write("rejections", released.rejections)


def verify(task: Task) -> None:
    """Which caption each picture shows: the labels of people (4.1)."""
    from whatif.benchmarks.coco_counterfactuals_pictures import verify_pictures

    verify_pictures(task, task.parameters[f"verify.{NAME}"])


def aggregate(task: Task) -> None:
    """Tables and Figure 3 beside the printed numbers, the funnel, and a gallery of pairs."""
    unusable = reasons(artifacts.rows_of(task.inputs["unusable"], REJECTIONS))
    pairs = rows_in(task.inputs["pairs"])
    extracted = FunnelStage("extract", "pairs", pairs + sum(unusable.values()), pairs, unusable)
    publish_report(task, Made(NAME, "COCO-Counterfactuals as released", [extracted], chose=_CHOSE))


def _photographs(captions: Iterable[str], settings: Any) -> dict[str, dict[str, Any]]:
    """Original caption -> the row of `images` of its photograph; the space around a caption does not matter."""
    from whatif.sources.caption_pictures import find_pictures
    from whatif.sources.caption_sets import read_caption_set

    if settings.captions is None:
        return {}
    wanted = {caption.strip(): caption for caption in captions}
    read = read_caption_set(Path(settings.captions).expanduser()).captions
    # Some captions were written for several photographs: the first, by id, counts.
    names: dict[str, str] = {}
    for one in read:
        if one.caption in wanted and one.image is not None:
            names.setdefault(wanted[one.caption], one.image)
    folders = [Path(folder).expanduser() for folder in settings.image_folders]
    found = find_pictures(names.values(), folders).found
    return {caption: found[name] for caption, name in names.items() if name in found}


def _with_photograph(row: dict[str, Any], photographs: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    photograph = photographs.get(row["caption_0"])
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
                **evaluated(NAME),
            },
            outputs={"files": Output(FILES, f"data/aggregate/{NAME}/files.parquet")},
            publishes=published(NAME),
        ),
    ),
)
