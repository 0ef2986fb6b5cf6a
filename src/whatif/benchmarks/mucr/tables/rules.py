"""The scores in text and in images of systems that ranked options, by each rule of ranking."""

from __future__ import annotations

from collections.abc import Iterator

from whatif.benchmarks.mucr.report import WAYS, Mucr
from whatif.benchmarks.mucr.schemas import SCORES, TEXT
from whatif.benchmarks.mucr.score_tables import PLACE
from whatif.results.reporting.answers import Codes
from whatif.results.reporting.declared import Made
from whatif.results.reporting.system_ranking import ranking_table
from whatif.results.reporting.table import Table
from whatif.scoring.statistics import Interval, clustered_share

_NAMES = {(way, metric): f"{metric}, {'text' if way.form == TEXT else 'images'}" for way in WAYS for metric in SCORES}


def _table(found: Mucr) -> Table:
    def shares(place: int, chosen: Codes) -> Iterator[tuple[str, Interval, int]]:
        right = chosen == found.asked.correct
        for (way, metric), name in _NAMES.items():
            asked = found.asked.places(metric, way)
            asked = asked[found.answers.asked[place][asked]]
            if (chosen[asked] >= 0).any():  # text has no score without an image
                share = clustered_share(right[asked], found.asked.group[asked], confidence=found.settings.confidence)
                yield name, share, len(asked)

    return ranking_table(
        found.answers,
        found.plain_place,
        shares,
        found.settings,
        found.rule,
        identity=PLACE,
        by={"model": "", "name": "Model", "strategy": "Strategy"},
        accuracies=list(_NAMES.values()),
        options=int(found.asked.options.max()),
        what="Questions answered correctly by ranking rule, in percent, with {level} intervals by group.",
    )


TABLE = Made(82, _table)
