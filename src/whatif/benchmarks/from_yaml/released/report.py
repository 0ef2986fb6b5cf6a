"""The results of a benchmark over released files, its measures, and their publication with the items of the site.

Measures of the questions that a model was asked: `accuracy` in percent, with its interval by set of questions;
`unanswered`: how many have no answer, which counts as wrong; `vqa`: the accuracy of VQA in percent, where several
people have answered; `prior`: the share of answers in percent that are what prior knowledge suggests, of the questions
that name it. Of units: `all right`, the share of those whose questions are all answered correctly.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from whatif.benchmarks.from_yaml.released.settings import ReportSettings
from whatif.benchmarks.shared.dimensions import ANSWERER
from whatif.benchmarks.shared.human_attempts import attempts_in, people_stage
from whatif.benchmarks.shared.judged_rows import with_judged_rows
from whatif.benchmarks.shared.people_rows import with_people
from whatif.benchmarks.shared.pilots import marked, pilots_of
from whatif.benchmarks.shared.question_items import About, paths_by_system, question_items, shown_systems, title_of
from whatif.benchmarks.shared.reports import judged_of, publish
from whatif.benchmarks.shared.results import Results
from whatif.benchmarks.shared.tasks import evaluation_stage, limits_of, names_of, with_predictions
from whatif.engine.artifacts.variants import variant_order
from whatif.engine.graph.task import Task
from whatif.results.reporting.declared import report_of
from whatif.results.reporting.funnel import FunnelStage, reasons
from whatif.results.reporting.items import Item
from whatif.results.reporting.numerals import count
from whatif.results.reporting.precision import in_percent, percent
from whatif.results.reporting.question_pairs import VARIANTS
from whatif.results.reporting.table import OURS, Column, Table
from whatif.results.reporting.table_modules import TableModules
from whatif.scoring.extraction.answer import Extracted, is_correct
from whatif.scoring.statistics import clustered_share
from whatif.scoring.vqa_accuracy import vqa_accuracy

ALL = "all"
_COLUMNS = ["question_id", "model", "answer", "status", "correct"]
Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleasedResults(Results):
    """The answers to released questions. `prior` and `answers` say which questions have what these measures need."""

    @cached_property
    def answers(self) -> dict[str, dict[str, Row]]:
        """Model -> question -> its prediction."""
        given: dict[str, dict[str, Row]] = {key: {} for key in self.names}
        for row in self.task.rows("predictions", _COLUMNS):
            given[row["model"]][row["question_id"]] = row
        return given

    @cached_property
    def told(self) -> dict[str, dict[str, Any]]:
        """What the files say of each question beside its text: `units`, `answers` and `prior`."""
        return {row["question_id"]: json.loads(row["provenance"]) for row in self.questions}

    @cached_property
    def by_id(self) -> dict[str, Row]:
        """The questions by id."""
        return {row["question_id"]: row for row in self.questions}

    @property
    def first_variant(self) -> str:
        """The variant of the first question of a pair; none where a set has several questions of a variant."""
        repeated = len({(row["pair_id"], row["variant"]) for row in self.questions}) < len(self.questions)
        return "" if repeated else VARIANTS[0]

    @property
    def clusters(self) -> dict[str, str]:
        return {row["question_id"]: row["pair_id"] for row in self.questions}

    @property
    def cluster_unit(self) -> str:
        return "set of questions"

    @cached_property
    def variants(self) -> list[str]:
        """The variants, the factual ones first."""
        return sorted({row["variant"] for row in self.questions}, key=variant_order)

    @cached_property
    def units(self) -> dict[str, dict[str, list[str]]]:
        """Kind of unit -> unit -> the ids of its questions."""
        found: dict[str, dict[str, list[str]]] = {}
        for row in self.questions:
            for kind, unit in self.told[row["question_id"]]["units"].items():
                found.setdefault(kind, {}).setdefault(unit, []).append(row["question_id"])
        return found

    def with_judge_and_people(self, table: Table) -> Table:
        """A table of accuracies with the rows and views of the judge, over all variants, and of people."""
        systems = [one for one in paths_by_system(self.task, "predictions") if one[0] in self.names]
        places = {system: self.place(system[0]) for system in systems}
        every = [{**row, "variant": ALL} for row in self.questions]
        judged = with_judged_rows(
            self.task,
            table,
            self.judged,
            every,
            places,
            confidence=self.settings.confidence,
            clusters=self.clusters,
        )
        return with_people(self, judged, places, {"variant": "Variant"}, self._parts)

    def _parts(self, question: Row) -> Iterator[dict[str, str]]:
        """The parts of the questions in which a question counts: its variant, if there are several, and all."""
        variants = [question["variant"], ALL] if len(self.variants) > 1 else [ALL]
        return ({"variant": variant} for variant in variants)

    def place(self, model: str) -> dict[str, str]:
        """The identifying columns of a model."""
        return {"model": model, "name": self.names[model], "source": OURS}

    def has(self, key: str) -> bool:
        """Whether any question has human answers, or an answer that prior knowledge suggests."""
        return any(told[key] for told in self.told.values())

    def rows_by(self, column: str) -> Iterator[dict[str, Any]]:
        """The measures of each model over all questions, and by the values of a column if it has several."""
        values = self.variants if column == "variant" else sorted({row[column] for row in self.questions})
        for value in (*(values if len(values) > 1 else ()), ALL):
            of_value = [row["question_id"] for row in self.questions if value in (row[column], ALL)]
            for model, answers in self.answers.items():
                if ids := [one for one in of_value if one in answers]:
                    yield from ({**self.place(model), column: value, **row} for row in self._measures(answers, ids))

    def of_units(self) -> Iterator[dict[str, Any]]:
        """The share of each kind of unit that a model answers correctly; those not asked whole are left out."""
        for kind, units in self.units.items():
            for model, answers in self.answers.items():
                whole = [ids for ids in units.values() if all(one in answers for one in ids)]
                if whole:
                    right = [all(answers[one]["correct"] for one in ids) for ids in whole]
                    share = self._share(right, [ids[0] for ids in whole])
                    yield {**self.place(model), "unit": kind, "measure": "all right", **share}

    def _measures(self, answers: Mapping[str, Row], ids: Sequence[str]) -> Iterator[dict[str, Any]]:
        yield {"measure": "accuracy", **self._share([answers[one]["correct"] for one in ids], ids)}
        yield {"measure": "unanswered", "value": sum(answers[one]["status"] != "ok" for one in ids), "n": len(ids)}
        if people := [one for one in ids if self.told[one]["answers"]]:
            scores = [vqa_accuracy(self._text(answers[one]), self.told[one]["answers"], "published") for one in people]
            yield {"measure": "vqa", "value": percent(sum(scores) / len(scores)), "n": len(people)}
        if known := [one for one in ids if self.told[one]["prior"]]:
            yield {"measure": "prior", **self._share([self._is_prior(answers[one]) for one in known], known)}

    def _share(self, right: Sequence[bool], ids: Sequence[str]) -> dict[str, Any]:
        sets = [self.by_id[one]["pair_id"] for one in ids]
        return {
            **in_percent("value", clustered_share(right, sets, confidence=self.settings.confidence)),
            "n": len(ids),
        }

    def _text(self, answer: Row) -> str:
        return answer["answer"] or "" if answer["status"] == "ok" else ""

    def _is_prior(self, answer: Row) -> bool:
        name = answer["question_id"]
        given = Extracted(self._text(answer) or None, answer["status"], None)
        return is_correct(given, self.told[name]["prior"], self.by_id[name]["answer_kind"])


def columns_of(found: ReleasedResults) -> tuple[Column, ...]:
    """The printed columns of the measures that these questions have."""
    return (
        Column("Accuracy", "accuracy", interval=True),
        *((Column("VQA accuracy", "vqa"),) if found.has("answers") else ()),
        *((Column("Prior", "prior", interval=True),) if found.has("prior") else ()),
        Column("Not answered", "unanswered", write=count),
        Column("Questions", "accuracy", number="n"),
    )


def publish_report(task: Task[ReportSettings], title: str, modules: TableModules) -> None:
    """Publishes every text file of the aggregation, and what the site shows."""
    questions = task.read("questions").to_pylist()
    keys = with_predictions(task, ANSWERER)
    pilots = pilots_of(limits_of(task, ANSWERER, keys), dict.fromkeys(keys, questions), task.seed, task.benchmark)
    every = names_of(task, ANSWERER)
    names = marked({key: every[key] for key in keys}, pilots, unit="set")
    unread, read = reasons(task.rows("unread")), len(questions)
    stages = [FunnelStage("extract", "questions", read + sum(unread.values()), read, unread), *people_stage(task)]
    for model, paths in task.paths_by(ANSWERER, "predictions").items():
        left_out = read - len(pilots[model].rows(questions)) if model in pilots else 0
        stages.append(evaluation_stage(paths, model, read, not_in_sample=left_out))
    found = ReleasedResults(
        task=task,
        title=title,
        settings=task.settings,
        dimension=ANSWERER,
        names=names,
        questions=questions,
        judged=judged_of(task, task.settings.judge, questions, names),
        human_attempts=attempts_in(task),
        stages=stages,
    )
    publish(task, report_of(modules, title, found, headline(found)), _items(task, found))


def headline(found: ReleasedResults) -> dict[str, dict[str, float | int]]:
    """The headline numbers, by model: the accuracy, and the share of each kind of unit, in percent."""
    numbers: dict[str, dict[str, float | int]] = {}
    for row in found.rows_by("variant"):
        if row["measure"] == "accuracy" and row["variant"] == ALL:
            numbers[row["model"]] = {"accuracy": row["value"], "questions": row["n"]}
    for row in found.of_units():
        numbers[row["model"]][row["unit"]] = row["value"]
    return numbers


def _items(task: Task[ReportSettings], found: ReleasedResults) -> Iterator[Item]:
    """An item for each set of questions."""
    asked = [system for system in paths_by_system(task, "predictions") if system[0] in found.names]
    systems = shown_systems(task, ANSWERER, {system: found.names[system[0]] for system in asked})
    labels = {variant: "" if len(found.variants) == 1 else variant for variant in found.variants}

    def about(item_id: str, rows: Sequence[Row]) -> About:
        return About(title_of(rows), (f"Set: {item_id}",))

    return question_items(task, found.questions, systems, about, variants=labels, judged=found.judged)
