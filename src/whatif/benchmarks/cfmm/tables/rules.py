"""The accuracies of systems that ranked options, by each rule of ranking: means over all questions in percent."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from whatif.benchmarks.cfmm.measures import ACCURACIES, outcomes
from whatif.benchmarks.cfmm.report import BY_SYSTEM, PLACE, Cfmm
from whatif.results.reporting.answers import Codes
from whatif.results.reporting.declared import Made
from whatif.results.reporting.system_ranking import ranking_table
from whatif.results.reporting.table import Table
from whatif.scoring.statistics import Interval, clustered_share


def _table(found: Cfmm) -> Table:
    def shares(place: int, chosen: Codes) -> Iterator[tuple[str, Interval, int]]:
        asked = np.flatnonzero(found.answers.asked[place])
        for name, (right, images) in outcomes(found.asked, chosen == found.asked.correct, asked).items():
            yield name, clustered_share(right, images, confidence=found.settings.confidence), len(right)

    return ranking_table(
        found.answers,
        found.plain_place,
        shares,
        found.settings,
        found.rule,
        identity=PLACE,
        by=BY_SYSTEM,
        accuracies=ACCURACIES,
        options=int(found.asked.options.max()),
        what="Means over all questions by ranking rule, in percent, with {level} intervals by image.",
    )


TABLE = Made(82, _table)
