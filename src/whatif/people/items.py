"""The items that annotators judge, one for each image of a pair, and the outcomes of their decisions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from whatif.engine.artifacts.pair_items import pair_and_side
from whatif.engine.errors import WhatifError

Row: TypeAlias = Mapping[str, Any]

VARIANTS = ("original", "counterfactual")  # of sides 0 and 1
DECISIONS = ("caption_0", "caption_1", "both", "neither")
OUTCOMES = ("correct", "incorrect", "neither", "both")  # in the order of COCO-Counterfactuals Table 1


def pairs_by_id(pairs: Iterable[Row]) -> dict[str, Row]:
    """Rows of `pairs` by pair_id, in ascending order. Raises WhatifError when a pair has two candidates."""
    found: dict[str, Row] = {}
    for row in pairs:
        if row["pair_id"] in found:
            raise WhatifError(
                f"pair {row['pair_id']}: has several candidates; give chosen pairs, with one candidate each"
            )
        found[row["pair_id"]] = row
    return dict(sorted(found.items()))


def outcome(item: str, decision: str) -> str:
    """The outcome of a decision about an image: `correct` if it names the caption that the image was made from.

    Returns one of `OUTCOMES`. Raises WhatifError for an item that is not an image of a pair, or an unknown decision.
    """
    _, side = pair_and_side(item)
    if decision not in DECISIONS:
        raise WhatifError(f"item {item}: decision {decision!r} is unknown; use one of {', '.join(DECISIONS)}")
    if decision in ("both", "neither"):
        return decision
    return "correct" if decision == f"caption_{side}" else "incorrect"
