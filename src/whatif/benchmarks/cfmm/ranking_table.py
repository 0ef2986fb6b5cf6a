"""The table `rules` of CFMM: the accuracies of systems that ranked options, by each rule of ranking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from whatif.benchmarks.cfmm.item_answers import ItemAnswers
from whatif.benchmarks.cfmm.measures import ACCURACIES
from whatif.benchmarks.cfmm.reported import prompt_name
from whatif.engine.params.model_entries import RankingRule
from whatif.results.reporting import system_ranking
from whatif.results.reporting.answers import Codes
from whatif.results.reporting.precision import Precision
from whatif.results.reporting.table import OURS, Table
from whatif.scoring.statistics import Interval, clustered_share

_BY = {"model": "", "name": "Model", "strategy": "", "prompt": "Prompt"}


def ranking_table(answers: ItemAnswers, names: Mapping[str, str], settings: Precision, rule: RankingRule) -> Table:
    """Means over all questions in percent, and chosen letters; a rule that lacks its scores gets no row.

    `names` are the models' display names by key; `rule` is the one of all other tables.
    """
    questions = answers.questions

    def place_of(place: int) -> dict[str, str]:
        model, strategy = answers.systems[place]
        name, prompt = names[model], prompt_name(strategy)
        return {"model": model, "name": name, "source": OURS, "strategy": strategy, "prompt": prompt}

    def shares(place: int, chosen: Codes) -> Iterator[tuple[str, Interval, int]]:
        right = chosen == questions.correct
        asked = answers.asked[place]
        basics, others = np.flatnonzero(asked & questions.is_basic), np.flatnonzero(asked & ~questions.is_basic)
        on_basics, on_others = right[basics], right[others]
        both = on_others & right[questions.basic[others]]
        for name, values, which in zip(ACCURACIES, (on_basics, on_others, both), (basics, others, others), strict=True):
            yield name, clustered_share(values, questions.image[which], confidence=settings.confidence), len(which)

    return system_ranking.ranking_table(
        answers,
        place_of,
        shares,
        settings,
        rule,
        identity=("model", "name", "source", "strategy", "prompt"),
        by=_BY,
        accuracies=ACCURACIES,
        options=int(questions.options.max()),
        what="Means over all questions by ranking rule, in percent, with {level} intervals by image.",
    )
