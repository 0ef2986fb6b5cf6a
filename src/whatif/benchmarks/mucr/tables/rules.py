"""The scores in text and in images of systems that ranked options, by each rule of ranking."""

from __future__ import annotations

from collections.abc import Iterator

from whatif.benchmarks.mucr.report import WAYS, Mucr
from whatif.benchmarks.mucr.schemas import SCORES, TEXT
from whatif.results.reporting.answers import Codes, Flags, Places
from whatif.results.reporting.declared import Made
from whatif.results.reporting.system_ranking import ranking_table
from whatif.results.reporting.table import Table

_NAMES = {(way, metric): f"{metric}, {'text' if way.form == TEXT else 'images'}" for way in WAYS for metric in SCORES}


def _table(found: Mucr) -> Table:
    def accuracies(system: int, chosen: Codes) -> Iterator[tuple[str, Flags, Places]]:
        for (way, metric), name in _NAMES.items():
            asked = found.asked.places(metric, way)
            asked = asked[found.answers.asked[system][asked]]
            if (chosen[asked] >= 0).any():  # text has no score without an image
                yield name, (chosen == found.asked.correct)[asked], found.asked.group[asked]

    by = {"model": "", "name": "Model", "strategy": "Strategy"}
    what = "Questions answered correctly by ranking rule, in percent, with {level} intervals by group."
    return ranking_table(found, accuracies, list(_NAMES.values()), by, what)


TABLE = Made(82, _table)
