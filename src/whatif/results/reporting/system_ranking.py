"""The table `rules`: the accuracies of systems that ranked options, and the letters they chose, by rule of ranking."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from whatif.engine.language.options import LETTERS
from whatif.engine.params.model_entries import RankingRule
from whatif.results.reporting.answers import Answers, Codes, Flags, Places
from whatif.results.reporting.precision import Precision, in_percent, percent
from whatif.results.reporting.table import Column, Table, View, tidy
from whatif.scoring.ranking_rules import RULES
from whatif.scoring.statistics import clustered_share

_NOTE = (
    "mean and sum: the log-likelihood of an option per token, and as a whole; minus-without-image and "
    "minus-without-prompt: the sum minus that of the same option after the conversation without its images, or after "
    "nothing. Other tables are by {rule}."
)
# Of a system, by its index, and the letters that a rule chooses (-1 for none): the name of each accuracy, which answers
# are right, and their clusters.
Accuracies = Callable[[int, Codes], Iterable[tuple[str, Flags, Places]]]
Row = dict[str, Any]


class Ranked(Protocol):
    """Results of systems; `rule` is the one of all other tables."""

    @property
    def answers(self) -> Answers[Any]: ...
    @property
    def settings(self) -> Precision: ...
    @property
    def level(self) -> str: ...
    @property
    def rule(self) -> RankingRule: ...
    def plain_place(self, number: int) -> Mapping[str, Any]: ...


def ranking_table(
    found: Ranked, accuracies: Accuracies, names: Sequence[str], by: Mapping[str, str], what: str
) -> Table:
    """Accuracies in percent, and chosen letters; a rule that lacks its scores gets no row.

    `names` are those of the accuracies, in order; `by` the columns that identify a system, with their headings. `what`
    begins the caption, with the unit of the intervals at its end: `Means over all questions by ranking rule, in
    percent, with {level} intervals by image.`
    """
    letters = LETTERS[: int(found.answers.questions.options.max())]
    rows = [row for number in range(len(found.answers.systems)) for row in _rows(found, number, accuracies, letters)]
    shown = {**by, "rule": "Rule"}
    views = (
        View(
            what.format(level=found.level),
            shown,
            tuple(Column(name, name, interval=True) for name in names),
            _NOTE.format(rule=found.rule),
        ),
        View(
            "Letters chosen by ranking rule, in percent of questions with scores.",
            shown,
            tuple(Column(letter, "share", {"answer": letter}) for letter in letters),
        ),
    )
    model, name, *others = by
    frame = tidy(rows, (model, name, "source", *others, "rule", "measure", "answer"), ("value", "low", "high", "n"))
    return Table("rules", "By ranking rule", frame, views)


def _rows(found: Ranked, number: int, accuracies: Accuracies, letters: Sequence[str]) -> Iterator[Row]:
    asked = found.answers.asked[number]
    for rule in RULES if found.answers.chosen else ():
        chosen = found.answers.chosen[rule][number]
        known = int((chosen[asked] >= 0).sum())
        if not known:
            continue
        place = {**found.plain_place(number), "rule": rule}
        for name, right, clusters in accuracies(number, chosen):
            share = clustered_share(right, clusters, confidence=found.settings.confidence)
            yield {**place, "measure": name, **in_percent("value", share), "n": len(right)}
        for index, letter in enumerate(letters):
            part = percent(int((chosen[asked] == index).sum()) / known)
            yield {**place, "measure": "share", "answer": letter, "value": part, "n": known}
