"""What pairs of pictures go through once they are there, ours and released ones: labels, search, matching."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from whatif.artifacts.schemas import JUDGEMENTS, MATCHES, RANKS, REJECTIONS
from whatif.benchmarks.shared.tasks import adapter_code, not_its_work
from whatif.graph.steps import Output, Step
from whatif.params.models import dual_encoders, matchers
from whatif.params.whole import Params

_WORK = "whatif.benchmarks.coco_counterfactuals.images"


def searchers_and_matchers(params: Params, name: str) -> dict[str, list[str]]:
    """The values of the wildcards of `evaluation_steps` of a benchmark."""
    return {"encoder": dual_encoders(params.models, name), "matcher": matchers(params.models, name)}


def evaluation_steps(
    name: str,
    pictured: Mapping[str, str],
    verify: str,
    *,
    verify_reads: tuple[str, ...] = (),
    verify_inputs: Mapping[str, str] | None = None,
) -> tuple[Step, ...]:
    """Verification by the function `verify`, retrieval and matching of a benchmark.

    `pictured` are the paths of its `pairs`, of their `images`, and of the `photographs` of the originals. Verification
    has its labels, pairs and images, and `verify_reads` and `verify_inputs` beside them.
    """
    verified = f"data/verify/{name}"
    judged = evaluated(name)
    return (
        Step(
            stage="verify",
            benchmark=name,
            function=verify,
            reads=("seed", f"verify.{name}", *verify_reads),
            sources=(f"verify.{name}.labels", f"verify.{name}.error_categories"),
            inputs={**{role: pictured[role] for role in ("pairs", "images")}, **(verify_inputs or {})},
            outputs={
                "judgements": Output(JUDGEMENTS, judged["judgements"]),
                "errors": Output(REJECTIONS, judged["errors"]),
                "rejections": Output(REJECTIONS, f"{verified}/rejections.parquet"),
            },
        ),
        Step(
            stage="evaluate",
            name="retrieve",
            benchmark=name,
            function=f"{_WORK}:retrieve",
            reads=("models.{encoder}",),
            ignores=not_its_work("encoder"),
            sources=("models.{encoder}.checkpoint",),
            code=adapter_code,
            inputs={**pictured, "judgements": judged["judgements"]},
            outputs={"ranks": Output(RANKS, judged["ranks"])},
        ),
        Step(
            stage="evaluate",
            name="match",
            benchmark=name,
            function=f"{_WORK}:match",
            reads=("seed", "models.{matcher}"),
            ignores=not_its_work("matcher"),
            sources=("models.{matcher}.checkpoint",),
            code=adapter_code,
            inputs=pictured,
            outputs={
                "matches": Output(MATCHES, judged["matches"]),
                "random": Output(MATCHES, judged["random"]),
            },
        ),
    )


def photographs_of(pairs: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Pair id -> image id of the photograph that its original caption was written for, where that is there."""
    found = {pair["pair_id"]: json.loads(pair["provenance"]).get("image_id") for pair in pairs}
    return {pair_id: image_id for pair_id, image_id in found.items() if image_id is not None}


def read_by_tables(name: str) -> tuple[str, ...]:
    """What the aggregation of a benchmark reads in `params.yaml`, whatever its pairs are."""
    return (
        "seed",
        "models.{matcher}.name",
        "models.{encoder}.checkpoint",  # tells Table 13 from Table 2
        f"verify.{name}.error_categories",
        f"aggregate.{name}",
    )


def evaluated(name: str) -> dict[str, str]:
    """The paths of what `evaluation_steps` make for the tables, by role."""
    verified = f"data/verify/{name}"
    encoder, matcher = (f"data/evaluate/{{{wildcard}}}/{name}" for wildcard in ("encoder", "matcher"))
    return {
        "judgements": f"{verified}/judgements.parquet",
        "errors": f"{verified}/errors.parquet",
        "ranks": f"{encoder}/ranks.parquet",
        "matches": f"{matcher}/matches.parquet",
        "random": f"{matcher}/random-matches.parquet",
    }
