"""Every two models' drops compared, by group."""

from __future__ import annotations

from whatif.benchmarks.cvqa_real.report import RealResults
from whatif.results.reporting.declared import Made
from whatif.results.reporting.model_drops import compare_drops, drops
from whatif.results.reporting.table import Table


def _table(found: RealResults) -> Table:
    compared = compare_drops(found.compared, settings=found.settings, images=found.pictures, groups=found.groups)
    return drops(compared, found.asked(found.main), found.level, found.note(found.main))


TABLE = Made(40, _table)
