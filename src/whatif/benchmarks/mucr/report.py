"""The results of MuCR, from which its tables and figures are made, and their publication with the items of the site."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from whatif.benchmarks.mucr.asked_items import IN_IMAGES, IN_TEXT, AskedItems, Way
from whatif.benchmarks.mucr.dimensions import TUNED
from whatif.benchmarks.mucr.funnel_stages import stages_of
from whatif.benchmarks.mucr.outcomes import (
    ALL,
    CHANGE,
    DROP,
    PEOPLE,
    SCORE,
    Answerer,
    ByMetric,
    Row,
    with_all,
)
from whatif.benchmarks.mucr.schemas import METRICS, SCORES
from whatif.benchmarks.mucr.settings import ReportSettings
from whatif.benchmarks.mucr.site_items import site_items
from whatif.benchmarks.shared.dimensions import CHOOSER
from whatif.benchmarks.shared.pilots import Pilot
from whatif.benchmarks.shared.reports import publish, systems_of
from whatif.benchmarks.shared.results import SystemResults
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.graph.task import Task
from whatif.engine.language.options import LETTERS
from whatif.results.reporting.answers import COLUMNS, Answers, Flags, System
from whatif.results.reporting.beside import rows_beside
from whatif.results.reporting.declared import report_of
from whatif.results.reporting.precision import in_percent, p_number
from whatif.results.reporting.table import OURS
from whatif.results.reporting.table_modules import TableModules
from whatif.scoring.statistics import clustered_share, paired_difference

CHANCE = 25.0  # percent, of four options
MEAN = "mean"  # over seeds or attempts
WAYS: tuple[Way, ...] = (IN_TEXT, IN_IMAGES)
_BASELINES = ("random", "first-option", "majority")  # adapters that read neither image nor question


@dataclass(frozen=True, kw_only=True, eq=False)
class Mucr(SystemResults):
    """The results of MuCR.

    The four pairs of a group share their causality and, in C2E and EXP, their options. They are not independent, so
    every interval and test is by group.

    tuned: the answers of fine-tuned models, by key of the model and seed. attempts: those of people, by attempt.
    """

    answers: Answers[AskedItems]
    tuned: Mapping[str, Mapping[str, Answers[AskedItems]]] = field(default_factory=dict)
    attempts: Answers[AskedItems] | None = None

    @property
    def chance(self) -> float:
        """The accuracy of guessing in percent."""
        return CHANCE

    @property
    def asked(self) -> AskedItems:
        """The questions in arrays."""
        return self.answers.questions

    @property
    def ranked_by(self) -> str:
        """What readers have to know about a rule of ranking other than the usual one."""
        without = " Questions in text have no image, so they count as unanswered."
        return super().ranked_by + (without if self.rule == "minus-without-image" else "")

    @property
    def clusters(self) -> dict[str, str]:
        """The group of each question by its id."""
        return dict(zip(self.asked.ids.to_pylist(), map(str, self.asked.group.tolist()), strict=True))

    @property
    def cluster_unit(self) -> str:
        """What `clusters` are, in the captions of tables."""
        return "group"

    @cached_property
    def systems(self) -> dict[System, Answerer]:
        """All systems."""
        return {
            system: Answerer(self.place(system), [(self.answers, number)])
            for number, system in enumerate(self.answers.systems)
        }

    @property
    def main(self) -> list[Answerer]:
        """The system of each model in the main tables: with the first of the strategies that it was asked with."""
        found: dict[str, System] = {}
        for one in sorted(self.systems, key=lambda one: self.task.settings.strategies.index(one[1])):
            found.setdefault(one[0], one)
        return [who for system, who in self.systems.items() if found[system[0]] == system]

    @property
    def everyone(self) -> list[Answerer]:
        """The systems of the main tables, and people."""
        return [*self.main, *self.people]

    @property
    def people(self) -> list[Answerer]:
        """People, if some answered."""
        attempts = self.attempts
        if attempts is None:
            return []
        return [Answerer({"name": PEOPLE, "source": OURS}, [(attempts, one) for one in range(len(attempts.systems))])]

    def beside(
        self, reported: Sequence[Row], ours: Callable[[Answerer], Iterable[Row]], who: Iterable[Answerer]
    ) -> Iterator[Mapping[str, Any]]:
        """The rows of each reported system, then ours of models of its name; at the end our other models and people."""
        rows = [(one.is_model, row) for one in who for row in ours(one)]
        yield from rows_beside(reported, [row for is_model, row in rows if is_model])
        yield from (row for is_model, row in rows if not is_model)

    def scores(self, found: ByMetric, place: Row) -> list[Row]:
        """Rows of the measure `score` in percent, by metric."""
        rows = []
        for metric, one in found.items():
            share = clustered_share(one.right, one.groups, confidence=self.settings.confidence)
            rows.append({**place, "metric": metric, "measure": SCORE, **in_percent("value", share), "n": one.n})
        return rows

    def changes(self, before: ByMetric, after: ByMetric, place: Row, measure: str = CHANGE) -> list[Row]:
        """Rows of the measure `change` in points, by metric: after minus before, over the keys of both."""
        rows, confidence = [], self.settings.confidence
        for metric in (*METRICS, ALL):
            if metric in before and metric in after:
                keys = np.intersect1d(before[metric].keys, after[metric].keys)
                if keys.size:
                    first, second = before[metric].only(keys), after[metric].only(keys)
                    found = paired_difference(first.right, second.right, first.groups, confidence=confidence)
                    numbers = {**in_percent("value", found.interval), "n": len(keys), "p": p_number(found.p)}
                    rows.append({**place, "metric": metric, "measure": measure, **numbers})
        return rows

    def drops(self, text: ByMetric, images: ByMetric, place: Row) -> list[Row]:
        """Rows of the measure `drop` in points: text minus images, also over the three metrics together."""
        return self.changes(with_all(images), with_all(text), place, DROP)

    def by_way(
        self, who: Answerer, column: str, ways: Mapping[str, Way], metrics: Sequence[str] = SCORES, **labels: str
    ) -> Iterator[Row]:
        """The scores in several ways, whose names are in a column, and the changes from the first of them."""
        first: ByMetric | None = None
        for name, way in ways.items():
            place, found = {**who.place, column: name, **labels}, who.by_metric(way, metrics)
            yield from self.scores(found, place)
            if first is None:
                first = found
            else:
                yield from self.changes(first, found, place)

    def is_real_model(self, row: Mapping[str, Any]) -> bool:
        """Whether a row is of one of our models that read the question, or an image."""
        shown = self.task.shown_models(CHOOSER)
        return bool(row.get("model")) and shown[row["model"]].get("adapter") not in _BASELINES

    @property
    def headline(self) -> dict[str, Any]:
        """The headline numbers: model -> strategy -> numbers.

        `text` and `multimodal` are in percent, `gap` is the drop from text to images in points, positive where a model
        loses with images, and `n` the number of pairs. They are over the three metrics together; with a metric at the
        end (`text_c2e`) they are of this metric. People are `Human`, and the mean over the seeds of a fine-tuned model
        is `<model>-tuned`.
        """
        found: dict[str, Any] = {}
        for (model, strategy), who in self.systems.items():
            found.setdefault(model, {})[strategy] = self._numbers(*(who.by_metric(way) for way in WAYS))
        for who in self.people:
            found[PEOPLE] = {MEAN: self._numbers(*(who.by_metric(way) for way in WAYS))}
        for model, by_seed in self.tuned.items():
            who = Answerer({}, [(answers, 0) for answers in by_seed.values()])
            found[f"{model}-tuned"] = {MEAN: self._numbers({}, who.by_metric(IN_IMAGES))}
        return found

    def _numbers(self, text: ByMetric, images: ByMetric) -> dict[str, float | int]:
        rows = {
            "text": self.scores(with_all(text), {}),
            "multimodal": self.scores(with_all(images), {}),
            "gap": self.drops(text, images, {}),
        }
        numbers = {
            what if row["metric"] == ALL else f"{what}_{row['metric'].lower()}": row["value"]
            for what, some in rows.items()
            for row in some
        }
        return {**numbers, "n": max((one.n for one in (*text.values(), *images.values())), default=0)}


def publish_report(task: Task[ReportSettings], title: str, modules: TableModules) -> None:
    """Publishes every text file of this benchmark's aggregation, and its items for the site.

    Raises WhatifError when predictions are not those of the questions, as `Answers` and `AskedItems` say.
    """
    items = task.read("items").to_pylist()
    questions = task.read("questions").to_pylist()
    asked = AskedItems.of(questions, items)
    systems = systems_of(task, CHOOSER, task.settings.strategies)
    answers = Answers(artifacts.batches(task.paths("predictions"), PREDICTIONS, COLUMNS), asked, systems)
    pilots = checked(answers)
    attempts = attempts_of(task.rows("attempts"), asked)
    stages = stages_of(task, answers)
    found = Mucr.of(
        task, title, questions, answers, pilots, tuned=_tuned(task, asked), attempts=attempts, stages=stages
    )
    shown = {(model, strategy): f"{found.names[model]}, {strategy}" for model, strategy in systems}
    shown_items, views = site_items(task, questions, items, shown, found.by_mean, judged=found.judged)
    publish(task, report_of(modules, title, found, found.headline), shown_items, views)


def attempts_of(rows: Iterable[Mapping[str, Any]], questions: AskedItems) -> Answers[AskedItems] | None:
    """The rows of `human-attempts`, each attempt as a system; None without any. Raises WhatifError as `Answers`."""
    given = [{**row, "model": row["attempt"], "strategy": PEOPLE, "status": _status(row["answer"])} for row in rows]
    names = sorted({row["attempt"] for row in given})
    return Answers(given, questions, [(name, PEOPLE) for name in names]) if given else None


def _status(answer: str) -> str:
    return "ok" if answer in LETTERS else "none"  # in words that name no option


def checked(answers: Answers[AskedItems]) -> dict[str, Pilot]:
    """The pairs that models were asked which were not asked all, by key of the model.

    Raises WhatifError when a model was asked a kind of question (metric, form, style, hints, language) about some of
    its pairs, and not about the others.
    """
    questions = answers.questions
    cells, total = questions.cells(), len(questions.pairs)
    pairs: dict[str, set[int]] = {}
    for place, (model, _) in enumerate(answers.systems):
        pairs.setdefault(model, set()).update(questions.pair[answers.asked[place]].tolist())

    def wanted(place: int) -> Flags:
        asked = answers.asked[place]
        whose = np.isin(questions.pair, sorted(pairs[answers.systems[place][0]]))
        return np.asarray(whose & np.isin(cells, np.unique(cells[asked])))

    answers.check_asked(wanted)
    every = {
        place: set(questions.pair[np.isin(cells, np.unique(cells[answers.asked[place]]))].tolist())
        for place in range(len(answers.systems))
    }
    found = {}
    for place, (model, _) in enumerate(answers.systems):
        if pairs[model] < every[place]:
            found[model] = Pilot({questions.pairs[one] for one in pairs[model]}, total)
    return found


def _tuned(task: Task[ReportSettings], questions: AskedItems) -> dict[str, dict[str, Answers[AskedItems]]]:
    """The answers of fine-tuned models by key of the model and seed."""
    found: dict[str, dict[str, Answers[AskedItems]]] = {}
    given = task.inputs["tuned"]
    for path, wildcards in zip(given.paths, given.wildcards, strict=True):
        rows = artifacts.read(path, PREDICTIONS, COLUMNS)
        if rows.num_rows:
            answers = Answers([rows], questions, [(rows["model"][0].as_py(), rows["strategy"][0].as_py())])
            checked(answers)
            answers.rank_by(task.settings.aggregate.rule)
            found.setdefault(wildcards[TUNED.name], {})[wildcards["seed"]] = answers
    return found
