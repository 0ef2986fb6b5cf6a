"""What the set of MuCR has: pairs by category, images by style and generator, and questions (MuCR 3.1, Figure 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whatif.benchmarks.mucr.results import Results
from whatif.benchmarks.mucr.schemas import CATEGORIES, STYLES

Row = Mapping[str, Any]


@dataclass(frozen=True)
class SetCounts:
    """What the set has, as rows of its artifacts.

    pairs: of `causal-pairs`; candidates: of `image-candidates`, drawn or released; choices: of `siamese-choices`, one
    for each pair and style; items: of `causal-items`.
    """

    pairs: Sequence[Row]
    candidates: Sequence[Row]
    choices: Sequence[Row]
    items: Sequence[Row]

    @property
    def categories(self) -> dict[str, int]:
        """Pairs by category, in the order of the paper; without empty ones."""
        counts = Counter(row["category"] for row in self.pairs)
        return {name: counts[name] for name in CATEGORIES if counts[name]}

    @property
    def styles(self) -> dict[str, int]:
        """Chosen pairs of images by style."""
        counts = Counter(row["style"] for row in self.choices)
        return {name: counts[name] for name in STYLES if counts[name]}


def set_counts(found: Results) -> SetCounts:
    """The rows of which the table `set` is made; only pairs that are used count."""
    task = found.task
    pairs = list(task.rows("pairs", ["pair_id", "group_id", "category"]))
    used = {row["pair_id"] for row in pairs}
    columns = ["candidate_id", "pair_id", "style", "generator"]
    candidates = [row for role in ("provided", "candidates") for row in task.rows(role, columns)]
    choices = [row for row in task.rows("choices") if row["pair_id"] in used]
    return SetCounts(pairs, [row for row in candidates if row["pair_id"] in used], choices, found.items)
