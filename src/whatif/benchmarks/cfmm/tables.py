"""Tables 2 and 3 of CFMM, our results beside the reported ones, and totals beside those of random answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whatif.benchmarks.cfmm.item_answers import Asked
from whatif.benchmarks.cfmm.measures import ACCURACIES, ALL, Measures
from whatif.benchmarks.cfmm.reported import Reported, prompt_name
from whatif.formats.cfmm_items import CATEGORIES
from whatif.results.reporting.answers import System
from whatif.results.reporting.beside import beside
from whatif.results.reporting.numerals import count, decimal, signed
from whatif.results.reporting.precision import in_percent, percent
from whatif.results.reporting.table import OURS, PUBLISHED, REPORTED, Column, Table, View, tidy
from whatif.scoring.statistics import Interval

TOTAL, QUESTIONS = "total", "questions"  # sums over the categories, and means over all questions
CHANCE = "Chance"
_PLACE = ("model", "name", "source", "strategy", "prompt")
BY_SYSTEM = {"model": "", "name": "Model", "strategy": "", "prompt": "Prompt"}
BESIDE = {"model": "", "name": "Model", "source": "From", "strategy": "", "prompt": "Prompt"}
_NUMBERS = ("value", "low", "high", "n")
ONLY_OURS = {"source": OURS}
_MEANING = {
    "acc_b": "basic questions answered correctly",
    "acc_c": "counterfactual questions answered correctly",
    "acc_plus": "pairs of a basic and a counterfactual question, both answered correctly",
}
Row = dict[str, Any]


@dataclass(frozen=True)
class Results:
    """What the tables are made of: the measures of each system, the models' display names by key, and the questions.

    `level` is the confidence of intervals as text, `ranked_by` a sentence about an unusual rule of ranking.
    """

    systems: Mapping[System, Measures]
    names: Mapping[str, str]
    questions: Asked
    level: str
    ranked_by: str = ""

    @property
    def about_totals(self) -> str:
        """What readers of totals have to know: an unusual rule of ranking, and images that several categories share."""
        shared = self.questions.shared_images
        told = (
            f"Images with items of several categories: {shared:,}. Intervals and tests of totals take the categories "
            "as independent, so with such images they are approximate."
        )
        return f"{self.ranked_by} {told}".strip() if shared else self.ranked_by

    def place(self, system: System) -> Row:
        """The identifying columns of one of our systems."""
        model, strategy = system
        return {
            "model": model,
            "name": self.names[model],
            "source": OURS,
            "strategy": strategy,
            "prompt": prompt_name(strategy),
        }

    def beside(
        self, printed: Reported, rows: Callable[[str, str], Sequence[Row]], ours: Callable[[System], Sequence[Row]]
    ) -> Iterator[Row]:
        """The rows of each reported system and strategy, then ours of models with its name, then our other models."""
        for reported_system, same in beside(printed.systems, list(self.systems), lambda one: self.names[one[0]]):
            for name, strategy in printed.totals:
                if name == reported_system:
                    yield from ({**reported_place(name, strategy), **row} for row in rows(name, strategy))
            for one in same:
                yield from ({**self.place(one), **row} for row in ours(one))


def reported_place(system: str, strategy: str) -> Row:
    """The identifying columns of a reported row."""
    return {"name": system, "source": REPORTED, "strategy": strategy, "prompt": prompt_name(strategy)}


def table2(results: Results, printed: Reported) -> Table:
    """Table 2 (CFMM 4.1): acc_b, acc_c and acc_plus by category in percent; the paper reports no intervals."""

    def rows(system: str, strategy: str) -> list[Row]:
        return [
            {"category": one, "measure": name, "value": float(text), PUBLISHED: text}
            for one in CATEGORIES
            for name, text in printed.categories[system, strategy, one].items()
        ]

    def ours(system: System) -> list[Row]:
        return [
            {"category": category, "measure": name, **in_percent("value", interval), "n": scores.n(name)}
            for category, scores in results.systems[system].scores.items()
            if category != ALL
            for name, interval in scores.accuracies.items()
        ]

    identity = (*_PLACE, "category", "measure", PUBLISHED)
    of_categories = list(dict.fromkeys([*CATEGORIES, *results.questions.categories]))
    views = (
        *(
            View(
                f"{name} by category, in percent (CFMM Table 2): {_MEANING[name]}.",
                BESIDE,
                tuple(Column(one.capitalize(), name, {"category": one}) for one in of_categories),
                f"Reported rows are the paper's, of other images and questions. {results.ranked_by}".strip(),
            )
            for name in ACCURACIES
        ),
        View(
            f"Ours by category in percent, with {results.level} intervals by image.",
            {**BY_SYSTEM, "category": "Category"},
            (
                *(Column(name, name, ONLY_OURS, interval=True) for name in ACCURACIES),
                Column("Images", "acc_b", ONLY_OURS, number="n"),
                Column("Pairs", "acc_plus", ONLY_OURS, number="n"),
            ),
        ),
    )
    return Table("table2", "By category", tidy(results.beside(printed, rows, ours), identity, _NUMBERS), views)


def table3(results: Results, printed: Reported) -> Table:
    """Table 3 (CFMM 4.1): the sum of the percentages of six categories, so each counts the same; at most 600.

    A second view has the reported totals that are not the sums of the reported categories.
    """
    sums, differences = printed.sums(), printed.differences()

    def rows(system: str, strategy: str) -> list[Row]:
        found: list[Row] = []
        for name, text in printed.totals[system, strategy].items():
            found.append({"measure": name, "value": float(text), PUBLISHED: text})
            if difference := differences.get((system, strategy, name)):
                found.append({"measure": f"{name} sum of categories", "value": sums[system, strategy][name]})
                found.append({"measure": f"{name} minus sum", "value": difference})
        return found

    def ours(system: System) -> list[Row]:
        found = results.systems[system]
        return [] if found.totals is None else _sums(found.totals.accuracies, found)

    identity = (*_PLACE, "measure", PUBLISHED)
    most = 100 * len(results.questions.categories)
    views = (
        View(
            f"Totals over the categories, of at most {most:,}, ours with {results.level} intervals by image (CFMM "
            "Table 3).",
            BESIDE,
            tuple(Column(name, name, write=decimal(2), interval=True) for name in ACCURACIES),
            f"Reported rows are the paper's, of other images and questions. {results.about_totals}".strip(),
        ),
        View(
            f"{len(differences)} of the {3 * len(printed.totals)} reported totals are not the sums of the reported "
            f"categories; the largest difference is {max(map(abs, differences.values())):.2f}.",
            {"name": "Model", "strategy": "", "prompt": "Prompt"},
            tuple(
                column
                for name in ACCURACIES
                for column in (
                    Column(f"{name}, sum", f"{name} sum of categories", write=decimal(2)),
                    Column("Reported minus sum", f"{name} minus sum", write=signed(2)),
                )
            ),
        ),
    )
    return Table("table3", "Totals", tidy(results.beside(printed, rows, ours), identity, _NUMBERS), views)


def _sums(accuracies: Mapping[str, Interval], found: Measures) -> list[Row]:
    return [
        {"measure": name, **in_percent("value", interval), "n": found.scores[ALL].n(name)}
        for name, interval in accuracies.items()
    ]


def totals(results: Results) -> Table:
    """The table `totals`: of our systems, the sum over categories and the mean over questions, beside random answers.

    The mean over questions counts every question the same, so large categories count more.
    """
    rows: list[Row] = []
    for place in (TOTAL, QUESTIONS):
        values = _random(results.questions, by_category=place == TOTAL)
        rows += [
            {"name": CHANCE, "over": place, "measure": name, "value": percent(value)} for name, value in values.items()
        ]
    for system, found in results.systems.items():
        of_system = results.place(system)
        if found.totals is not None:
            rows += [{**of_system, "over": TOTAL, **row} for row in _sums(found.totals.accuracies, found)]
        rows += [{**of_system, "over": QUESTIONS, **row} for row in _sums(found.scores[ALL].accuracies, found)]
        rows.append({**of_system, "measure": "unanswered", "value": found.scores[ALL].unanswered})
    most = 100 * len(results.questions.categories)
    unanswered = Column("Unanswered", "unanswered", write=count)
    views = (
        View(
            f"Sums of the percentages of {len(results.questions.categories)} categories, of at most {most:,}, with "
            f"{results.level} intervals by image.",
            BY_SYSTEM,
            tuple(Column(name, name, {"over": TOTAL}, interval=True) for name in ACCURACIES),
            f"Chance is the expected total of random answers. {results.about_totals}".strip(),
        ),
        View(
            f"Means over all questions in percent, with {results.level} intervals by image, and questions without an "
            "answer, which count as wrong.",
            BY_SYSTEM,
            (*(Column(name, name, {"over": QUESTIONS}, interval=True) for name in ACCURACIES), unanswered),
        ),
    )
    return Table("totals", "Totals and means", tidy(rows, (*_PLACE, "over", "measure"), _NUMBERS), views)


def _random(questions: Asked, *, by_category: bool) -> dict[str, float]:
    """The expected accuracies of random answers, in fractions: over all questions, or summed over the categories."""
    chance = 1 / questions.options
    places = range(len(questions.categories))
    parts = [questions.category == place for place in places] if by_category else [np.ones(len(chance), dtype=np.bool_)]
    found = dict.fromkeys(ACCURACIES, 0.0)
    for part in parts:
        basics, others = np.flatnonzero(part & questions.is_basic), np.flatnonzero(part & ~questions.is_basic)
        both = chance[others] * chance[questions.basic[others]]
        for name, values in zip(ACCURACIES, (chance[basics], chance[others], both), strict=True):
            found[name] += float(values.mean())
    return found
