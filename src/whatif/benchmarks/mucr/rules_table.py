"""The table `rules` of MuCR: scores in text and in images of systems that ranked options, by each rule of ranking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from whatif.benchmarks.mucr.asked_items import IN_IMAGES, IN_TEXT, AskedItems
from whatif.benchmarks.mucr.schemas import SCORES, TEXT
from whatif.benchmarks.mucr.settings import AggregateMucr
from whatif.results.reporting import system_ranking
from whatif.results.reporting.answers import Answers, Codes
from whatif.results.reporting.table import OURS, Table
from whatif.scoring.statistics import Interval, clustered_share

_NAMES = {
    (way, metric): f"{metric}, {'text' if way.form == TEXT else 'images'}"
    for way in (IN_TEXT, IN_IMAGES)
    for metric in SCORES
}


def rules(answers: Answers[AskedItems], names: Mapping[str, str], settings: AggregateMucr) -> Table:
    """Scores in percent, and chosen letters; a rule that lacks its scores gets no row.

    `names` are the models' display names by key.
    """
    questions = answers.questions

    def place_of(place: int) -> dict[str, str]:
        model, strategy = answers.systems[place]
        return {"model": model, "name": names[model], "source": OURS, "strategy": strategy}

    def shares(place: int, chosen: Codes) -> Iterator[tuple[str, Interval, int]]:
        right = chosen == questions.correct
        for (way, metric), name in _NAMES.items():
            asked = questions.places(metric, way)
            asked = asked[answers.asked[place][asked]]
            if (chosen[asked] >= 0).any():  # text has no score without an image
                share = clustered_share(right[asked], questions.group[asked], confidence=settings.confidence)
                yield name, share, len(asked)

    return system_ranking.ranking_table(
        answers,
        place_of,
        shares,
        settings,
        settings.rule,
        identity=("model", "name", "source", "strategy"),
        by={"model": "", "name": "Model", "strategy": "Strategy"},
        accuracies=list(_NAMES.values()),
        options=int(questions.options.max()),
        what="Questions answered correctly by ranking rule, in percent, with {level} intervals by group.",
    )
