"""The accuracies of systems that ranked options, by each rule of ranking: means over all questions in percent."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from whatif.benchmarks.cfmm.measures import ACCURACIES, outcomes
from whatif.benchmarks.cfmm.report import BY_SYSTEM, Cfmm
from whatif.results.reporting.answers import Codes, Flags, Places
from whatif.results.reporting.declared import Made
from whatif.results.reporting.system_ranking import ranking_table
from whatif.results.reporting.table import Table


def _table(found: Cfmm) -> Table:
    def accuracies(system: int, chosen: Codes) -> Iterator[tuple[str, Flags, Places]]:
        asked = np.flatnonzero(found.answers.asked[system])
        right = chosen == found.asked.correct
        return ((name, *of_name) for name, of_name in outcomes(found.asked, right, asked).items())

    what = "Means over all questions by ranking rule, in percent, with {level} intervals by image."
    return ranking_table(found, accuracies, ACCURACIES, BY_SYSTEM, what)


TABLE = Made(82, _table)
