"""The length of the common beginning of two texts, in words or in tokens."""

from __future__ import annotations

from collections.abc import Sequence


def common_beginning(first: Sequence[object], second: Sequence[object]) -> int:
    """The number of leading items that both sequences share."""
    for place, (one, other) in enumerate(zip(first, second, strict=False)):
        if one != other:
            return place
    return min(len(first), len(second))
