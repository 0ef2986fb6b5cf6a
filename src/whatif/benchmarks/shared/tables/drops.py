"""Every two models' drops compared."""

from __future__ import annotations

from whatif.benchmarks.shared.results import PairedResults
from whatif.results.reporting.declared import Made
from whatif.results.reporting.model_drops import compare_drops, drops
from whatif.results.reporting.table import Table


def _table(found: PairedResults) -> Table:
    return drops(compare_drops(found.answers, settings=found.settings, images=found.images), found.names, found.level)


TABLE = Made(40, _table)
