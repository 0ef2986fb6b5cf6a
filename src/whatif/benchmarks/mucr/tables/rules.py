"""Scores in text and in images of systems that ranked options, by each rule of ranking, and the letters they choose.

A rule that lacks its scores gets no row.
"""

from __future__ import annotations

from collections.abc import Iterator

from whatif.benchmarks.mucr.asked_items import IN_IMAGES, IN_TEXT
from whatif.benchmarks.mucr.results import Results
from whatif.benchmarks.mucr.schemas import SCORES, TEXT
from whatif.results.reporting import system_ranking
from whatif.results.reporting.answers import Codes
from whatif.results.reporting.declared import Made
from whatif.results.reporting.table import Table
from whatif.scoring.statistics import Interval, clustered_share

_NAMES = {
    (way, metric): f"{metric}, {'text' if way.form == TEXT else 'images'}"
    for way in (IN_TEXT, IN_IMAGES)
    for metric in SCORES
}


def _table(results: Results) -> Table:
    answers, questions = results.answers, results.asked

    def shares(place: int, chosen: Codes) -> Iterator[tuple[str, Interval, int]]:
        right = chosen == questions.correct
        for (way, metric), name in _NAMES.items():
            asked = questions.places(metric, way)
            asked = asked[answers.asked[place][asked]]
            if (chosen[asked] >= 0).any():  # text has no score without an image
                share = clustered_share(right[asked], questions.group[asked], confidence=results.settings.confidence)
                yield name, share, len(asked)

    return system_ranking.ranking_table(
        answers,
        results.plain_place,
        shares,
        results.settings,
        results.rule,
        identity=("model", "name", "source", "strategy"),
        by={"model": "", "name": "Model", "strategy": "Strategy"},
        accuracies=list(_NAMES.values()),
        options=int(questions.options.max()),
        what="Questions answered correctly by ranking rule, in percent, with {level} intervals by group.",
    )


TABLE: Made[Results] = Made(82, _table)
