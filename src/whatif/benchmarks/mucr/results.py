"""The results of MuCR that its tables and figures read: the answers of systems, of tuned models and of people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from whatif.benchmarks.mucr.asked_items import IN_IMAGES, IN_TEXT, AskedItems, Way
from whatif.benchmarks.mucr.outcomes import Outcomes, change, together
from whatif.benchmarks.mucr.schemas import METRICS, SCORES
from whatif.benchmarks.shared.results import SystemResults
from whatif.engine.errors import WhatifError
from whatif.engine.params.model_entries import RankingRule
from whatif.engine.params.resolution import Resolution
from whatif.people.resolution import MAJORITY
from whatif.results.reporting.answers import Answers, System
from whatif.results.reporting.precision import in_percent, p_number, percent
from whatif.results.reporting.table import OURS
from whatif.scoring.statistics import holm

_NEEDS_IMAGES: RankingRule = "minus-without-image"
CHANCE = 25.0  # percent, of four options
PEOPLE = "Human"  # as the paper names them
ALL = "all"  # the three metrics together
MEAN = "mean"  # over the seeds of a fine-tuned model
SCORE, CHANGE, DROP = "score", "change", "drop"  # measures; a gain is a positive change, a loss a positive drop
Row = dict[str, Any]
WAYS: tuple[Way, ...] = (IN_TEXT, IN_IMAGES)
BY_PEOPLE: Row = {"name": PEOPLE, "source": OURS}
ByMetric = Mapping[str, Outcomes]


@dataclass(frozen=True, eq=False)
class Attempts:
    """People's answers, one entry for each: the index of the question, of the attempt, and whether it is right."""

    question: np.ndarray[Any, np.dtype[np.int64]]
    attempt: np.ndarray[Any, np.dtype[np.int64]]
    right: np.ndarray[Any, np.dtype[np.bool_]]
    names: Sequence[str]

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, Any]], questions: AskedItems) -> Attempts:
        """The rows of `human-attempts`. Raises WhatifError for a question that is not asked."""
        given = list(rows)
        places = {name: place for place, name in enumerate(questions.ids.to_pylist())}
        for row in given:
            if row["question_id"] not in places:
                raise WhatifError(f"attempt {row['attempt']}: question {row['question_id']!r} is not in the questions")
        names = sorted({row["attempt"] for row in given})
        return cls(
            np.array([places[row["question_id"]] for row in given], dtype=np.int64),
            np.array([names.index(row["attempt"]) for row in given], dtype=np.int64),
            np.array([bool(row["correct"]) for row in given], dtype=np.bool_),
            names,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Results(SystemResults):
    """What the tables are made of.

    strategies: in the order of the settings; items: what each question asks for, also those that nobody is asked;
    tuned: the answers of fine-tuned models, by key of the model and seed; people: their attempts; baselines: the keys
    of models that read nothing; resolution: how the judgements of several people become one.
    """

    answers: Answers[AskedItems]
    strategies: Sequence[str]
    resolution: Resolution = MAJORITY
    items: Sequence[Row] = ()
    tuned: Mapping[tuple[str, str], Answers[AskedItems]] = field(default_factory=dict)
    people: Attempts | None = None
    baselines: frozenset[str] = frozenset()

    @property
    def ranked_by(self) -> str:
        """What a table says about a rule of ranking that is not the usual one."""
        unasked = " Questions in text have no image, so they count as unanswered."
        return super().ranked_by + (unasked if self.rule == _NEEDS_IMAGES else "")

    @property
    def asked(self) -> AskedItems:
        """The questions in arrays."""
        return self.answers.questions

    @property
    def chance(self) -> float:
        """The accuracy of random answers in percent: one of four options is right."""
        return CHANCE

    @property
    def main(self) -> list[System]:
        """The system of each model in the main tables: with the first of the strategies that it was asked with."""
        found: dict[str, System] = {}
        for one in sorted(self.answers.systems, key=lambda one: self.strategies.index(one[1])):
            found.setdefault(one[0], one)
        return [one for one in self.answers.systems if found[one[0]] == one]

    def name(self, system: System) -> str:
        """The display name of a system's model."""
        return self.names[system[0]]

    def outcomes(self, system: System, metric: str, way: Way) -> Outcomes | None:
        """A system's answers to the questions of a metric shown in a way; None if it was asked none of them."""
        return _outcomes(self.answers, self.answers.systems.index(system), metric, way)

    def metrics(self, system: System, way: Way, metrics: Sequence[str] = SCORES) -> dict[str, Outcomes]:
        """A system's answers by metric, of those metrics that it was asked."""
        found = {metric: self.outcomes(system, metric, way) for metric in metrics}
        return {metric: one for metric, one in found.items() if one is not None}

    def after_tuning(self, model: str, seed: str) -> dict[str, Outcomes]:
        """A tuned model's answers by metric, in the main visual form."""
        found = {metric: _outcomes(self.tuned[model, seed], 0, metric, IN_IMAGES) for metric in SCORES}
        return {metric: one for metric, one in found.items() if one is not None}

    def mean_over_seeds(self, model: str) -> dict[str, Outcomes]:
        """The answers of a tuned model by metric, of all seeds together."""
        by_seed = [self.after_tuning(key, seed) for key, seed in self.tuned if key == model]
        every = {metric: [one[metric] for one in by_seed if metric in one] for metric in SCORES}
        return {metric: together(some) for metric, some in every.items() if len(some) == len(by_seed)}

    def by_people(self, way: Way, metrics: Sequence[str] = METRICS) -> dict[str, Outcomes]:
        """People's answers by metric; a key is a pair in an attempt."""
        return dict(self._of_people(way, metrics))

    def of_attempts(self, way: Way, metric: str) -> list[Outcomes]:
        """People's answers to the questions of a metric, attempt by attempt."""
        found = self.by_people(way, (metric,)).get(metric)
        if found is None or self.people is None:
            return []
        attempt = found.keys % len(self.people.names)
        return [found.only(found.keys[attempt == place]) for place in np.unique(attempt)]

    def _of_people(self, way: Way, metrics: Sequence[str]) -> Iterator[tuple[str, Outcomes]]:
        if self.people is None:
            return
        asked = self.asked
        for metric in metrics:
            chosen = np.isin(self.people.question, asked.places(metric, way))
            if chosen.any():
                question = self.people.question[chosen]
                keys = asked.pair[question] * len(self.people.names) + self.people.attempt[chosen]
                order = np.argsort(keys)
                yield metric, Outcomes(keys[order], self.people.right[chosen][order], asked.group[question][order])

    def answerers(self) -> Iterator[tuple[Row, Callable[[Way, Sequence[str]], ByMetric]]]:
        """Each system of the main tables, and people if there are some, with their answers to some metrics in a way."""
        for system in self.main:
            yield self.place(system), partial(self.metrics, system)
        if self.people is not None:
            yield BY_PEOPLE, self.by_people

    def scores(self, found: ByMetric, place: Row) -> list[Row]:
        """Rows of the measure `score` in percent, by metric."""
        confidence = self.settings.confidence
        return [
            {
                **place,
                "metric": metric,
                "measure": SCORE,
                **in_percent("value", one.share(confidence)),
                "n": one.n,
            }
            for metric, one in found.items()
        ]

    def drops(self, before: ByMetric, after: ByMetric, place: Row) -> list[Row]:
        """Rows of the measure `drop` in points, by metric: before minus after, over the pairs of both."""
        return [{**row, "measure": DROP} for row in self.changes(after, before, place)]

    def changes(self, before: ByMetric, after: ByMetric, place: Row) -> list[Row]:
        """Rows of the measure `change` in points, by metric: after minus before, over the pairs of both."""
        rows = []
        for metric in (*METRICS, ALL):
            if metric in before and metric in after:
                found = change(before[metric], after[metric], self.settings.confidence)
                if found is not None:
                    difference, number = found
                    numbers = {**in_percent("value", difference.interval), "n": number, "p": p_number(difference.p)}
                    rows.append({**place, "metric": metric, "measure": CHANGE, **numbers})
        return rows

    def corrected(self, rows: Iterable[Row]) -> list[Row]:
        """Rows with Holm's p-values over all p-values of real models; baselines and people do not count."""
        found = list(rows)
        tested = [row for row in found if "p" in row and row.get("model") and row["model"] not in self.baselines]
        for row, p in zip(tested, holm([row["p"] for row in tested]).p_values, strict=True):
            if p is not None:
                row["p_holm"] = p_number(p)
        return found


def with_all(found: Mapping[str, Outcomes]) -> dict[str, Outcomes]:
    """The answers by metric with those of the three metrics together, if there are some of each."""
    complete = all(metric in found for metric in SCORES)
    return {**found, **({ALL: together([found[metric] for metric in SCORES])} if complete else {})}


def value_of(outcomes: Outcomes | None) -> float | None:
    """The share of right answers in percent."""
    return None if outcomes is None else percent(float(outcomes.right.mean()))


def _outcomes(answers: Answers[AskedItems], place: int, metric: str, way: Way) -> Outcomes | None:
    questions = answers.questions
    chosen = questions.places(metric, way)
    chosen = chosen[answers.asked[place][chosen]]
    if not chosen.size:
        return None
    return Outcomes(questions.pair[chosen], answers.right[place][chosen], questions.group[chosen])
