"""COCO-Counterfactuals: captions that differ in one noun, with an image of each (COCO-Counterfactuals 3 and 4).

The steps extract captions, their nouns and their images; generate counterfactual captions with a masked language
model, choose one for each caption, and make candidates of both images by prompt-to-prompt; filter these by CLIP and
draw the best ones again; verify which caption each image shows; evaluate models by retrieval and by matching; and make
Tables 1, 2, 7, 10, 13 and Figures 2 and 3. The implementation is in `captions`, `images` and `unshared`.

Captions are chosen in the stage `generate`, because the images are made from the chosen captions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from whatif.benchmarks.coco_counterfactuals import captions as caption_steps
from whatif.benchmarks.coco_counterfactuals import images as image_steps
from whatif.benchmarks.coco_counterfactuals.contents import OF_PAIRS, PLOTS, REPORTED, SHOWN
from whatif.benchmarks.coco_counterfactuals.settings import CocoCounterfactualsSettings, ReportSettings
from whatif.benchmarks.coco_counterfactuals.unshared import unshared
from whatif.benchmarks.shared.people import judged_pairs
from whatif.engine.artifacts.site_schemas import SITE_OUTPUTS
from whatif.engine.graph.reading import only_name
from whatif.engine.graph.steps import Benchmark, StepsOf
from whatif.engine.graph.task import Task
from whatif.results.reporting.funnel import FunnelStage, reasons
from whatif.results.reporting.table_modules import TableModules

NAME = "coco-counterfactuals"
TABLES = TableModules(*OF_PAIRS)
_WITHOUT_WORDNET = (
    "Captions were chosen without WordNet, so no pair is flagged in which one noun is a kind of the other "
    "(`generate.coco-counterfactuals.captions.choose.wordnet` in params.yaml)."
)


@StepsOf(CocoCounterfactualsSettings)(
    "aggregate",
    reads=lambda s: ReportSettings(
        s.aggregate,
        s.verify.resolution,
        only_name(s.verify.error_categories),
        s.generate.pictures.candidates,
        only_name(s.generate.pictures.clip.checkpoint),
        only_name(s.generate.pictures.diffusion.checkpoint),
    ),
    seed=True,
    shown=SHOWN,
    package_files=REPORTED,
    inputs={
        **image_steps.retrieve.inputs,
        "captions": caption_steps.extract["captions"],
        "unusable": caption_steps.extract["rejections"],
        "missing": caption_steps.extract["missing"],
        "counts": caption_steps.choose["counts"],
        "caption_pairs": caption_steps.choose["caption-pairs"],
        "unpaired": caption_steps.choose["rejections"],
        "candidates": image_steps.draw["pairs"],
        "filtered": image_steps.filter_["rejections"],
        "errors": image_steps.verify["errors"],
        "refused": image_steps.verify["rejections"],
        "gold": image_steps.verify["gold"],
        "ranks": image_steps.retrieve["ranks"],
        "matches": image_steps.match["matches"],
        "random": image_steps.match["random-matches"],
        "logit-scales": image_steps.match["logit-scales"],
        "unshared-pairs": unshared["unshared-pairs"],
        "unshared-images": unshared["unshared-images"],
    },
    outputs=SITE_OUTPUTS,
    code=TABLES.code,
    publishes=("report.md", *TABLES.files),
)
def aggregate(task: Task[ReportSettings]) -> None:
    """Makes the tables and Figure 3 beside the reported numbers, the funnel, and the items of the site."""
    from whatif.benchmarks.coco_counterfactuals.report import PairResults, publish_report

    counts = list(task.rows("counts"))
    flagged = any((row["what"], row["outcome"]) == ("wordnet", "used") for row in counts)
    found = PairResults.of(
        task,
        "COCO-Counterfactuals",
        _funnel(task, counts),
        chose=task.settings.chose,
        drawn_alone=list(task.rows("unshared-pairs")),
        drawn_by=task.settings.drawn_by,
    )
    publish_report(found, TABLES, "" if flagged else _WITHOUT_WORDNET)


def _funnel(task: Task[ReportSettings], counts: Sequence[Mapping[str, Any]]) -> list[FunnelStage]:
    """Counts of every stage up to the finished pairs of images, each from the stage's own artifacts."""
    from whatif.benchmarks.coco_counterfactuals.caption_choice import CHOSEN
    from whatif.models.prompt_to_prompt.chosen_images import WHEN_DRAWN_AGAIN
    from whatif.models.prompt_to_prompt.directional_similarity import NO_CANDIDATE_LEFT

    unusable, missing, unpaired, refused = (
        reasons(task.rows(role)) for role in ("unusable", "missing", "unpaired", "filtered")
    )
    redrawn = {reason: number for reason, number in refused.items() if reason.endswith(WHEN_DRAWN_AGAIN)}
    lost = {reason: number for reason, number in refused.items() if reason.startswith(NO_CANDIDATE_LEFT)} | redrawn
    unlike = {reason: number for reason, number in refused.items() if not reason.startswith(NO_CANDIDATE_LEFT)}
    outcomes = {row["outcome"]: row["number"] for row in counts if row["what"] == "candidates"}
    replaced = outcomes.pop(CHOSEN, 0)
    captions, chosen, drawn, pairs = (task.count(role) for role in ("captions", "caption_pairs", "candidates", "pairs"))
    asked = task.settings.candidates
    return [
        FunnelStage("extract", "captions", captions + sum(unusable.values()), captions, unusable),
        FunnelStage("extract", "photographs", *_photographs(task), missing),
        FunnelStage("generate", "replacements of nouns", replaced + sum(outcomes.values()), replaced, outcomes),
        FunnelStage("generate", "captions", captions, chosen, unpaired),
        FunnelStage("generate", "candidates of pictures", chosen * asked, drawn),
        FunnelStage("filter", "candidates of pictures", drawn, pairs, unlike),
        FunnelStage("filter", "pairs", chosen, pairs, lost),
    ]


def _photographs(task: Task[ReportSettings]) -> tuple[int, int]:
    """The number of photographs that the captions name, and the number of these that are available."""
    rows = task.rows("captions", ["image_id", "provenance"])
    named = {json.loads(row["provenance"])["image"]: row["image_id"] for row in rows}
    named.pop(None, None)  # a caption may have no photograph
    return len(named), sum(image_id is not None for image_id in named.values())


BENCHMARK = Benchmark(
    name=NAME,
    settings=CocoCounterfactualsSettings,
    steps=(
        caption_steps.extract,
        caption_steps.candidates,
        caption_steps.measure,
        caption_steps.choose,
        image_steps.draw,
        image_steps.filter_,
        unshared,
        image_steps.verify,
        image_steps.retrieve,
        image_steps.match,
        aggregate,
    ),
    headline=("counterfactual_text_retrieval", "counterfactual_image_retrieval"),
    plots=PLOTS,
    people={
        "verify": judged_pairs(
            image_steps.filter_["pairs"],
            image_steps.filter_["images"],
            lambda params: params.section(NAME, CocoCounterfactualsSettings).verify.labelled_three_times,
        )
    },
    outside=lambda params: (
        "captions from outside" if params.section(NAME, CocoCounterfactualsSettings).extract.captions else ""
    ),
    citation=(
        'Le, Lal and Howard, "COCO-Counterfactuals: Automatically Constructed Counterfactual Examples for Image-Text '
        'Pairs", 2023.'
    ),
    about=(
        "Captions, each with a counterfactual caption in which one noun is another one, and a generated image of "
        "both. Models match captions with images (COCO-Counterfactuals, Le et al. 2023)."
    ),
)
