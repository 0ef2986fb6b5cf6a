"""How the answers of programs divide into categories, and which programs are right (C-VQA 4.2)."""

from __future__ import annotations

from whatif.benchmarks.shared.results import Results
from whatif.results.reporting.declared import Made
from whatif.results.reporting.programs import programs
from whatif.results.reporting.table import Table


def _table(found: Results) -> Table:
    findings = found.task.rows("program-findings")
    return programs(findings, found.questions, found.names, found.settings, found.groups)


TABLE = Made(110, _table)
