"""Which answers are right, pair by pair: shares and paired changes with intervals by group (MuCR 3.2).

The four pairs of a group share their causality and, in C2E and EXP, their options. They are not independent, so every
interval and test here is by group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from whatif.results.reporting.answers import Flags, Places
from whatif.scoring.statistics import Difference, Interval, clustered_share, paired_difference


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Answers, one entry for each, in ascending order of `keys`.

    keys: what is asked about, the same in every form (a pair, or a pair with a metric, an attempt or a seed);
    right: whether the answer is right; groups: the index of the pair's group.
    """

    keys: Places
    right: Flags
    groups: Places

    @property
    def n(self) -> int:
        """The number of answers."""
        return len(self.keys)

    def share(self, confidence: float) -> Interval:
        """The share of right answers as a fraction, with its interval by group."""
        return clustered_share(self.right, self.groups, confidence=confidence)

    def only(self, keys: Places) -> Outcomes:
        """The answers with these keys."""
        chosen = np.isin(self.keys, keys)
        return Outcomes(self.keys[chosen], self.right[chosen], self.groups[chosen])


def together(parts: Sequence[Outcomes]) -> Outcomes:
    """Several sets of answers as one, in which an answer's key is its own and the index of its set."""
    keys = np.concatenate([part.keys * len(parts) + place for place, part in enumerate(parts)])
    order = np.argsort(keys)
    right, groups = (np.concatenate([getattr(part, name) for part in parts]) for name in ("right", "groups"))
    return Outcomes(keys[order], right[order], groups[order])


def change(before: Outcomes, after: Outcomes, confidence: float) -> tuple[Difference, int] | None:
    """The share right after minus the share right before, and their number, over the keys of both; None without any.

    Interval and test are by group (`whatif.scoring.statistics.paired_difference`).
    """
    both = np.intersect1d(before.keys, after.keys)
    if not both.size:
        return None
    first, second = before.only(both), after.only(both)
    return paired_difference(first.right, second.right, first.groups, confidence=confidence), len(both)
