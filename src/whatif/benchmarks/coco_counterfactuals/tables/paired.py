"""The standard measures of pairs, for a matcher's choices in each pair of captions and images (4.2.2)."""

from __future__ import annotations

from whatif.benchmarks.coco_counterfactuals.report import PairResults
from whatif.benchmarks.shared.matched_pairs import matched_pairs
from whatif.results.reporting.declared import Made

TABLE: Made[PairResults] = Made(
    96,
    lambda found: matched_pairs(
        found.matches,
        names=found.names,
        confidence=found.settings.confidence,
        title=found.title,
        photographs=found.photographs,
    ),
)
