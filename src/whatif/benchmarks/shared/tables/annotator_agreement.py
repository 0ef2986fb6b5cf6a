"""The agreement of the annotators."""

from __future__ import annotations

from whatif.benchmarks.shared.annotator_tables import agreement_table
from whatif.benchmarks.shared.results import PeoplesResults
from whatif.results.reporting.declared import Made
from whatif.results.reporting.table import Table


def _table(found: PeoplesResults) -> Table:
    return agreement_table(found.task.rows("judgements"), found.settings, found.task.seed, found.resolution)


TABLE = Made(84, _table)
