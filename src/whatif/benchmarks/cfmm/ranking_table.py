"""The table `rules`: the accuracies of systems that ranked options, by each rule of ranking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from whatif.benchmarks.cfmm.item_answers import ItemAnswers
from whatif.benchmarks.cfmm.measures import ACCURACIES
from whatif.benchmarks.cfmm.reported import prompt_name
from whatif.language.options import LETTERS
from whatif.params.model_entries import RankingRule
from whatif.reporting.precision import Precision, in_percent, percent
from whatif.reporting.table import OURS, Column, Table, View, tidy
from whatif.scoring.ranking_rules import RULES
from whatif.statistics import clustered_share

_NOTE = (
    "mean and sum: the log-likelihood of an option per token, and as a whole; minus-without-image and "
    "minus-without-prompt: the sum minus that of the same option after the conversation without its images, or after "
    "nothing. Other tables are by {rule}."
)
_IDENTITY = ("model", "name", "source", "strategy", "prompt", "rule", "measure", "answer")


def ranking_table(answers: ItemAnswers, names: Mapping[str, str], settings: Precision, rule: RankingRule) -> Table:
    """Means over all questions in percent, and chosen letters; a rule that lacks its scores gets no row.

    `names` are the models' display names by key; `rule` is the one of all other tables.
    """
    rows = [row for place in range(len(answers.systems)) for row in _rows(answers, place, settings, names)]
    by = {"model": "", "name": "Model", "strategy": "", "prompt": "Prompt", "rule": "Rule"}
    letters = LETTERS[: int(answers.questions.options.max())]
    views = (
        View(
            f"Means over all questions by ranking rule, in percent, with {100 * settings.confidence:g}% intervals by "
            "image.",
            by,
            tuple(Column(name, name, interval=True) for name in ACCURACIES),
            _NOTE.format(rule=rule),
        ),
        View(
            "Letters chosen by ranking rule, in percent of questions with scores.",
            by,
            tuple(Column(letter, "share", {"answer": letter}) for letter in letters),
        ),
    )
    return Table("rules", "By ranking rule", tidy(rows, _IDENTITY, ("value", "low", "high", "n")), views)


def _rows(answers: ItemAnswers, place: int, settings: Precision, names: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    questions, asked = answers.questions, answers.asked[place]
    model, strategy = answers.systems[place]
    system = {
        "model": model,
        "name": names[model],
        "source": OURS,
        "strategy": strategy,
        "prompt": prompt_name(strategy),
    }
    basics, others = np.flatnonzero(asked & questions.is_basic), np.flatnonzero(asked & ~questions.is_basic)
    for one in RULES:
        chosen = answers.chosen[one][place]
        known = int((chosen[asked] >= 0).sum())
        if not known:
            continue
        right = chosen == questions.correct
        on_basics, on_others = right[basics], right[others]
        both = on_others & right[questions.basic[others]]
        of_rule = {**system, "rule": one}
        for name, values, which in zip(ACCURACIES, (on_basics, on_others, both), (basics, others, others), strict=True):
            share = clustered_share(values, questions.image[which], confidence=settings.confidence)
            yield {**of_rule, "measure": name, **in_percent("value", share), "n": len(which)}
        for index, letter in enumerate(LETTERS[: int(questions.options.max())]):
            part = percent(int((chosen[asked] == index).sum()) / known)
            yield {**of_rule, "measure": "share", "answer": letter, "value": part, "n": known}
