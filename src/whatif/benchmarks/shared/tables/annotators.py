"""The work of each annotator."""

from __future__ import annotations

from whatif.benchmarks.shared.annotator_tables import work_table
from whatif.benchmarks.shared.results import PeoplesResults
from whatif.results.reporting.declared import Made
from whatif.results.reporting.table import Table


def _table(found: PeoplesResults) -> Table:
    judgements, gold = found.task.rows("judgements"), found.task.rows("gold")
    return work_table(judgements, gold, found.settings, found.task.seed, found.resolution)


TABLE = Made(86, _table)
