"""The ids of the pictures of pairs: made and read by the same rule."""

from __future__ import annotations

import pytest

from whatif.artifacts.pair_items import SIDES, item_id, pair_and_side
from whatif.errors import WhatifError


def test_an_id_is_read_as_it_was_made() -> None:
    for pair_id in ("12", "a-b-0", "-"):
        for side in SIDES:
            assert pair_and_side(item_id(pair_id, side)) == (pair_id, side)


@pytest.mark.parametrize("item", ["p", "-1", "p-2", ""])
def test_what_is_no_picture_of_a_pair(item: str) -> None:
    with pytest.raises(WhatifError, match="is not an image of a pair"):
        pair_and_side(item)
