"""The table `rules`: the accuracies of systems that ranked options, and the letters they chose, by rule of ranking."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from whatif.engine.language.options import LETTERS
from whatif.engine.params.model_entries import RankingRule
from whatif.results.reporting.answers import Answers, Codes, Questions
from whatif.results.reporting.precision import Precision, in_percent, percent
from whatif.results.reporting.table import Column, Table, View, tidy
from whatif.scoring.ranking_rules import RULES
from whatif.scoring.statistics import Interval

_NOTE = (
    "mean and sum: the log-likelihood of an option per token, and as a whole; minus-without-image and "
    "minus-without-prompt: the sum minus that of the same option after the conversation without its images, or after "
    "nothing. Other tables are by {rule}."
)
# Of a system, by its index, and the letters that a rule chooses (-1 for none): name, share and size of each accuracy.
Shares = Callable[[int, Codes], Iterable[tuple[str, Interval, int]]]
Row = dict[str, Any]


def ranking_table(
    answers: Answers[Any],
    place_of: Callable[[int], Mapping[str, Any]],
    shares: Shares,
    settings: Precision,
    rule: RankingRule,
    *,
    identity: Sequence[str],
    by: Mapping[str, str],
    accuracies: Sequence[str],
    options: int,
    what: str,
) -> Table:
    """Accuracies in percent, and chosen letters; a rule that lacks its scores gets no row.

    `place_of` returns the columns `identity` of a system by its index, `by` are those that are printed with their
    headings; `accuracies` are the names that `shares` returns, in order. `rule` is the one of all other tables,
    `options` the number of options of a question, and `what` begins the caption, with the unit of the intervals at its
    end: `Means over all questions by ranking rule, in percent, with {level} intervals by image.`
    """
    rows = [row for place in range(len(answers.systems)) for row in _rows(answers, place, place_of, shares, options)]
    shown = {**by, "rule": "Rule"}
    views = (
        View(
            what.format(level=f"{100 * settings.confidence:g}%"),
            shown,
            tuple(Column(name, name, interval=True) for name in accuracies),
            _NOTE.format(rule=rule),
        ),
        View(
            "Letters chosen by ranking rule, in percent of questions with scores.",
            shown,
            tuple(Column(letter, "share", {"answer": letter}) for letter in LETTERS[:options]),
        ),
    )
    frame = tidy(rows, (*identity, "rule", "measure", "answer"), ("value", "low", "high", "n"))
    return Table("rules", "By ranking rule", frame, views)


def _rows(
    answers: Answers[Questions],
    place: int,
    place_of: Callable[[int], Mapping[str, Any]],
    shares: Shares,
    options: int,
) -> Iterator[Row]:
    asked = answers.asked[place]
    for one in RULES if answers.chosen else ():
        chosen = answers.chosen[one][place]
        known = int((chosen[asked] >= 0).sum())
        if not known:
            continue
        of_rule = {**place_of(place), "rule": one}
        for name, share, number in shares(place, chosen):
            yield {**of_rule, "measure": name, **in_percent("value", share), "n": number}
        for index, letter in enumerate(LETTERS[:options]):
            part = percent(int((chosen[asked] == index).sum()) / known)
            yield {**of_rule, "measure": "share", "answer": letter, "value": part, "n": known}
