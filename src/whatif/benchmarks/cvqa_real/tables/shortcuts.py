"""How many questions can be answered from their text alone, in the order of the groups and variants."""

from __future__ import annotations

from whatif.benchmarks.cvqa_real.report import RealResults
from whatif.benchmarks.shared.reports import audits_of
from whatif.results.reporting.declared import Made
from whatif.results.reporting.question_pairs import VARIANTS
from whatif.results.reporting.shortcuts import shortcuts
from whatif.results.reporting.table import Table


def _table(found: RealResults) -> Table:
    order = [f"{group} {variant}" for group in found.groups for variant in VARIANTS]
    audits = {
        name: sorted(audit, key=lambda one: order.index(one.variant)) for name, audit in audits_of(found.task).items()
    }
    return shortcuts(audits, found.settings.confidence, chance=None)


TABLE = Made(80, _table)
