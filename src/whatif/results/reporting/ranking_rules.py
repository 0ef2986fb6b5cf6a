"""The table that compares the rules by which the options of models that ranked them are compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from whatif.engine.params.model_entries import RankingRule
from whatif.results.reporting.answers import Flags
from whatif.results.reporting.pair_measures import ACCURACIES
from whatif.results.reporting.precision import Precision, in_percent, percent
from whatif.results.reporting.question_pairs import VARIANTS, QuestionPairAnswers
from whatif.results.reporting.table import OURS, Column, Table, View, tidy
from whatif.scoring.ranking_rules import RULES, STORED
from whatif.scoring.statistics import wilson

_NOTE = (
    "mean and sum: the log-likelihood of an option per token, and as a whole; minus-without-image and "
    "minus-without-prompt: the sum minus that of the same option after the question without its image, or after "
    "nothing. Other tables are by {rule}."
)
_BY_MEAN = f" (ranked by {STORED})"
_IDENTITY = ("model", "name", "source", "rule", "variant", "measure", "answer")


def marked(names: Mapping[str, str], without: Sequence[str]) -> dict[str, str]:
    """The display names of models; that of a model which cannot be ranked by another rule says so."""
    return {key: f"{name}{_BY_MEAN}" if key in without else name for key, name in names.items()}


def ranking_rules(
    answers: QuestionPairAnswers, names: Mapping[str, str], settings: Precision, rule: RankingRule, title: str
) -> Table:
    """The table `rules`: accuracy and chosen letters of each model that ranked options, by each rule of ranking.

    A rule that needs scores which a model does not have gets no row. `rule` is the one of all other tables; here, no
    name says that a model could not be ranked by it.
    """
    shown = [names[model].removesuffix(_BY_MEAN) for model in answers.models]
    rows = [row for place, name in enumerate(shown) for row in _rows(answers, place, settings, name)]
    level = f"{100 * settings.confidence:g}%"
    by = {"model": "", "name": "Model", "rule": "Rule"}
    letters = tuple(Column(letter, "share", {"answer": letter}) for letter in answers.questions.letters)
    views = (
        View(
            f"{title} by ranking rule: accuracy in percent with {level} intervals.",
            by,
            ACCURACIES,
            _NOTE.format(rule=rule),
        ),
        View(
            f"{title} by ranking rule: letters chosen, in percent of questions with scores.",
            {**by, "variant": "Variant"},
            letters,
        ),
    )
    return Table("rules", "By ranking rule", tidy(rows, _IDENTITY, ("value", "low", "high", "n")), views)


def _rows(answers: QuestionPairAnswers, place: int, settings: Precision, name: str) -> Iterator[dict[str, Any]]:
    """The rows of one model, of pairs with answers to both questions."""
    pairs = np.flatnonzero(answers.asked_whole[place])
    for rule in RULES if answers.chosen else ():
        found = answers.chosen[rule][place][pairs]
        if not (found >= 0).any():
            continue
        of_rule = {"model": answers.models[place], "name": name, "source": OURS, "rule": rule}
        for variant, side, correct in zip(VARIANTS, found.T, answers.questions.correct[pairs].T, strict=True):
            right: Flags = side == correct
            accuracy = in_percent("value", wilson(int((right & (side >= 0)).sum()), len(right), settings.confidence))
            of_variant = {**of_rule, "variant": variant}
            yield {**of_variant, "measure": "accuracy", **accuracy, "n": len(right)}
            total = int((side >= 0).sum())
            for index, letter in enumerate(answers.questions.letters if total else ""):
                share = percent(int((side == index).sum()) / total)
                yield {**of_variant, "measure": "share", "answer": letter, "value": share, "n": total}
