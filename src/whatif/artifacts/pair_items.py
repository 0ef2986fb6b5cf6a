"""The pictures of a pair and their ids, the same in every table: `<pair_id>-<side>`."""

from __future__ import annotations

from whatif.errors import WhatifError

SIDES = (0, 1)  # the original, its counterfactual
SAME_PICTURE = "same picture"  # why a pair is rejected whose two pictures have the same pixels


def item_id(pair_id: str, side: int) -> str:
    """The id of the picture of one side of a pair."""
    return f"{pair_id}-{side}"


def pair_and_side(item: str) -> tuple[str, int]:
    """The pair and the side that an item is of. Raises WhatifError when the item is no picture of a pair."""
    pair_id, _, side = item.rpartition("-")
    if not pair_id or side not in ("0", "1"):
        raise WhatifError(f"item {item!r}: is no picture of a pair; its id is that of the pair with -0 or -1 behind it")
    return pair_id, int(side)
