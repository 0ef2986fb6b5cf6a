"""The standard measures of pairs, for a matcher's choices in each pair of captions and images."""

from __future__ import annotations

from whatif.benchmarks.scenes.report import SceneResults
from whatif.benchmarks.shared.matched_pairs import matched_pairs
from whatif.results.reporting.declared import Made

TABLE: Made[SceneResults] = Made(
    30,
    lambda found: matched_pairs(
        found.matches, names=found.matchers, confidence=found.settings.confidence, title=found.title
    ),
)
