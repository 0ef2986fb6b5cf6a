"""The funnel of training with counterfactuals: samples, evaluation sets, and what the evaluation could not answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from whatif.benchmarks.coco_counterfactuals_training.results import PAIRS_ROLES, Recognitions, Searches
from whatif.engine.artifacts.pair_items import SIDES, item_id
from whatif.engine.graph.task import Task
from whatif.results.reporting.funnel import FunnelStage, reasons, stage_of_ids


def funnel_stages(
    task: Task[Any], names: Mapping[str, str], searches: Searches, recognitions: Recognitions
) -> Iterator[FunnelStage]:
    """The stages in order. A sample goes on if a mixture has it; an answer, if the query or image had one."""
    for role, rejections, what in (
        ("originals", "rejections", "captions of photographs"),
        ("retrieval", "retrieval-rejections", "captions to search"),
        ("labelled", "labelled-rejections", "images with classes"),
    ):
        kept, rejected = task.count(role), reasons(task.rows(rejections))
        yield FunnelStage("extract", what, kept + sum(rejected.values()), kept, rejected)
    # A caption may be the original of a pair, and have its id.
    samples = {row["caption_id"] for row in task.rows("originals", ["caption_id"])}
    for role in PAIRS_ROLES:
        for row in task.rows(role, ["pair_id"]):
            samples |= {item_id(row["pair_id"], side) for side in SIDES}
    mixed = {row["sample_id"] for row in task.rows("samples", ["sample_id"])}
    yield stage_of_ids(
        "mix",
        "samples",
        sorted(samples),
        mixed,
        task.rows("unused"),
        names=lambda one: (one, one.rpartition("-")[0]),  # a pair is refused with both of its samples
        otherwise="not drawn for a mixture",
    )
    for model, name in names.items():
        queries = [one for key, found in searches.items() if key.model == model for one in found.values()]
        asked, lost = sum(one.queries for one in queries), sum(one.errors for one in queries)
        yield _answered(f"evaluate {name}", "queries", asked, lost)
        seen = [one for key, found in recognitions.items() if key.model == model for one in found.values()]
        shown, lost = sum(one.images for one in seen), sum(one.errors for one in seen)
        yield _answered(f"evaluate {name}", "images", shown, lost)


def _answered(stage: str, unit: str, number: int, errors: int) -> FunnelStage:
    return FunnelStage(stage, unit, number, number - errors, {"no answer": errors} if errors else {})
