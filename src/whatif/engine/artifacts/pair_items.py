"""The ids of a pair's two images, the same in every table: `<pair_id>-<side>`."""

from __future__ import annotations

from whatif.engine.errors import WhatifError

SIDES = (0, 1)  # the original, its counterfactual
SAME_PICTURE = "same picture"  # reason for rejecting a pair whose two images have the same pixels


def item_id(pair_id: str, side: int) -> str:
    """The id of the image on one side of a pair."""
    return f"{pair_id}-{side}"


def pair_and_side(item: str) -> tuple[str, int]:
    """The pair and the side of an item. Raises WhatifError when the item is not an image of a pair."""
    pair_id, _, side = item.rpartition("-")
    if not pair_id or side not in ("0", "1"):
        raise WhatifError(f"item {item!r}: is not an image of a pair; use the id of the pair followed by -0 or -1")
    return pair_id, int(side)
