"""Every two models' drops compared."""

from __future__ import annotations

from whatif.benchmarks.shared.results import TwinResults
from whatif.results.reporting.declared import Made
from whatif.results.reporting.model_drops import compare_drops, drops

TABLE: Made[TwinResults] = Made(
    40, lambda found: drops(compare_drops(found.answers, settings=found.settings), found.names, found.level)
)
