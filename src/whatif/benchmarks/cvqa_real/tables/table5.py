"""Table 5 of C-VQA: as Table 3, for models that were asked a random part of each group."""

from __future__ import annotations

from whatif.benchmarks.cvqa_real.report import RealResults
from whatif.benchmarks.cvqa_real.tables.table3 import accuracies
from whatif.results.reporting.declared import Made
from whatif.results.reporting.table import Table


def _table(found: RealResults) -> Table:
    models = {model: name for model, name in found.asked(found.main).items() if model in found.sampled}
    what = f"{found.title}, a random part of each group"
    return accuracies(found, 5, "A part of each group", what, strategy=found.main, models=models)


TABLE = Made(14, _table)
