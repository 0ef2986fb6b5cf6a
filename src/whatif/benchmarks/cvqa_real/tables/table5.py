"""Table 5 of C-VQA: as Table 3, for models that were asked a random part of each group."""

from __future__ import annotations

from whatif.benchmarks.cvqa_real.report import RealResults
from whatif.benchmarks.cvqa_real.tables.table3 import accuracies
from whatif.results.reporting.declared import Made
from whatif.results.reporting.table import Table


def _table(found: RealResults) -> Table:
    names = {model: name for model, name in found.asked(found.main).items() if found.is_sampled(model)}
    answered = found.answered(found.main, names)
    return accuracies(5, "A part of each group", "C-VQA-Real, a random part of each group", answered)


TABLE = Made(14, _table)
