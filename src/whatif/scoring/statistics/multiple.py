"""Correction of p-values when several hypotheses are tested at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Corrected:
    """Adjusted p-values and whether their hypotheses are rejected, in the order of the p-values."""

    p_values: tuple[float | None, ...]
    rejected: tuple[bool, ...]


def holm(p_values: Sequence[float | None], alpha: float = 0.05) -> Corrected:
    """Holm's step-down correction, which keeps the probability of any wrong rejection at `alpha` or below.

    The i-th smallest of m p-values is multiplied by m - i + 1. An adjusted p-value is never below that of a smaller
    p-value and never above 1 (Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
    Statistics 6, 1979, 65-70). The correction makes no assumption on the dependence between the tests. A missing
    p-value (None or NaN) stays unchanged in its place, is not rejected, and does not count in m.

    Raises ValueError when a p-value is not within [0, 1] or alpha not within (0, 1).
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha {alpha}: must lie between 0 and 1")
    tested: dict[int, float] = {}
    for place, p in enumerate(p_values):
        if p is None or math.isnan(p):
            continue
        if not 0 <= p <= 1:
            raise ValueError(f"p-value {place} is {p}: must lie within 0 and 1")
        tested[place] = float(p)
    if not tested:
        return Corrected(tuple(p_values), (False,) * len(p_values))
    adjusted: dict[int, float] = {}
    largest = 0.0
    for rank, place in enumerate(sorted(tested, key=tested.__getitem__)):
        largest = max(largest, min(1.0, (len(tested) - rank) * tested[place]))
        adjusted[place] = largest
    return Corrected(
        tuple(adjusted.get(place, p) for place, p in enumerate(p_values)),
        tuple(place in adjusted and adjusted[place] <= alpha for place in range(len(p_values))),
    )
