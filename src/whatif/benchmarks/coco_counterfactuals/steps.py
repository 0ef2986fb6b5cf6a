"""COCO-Counterfactuals: captions that differ in one noun, with a picture of each (COCO-Counterfactuals 3 and 4).

Extract captions, their nouns and their pictures; generate counterfactual captions by a masked language model, choose
one for each, and make candidates of both pictures by prompt-to-prompt; filter these by CLIP and draw the best again;
verify which caption each picture shows; evaluate models by retrieval and by matching; make Tables 1, 2, 7, 10, 13 and
Figure 3. The work is in `coco_counterfactuals_captions` and `coco_counterfactuals_pictures`.

Captions are chosen in the stage `generate`, because pictures are made of the chosen ones.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from whatif import artifacts
from whatif.artifacts.schemas import (
    CAPTION_CANDIDATES,
    CAPTION_PAIRS,
    CAPTIONS,
    COUNTS,
    FILES,
    IMAGES,
    PAIRS,
    REJECTIONS,
)
from whatif.benchmarks.coco_counterfactuals.image_pair_steps import (
    evaluated,
    evaluation_steps,
    read_by_tables,
    searchers_and_matchers,
)
from whatif.benchmarks.coco_counterfactuals.report import Made, publish_report, published
from whatif.benchmarks.coco_counterfactuals.settings import CocoCounterfactualsSettings
from whatif.benchmarks.shared.tasks import rows_in
from whatif.graph.run import Task
from whatif.graph.steps import Benchmark, Output, Step, parts
from whatif.params.whole import Params
from whatif.reporting.funnel import FunnelStage, reasons

NAME = "coco-counterfactuals"
_WITHOUT_WORDNET = (
    "Captions were chosen without WordNet, so no pair is flagged in which one noun is a kind of the other "
    "(`generate.coco-counterfactuals.captions.choose.wordnet` in params.yaml)."
)


def aggregate(task: Task) -> None:
    """Tables and Figure 3 beside the printed numbers, the funnel, and a gallery of pairs."""
    counts = list(artifacts.rows_of(task.inputs["counts"], COUNTS))
    flagged = any((row["what"], row["outcome"]) == ("wordnet", "used") for row in counts)
    publish_report(
        task,
        Made(
            NAME,
            "COCO-Counterfactuals",
            _funnel(task, counts),
            chose=task.parameters[f"{_GENERATE}.pictures.clip.checkpoint"],
            note="" if flagged else _WITHOUT_WORDNET,
        ),
    )


def _funnel(task: Task, counts: Sequence[Mapping[str, Any]]) -> list[FunnelStage]:
    """Counts of every stage until there are pairs of pictures, each from its own artifacts."""
    from whatif.benchmarks.coco_counterfactuals.caption_choice import CHOSEN
    from whatif.prompt_to_prompt.chosen_images import WHEN_DRAWN_AGAIN
    from whatif.prompt_to_prompt.directional_similarity import NO_CANDIDATE_LEFT

    unusable, missing, unpaired, refused = (
        reasons(artifacts.rows_of(task.inputs[role], REJECTIONS))
        for role in ("unusable", "missing", "unpaired", "filtered")
    )
    redrawn = {reason: number for reason, number in refused.items() if reason.endswith(WHEN_DRAWN_AGAIN)}
    lost = {reason: number for reason, number in refused.items() if reason.startswith(NO_CANDIDATE_LEFT)} | redrawn
    unlike = {reason: number for reason, number in refused.items() if not reason.startswith(NO_CANDIDATE_LEFT)}
    outcomes = {row["outcome"]: row["number"] for row in counts if row["what"] == "candidates"}
    replaced = outcomes.pop(CHOSEN, 0)
    captions, chosen, drawn, pairs = (
        rows_in(task.inputs[role]) for role in ("captions", "caption_pairs", "candidates", "pairs")
    )
    asked = task.parameters[f"{_GENERATE}.pictures.candidates"]
    return [
        FunnelStage("extract", "captions", captions + sum(unusable.values()), captions, unusable),
        FunnelStage("extract", "photographs", *_photographs(task), missing),
        FunnelStage("generate", "replacements of nouns", replaced + sum(outcomes.values()), replaced, outcomes),
        FunnelStage("generate", "captions", captions, chosen, unpaired),
        FunnelStage("generate", "candidates of pictures", chosen * asked, drawn),
        FunnelStage("filter", "candidates of pictures", drawn, pairs, unlike),
        FunnelStage("filter", "pairs", chosen, pairs, lost),
    ]


def _photographs(task: Task) -> tuple[int, int]:
    """How many photographs the captions name, and how many of these are there."""
    rows = artifacts.rows_of(task.inputs["captions"], CAPTIONS, ["image_id", "provenance"])
    named = {json.loads(row["provenance"])["image"]: row["image_id"] for row in rows}
    named.pop(None, None)  # captions may come without
    return len(named), sum(image_id is not None for image_id in named.values())


def _wildcards(params: Params) -> Mapping[str, Sequence[str]]:
    return {
        "part": parts(params.section(NAME, CocoCounterfactualsSettings).generate.shards),
        **searchers_and_matchers(params, NAME),
    }


_CAPTIONS, _PICTURES = (f"whatif.benchmarks.coco_counterfactuals_{half}" for half in ("captions", "pictures"))
_EXTRACTED, _GENERATED, _FILTERED = (f"data/{stage}/{NAME}" for stage in ("extract", "generate", "filter"))
_GENERATE = f"generate.{NAME}"
_KEPT = {
    "pairs": _FILTERED + "/pairs/{part}.parquet",
    "images": _FILTERED + "/images/{part}.parquet",
    "photographs": f"{_EXTRACTED}/images.parquet",
}
_DRAWING = tuple(f"{_GENERATE}.pictures.{model}.checkpoint" for model in ("diffusion", "clip"))

BENCHMARK = Benchmark(
    name=NAME,
    settings=CocoCounterfactualsSettings,
    citation=(
        'Le, Lal and Howard, "COCO-Counterfactuals: Automatically Constructed Counterfactual Examples for Image-Text '
        'Pairs", 2023.'
    ),
    wildcards=_wildcards,
    outside=lambda params: (
        "captions from outside" if params.section(NAME, CocoCounterfactualsSettings).extract.captions else ""
    ),
    steps=(
        Step(
            stage="extract",
            benchmark=NAME,
            function=f"{_CAPTIONS}:extract",
            reads=("seed", f"extract.{NAME}"),
            sources=(f"extract.{NAME}.captions", f"extract.{NAME}.image_folders"),
            outputs={
                "captions": Output(CAPTIONS, f"{_EXTRACTED}/captions.parquet"),
                "images": Output(IMAGES, f"{_EXTRACTED}/images.parquet"),
                "rejections": Output(REJECTIONS, f"{_EXTRACTED}/rejections.parquet"),
                "missing": Output(REJECTIONS, f"{_EXTRACTED}/missing.parquet"),
            },
        ),
        Step(
            stage="generate",
            name="candidates",
            benchmark=NAME,
            function=f"{_CAPTIONS}:candidates",
            reads=(
                f"extract.{NAME}.tagger",
                f"{_GENERATE}.captions.masked_language",
                f"{_GENERATE}.captions.replacements",
            ),
            sources=(f"{_GENERATE}.captions.masked_language.checkpoint",),
            inputs={"captions": f"{_EXTRACTED}/captions.parquet"},
            outputs={
                "candidates": Output(CAPTION_CANDIDATES, _GENERATED + "/candidates/{part}.parquet"),
                "rejections": Output(REJECTIONS, _GENERATED + "/too-long/{part}.parquet"),
            },
        ),
        Step(
            stage="generate",
            name="measure",
            benchmark=NAME,
            function=f"{_CAPTIONS}:measure",
            reads=(f"{_GENERATE}.captions.similarity", f"{_GENERATE}.captions.perplexity"),
            sources=tuple(f"{_GENERATE}.captions.{model}.checkpoint" for model in ("similarity", "perplexity")),
            inputs={
                "captions": f"{_EXTRACTED}/captions.parquet",
                "candidates": _GENERATED + "/candidates/{part}.parquet",
            },
            outputs={"candidates": Output(CAPTION_CANDIDATES, _GENERATED + "/measured/{part}.parquet")},
        ),
        Step(
            stage="generate",
            name="choose",
            benchmark=NAME,
            function=f"{_CAPTIONS}:choose",
            reads=(f"{_GENERATE}.captions.choose",),
            sources=(f"{_GENERATE}.captions.choose.wordnet",),
            inputs={
                "captions": f"{_EXTRACTED}/captions.parquet",
                "candidates": _GENERATED + "/measured/{part}.parquet",
                "too_long": _GENERATED + "/too-long/{part}.parquet",
            },
            outputs={
                "pairs": Output(CAPTION_PAIRS, f"{_GENERATED}/caption-pairs.parquet"),
                "rejections": Output(REJECTIONS, f"{_GENERATED}/rejections.parquet"),
                "counts": Output(COUNTS, f"{_GENERATED}/counts.parquet"),
            },
        ),
        Step(
            stage="generate",
            name="draw",
            benchmark=NAME,
            function=f"{_PICTURES}:draw",
            reads=("seed", f"{_GENERATE}.pictures"),
            sources=_DRAWING,
            inputs={"pairs": f"{_GENERATED}/caption-pairs.parquet"},
            outputs={"pairs": Output(PAIRS, _GENERATED + "/pairs/{part}.parquet")},
        ),
        Step(
            stage="filter",
            benchmark=NAME,
            function=f"{_PICTURES}:filter_",
            reads=(f"filter.{NAME}", f"{_GENERATE}.pictures"),
            sources=_DRAWING,
            inputs={"pairs": _GENERATED + "/pairs/{part}.parquet"},
            outputs={
                "pairs": Output(PAIRS, _KEPT["pairs"]),
                "images": Output(IMAGES, _KEPT["images"]),
                "rejections": Output(REJECTIONS, _FILTERED + "/rejections/{part}.parquet"),
            },
        ),
        *evaluation_steps(
            NAME,
            _KEPT,
            f"{_PICTURES}:verify",
            verify_reads=(f"extract.{NAME}.captions",),
            verify_inputs={"filtered": _FILTERED + "/rejections/{part}.parquet"},
        ),
        Step(
            stage="aggregate",
            benchmark=NAME,
            function="whatif.benchmarks.coco_counterfactuals.steps:aggregate",
            reads=(
                *read_by_tables(NAME),
                f"{_GENERATE}.pictures.candidates",
                f"{_GENERATE}.pictures.clip.checkpoint",
            ),
            inputs={
                **_KEPT,
                "captions": f"{_EXTRACTED}/captions.parquet",
                "unusable": f"{_EXTRACTED}/rejections.parquet",
                "missing": f"{_EXTRACTED}/missing.parquet",
                "counts": f"{_GENERATED}/counts.parquet",
                "caption_pairs": f"{_GENERATED}/caption-pairs.parquet",
                "unpaired": f"{_GENERATED}/rejections.parquet",
                "candidates": _GENERATED + "/pairs/{part}.parquet",
                "filtered": _FILTERED + "/rejections/{part}.parquet",
                **evaluated(NAME),
            },
            outputs={"files": Output(FILES, f"data/aggregate/{NAME}/files.parquet")},
            publishes=published(NAME),
        ),
    ),
)
