"""The items that are judged: a picture of a pair, and what a decision about it comes to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from whatif.errors import WhatifError

Row: TypeAlias = Mapping[str, Any]

SIDES = (0, 1)  # the original, its counterfactual
VARIANTS = ("original", "counterfactual")
DECISIONS = ("caption_0", "caption_1", "both", "neither")
OUTCOMES = ("correct", "incorrect", "neither", "both")  # in the order of COCO-Counterfactuals Table 1


def item_id(pair_id: str, side: int) -> str:
    """The id of the picture of one side of a pair."""
    return f"{pair_id}-{side}"


def pair_and_side(item: str) -> tuple[str, int]:
    """The pair and the side that an item is of. Raises WhatifError when the item is no picture of a pair."""
    pair_id, _, side = item.rpartition("-")
    if not pair_id or side not in ("0", "1"):
        raise WhatifError(f"item {item!r}: is no picture of a pair; its id is that of the pair with -0 or -1 behind it")
    return pair_id, int(side)


def pairs_by_id(pairs: Iterable[Row]) -> dict[str, Row]:
    """Rows of `pairs` by pair_id, in ascending order. Raises WhatifError when a pair comes with two candidates."""
    found: dict[str, Row] = {}
    for row in pairs:
        if row["pair_id"] in found:
            raise WhatifError(
                f"pair {row['pair_id']}: comes with several candidates; pictures are judged when one was chosen"
            )
        found[row["pair_id"]] = row
    return dict(sorted(found.items()))


def outcome(item: str, decision: str) -> str:
    """What a decision about a picture comes to: `correct` when it names the caption that the picture was made from.

    One of `OUTCOMES`. Raises WhatifError for an item that is no picture of a pair, and for an unknown decision.
    """
    _, side = pair_and_side(item)
    if decision not in DECISIONS:
        raise WhatifError(f"item {item}: decision {decision!r} is unknown; it is one of {', '.join(DECISIONS)}")
    if decision in ("both", "neither"):
        return decision
    return "correct" if decision == f"caption_{side}" else "incorrect"
