"""The results of a benchmark, from which its declared tables and figures are made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, Self

from whatif.benchmarks.shared.dimensions import CHOOSER
from whatif.benchmarks.shared.human_attempts import attempts_in, people_stage
from whatif.benchmarks.shared.judged_rows import with_judged_rows
from whatif.benchmarks.shared.people_rows import with_people
from whatif.benchmarks.shared.pilots import Pilot, marked, pilots_of
from whatif.benchmarks.shared.reports import judged_of
from whatif.benchmarks.shared.tasks import evaluation_stage, limits_of, names_of, with_predictions
from whatif.engine import artifacts
from whatif.engine.artifacts.ahead import read_ahead
from whatif.engine.artifacts.schemas import PREDICTIONS, QUESTIONS
from whatif.engine.artifacts.stored_rows import StoredRows
from whatif.engine.graph.dimensions import Dimension
from whatif.engine.graph.task import Task
from whatif.engine.language.strategies import DIRECT
from whatif.engine.params.judge import JudgeSettings
from whatif.engine.params.model_entries import RankingRule
from whatif.engine.params.resolution import Resolution
from whatif.results.reporting.answers import Answers, System
from whatif.results.reporting.funnel import FunnelStage
from whatif.results.reporting.judged import Judged
from whatif.results.reporting.pair_measures import ALL, headline, parts_of
from whatif.results.reporting.precision import Precision, Resampling
from whatif.results.reporting.question_pairs import PREDICTION_COLUMNS, QUESTION_COLUMNS, VARIANTS, QuestionPairAnswers
from whatif.results.reporting.ranking_rules import marked as marked_by_rule
from whatif.results.reporting.table import OURS, Table
from whatif.scoring.ranking_rules import STORED

Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class Results:
    """What the tables of every benchmark with models need.

    task: the step that makes them. title: the name of the set. dimension: its models, and names: their display names.
    questions: all that were asked, and groups: their groups, in the order of tables. judged: what a judge found, None
    without one. human_attempts: people's answers. stages: the funnel.
    """

    task: Task[Any]
    title: str
    settings: Precision
    dimension: Dimension
    names: Mapping[str, str]
    questions: Sequence[dict[str, Any]]
    judged: Judged | None = None
    human_attempts: Sequence[Row] = ()
    stages: Sequence[FunnelStage] = ()
    groups: Sequence[str] = ()

    @property
    def first_variant(self) -> str:
        """The variant of the first question of a pair."""
        return VARIANTS[0]

    @property
    def clusters(self) -> dict[str, str]:
        """The images of each question by its id, as one name by which its answers are clustered."""
        return {str(row["question_id"]): "+".join(row["image_ids"]) or row["pair_id"] for row in self.questions}

    @property
    def cluster_unit(self) -> str:
        """What `clusters` are, in the captions of tables."""
        return "image"

    @property
    def level(self) -> str:
        """The level of intervals as text: `95%`."""
        return f"{100 * self.settings.confidence:g}%"

    @property
    def resolution(self) -> Resolution:
        """How people's judgements of an item are resolved, where there are some."""
        found: Resolution = self.task.settings.resolution
        return found


class Audited(Protocol):
    """The results of a step that reads `shortcuts`; `chance` is the accuracy of guessing in percent, if it is known."""

    @property
    def task(self) -> Task[Any]: ...
    @property
    def settings(self) -> Precision: ...
    @property
    def chance(self) -> float | None: ...


@dataclass(frozen=True, kw_only=True, eq=False)
class SystemResults(Results):
    """The results of a benchmark that asks each model with several prompting strategies.

    answers: of all systems; a system is a model with a strategy. rule: how the options of systems that ranked them are
    compared; by_mean: the systems that could not be ranked by it; the display names of their models say so, but not
    those in `plain_names`.
    """

    settings: Resampling
    answers: Answers[Any]
    plain_names: Mapping[str, str]
    rule: RankingRule = STORED
    by_mean: Sequence[System] = ()

    @classmethod
    def of(
        cls,
        task: Task[Any],
        title: str,
        questions: Sequence[dict[str, Any]],
        answers: Answers[Any],
        pilots: Mapping[str, Pilot],
        *,
        unit: str = "pair",
        **more: Any,
    ) -> Self:
        """The results of a step whose settings have `aggregate` and `judge`.

        pilots: the samples of models that were not asked all, counted in `unit`. more: further fields of a subclass.
        """
        settings = task.settings.aggregate
        by_mean = answers.rank_by(settings.rule)
        known = names_of(task, CHOOSER)
        names = marked({key: known[key] for key in dict.fromkeys(answers.models)}, pilots, unit)
        marked_names = marked_by_rule(names, [model for model, _ in by_mean])
        return cls(
            task=task,
            title=title,
            settings=settings,
            dimension=CHOOSER,
            names=marked_names,
            plain_names=names,
            questions=questions,
            judged=judged_of(task, task.settings.judge, questions, marked_names),
            human_attempts=attempts_in(task),
            answers=answers,
            rule=settings.rule,
            by_mean=by_mean,
            **more,
        )

    @property
    def ranked_by(self) -> str:
        """What a table says about a rule of ranking that is not the usual one."""
        return "" if self.rule == STORED else f"Ranked options are compared by {self.rule}."

    def place(self, system: System) -> dict[str, str]:
        """The identifying columns of a system."""
        model, strategy = system
        return {"model": model, "name": self.names[model], "source": OURS, "strategy": strategy}

    def plain_place(self, number: int) -> dict[str, str]:
        """The identifying columns of the system with this number, with the plain name of its model."""
        system = self.answers.systems[number]
        return {**self.place(system), "name": self.plain_names[system[0]]}

    def with_judge(self, table: Table, clusters: Mapping[str, str] | None = None) -> Table:
        """A table of accuracies with the rows and views of the judge; `clusters` are those of the questions by id."""
        places = {system: self.place(system) for system in self.answers.systems}
        confidence = self.settings.confidence
        return with_judged_rows(
            self.task, table, self.judged, self.questions, places, confidence=confidence, clusters=clusters
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class PairedResults(Results):
    """The results of a benchmark of original and counterfactual questions with options.

    rule: how the options of models that ranked them are compared; by_mean: the models that could not be ranked by it;
    their display names say so. images: the image of each pair by its id, where several pairs share one.
    """

    answers: QuestionPairAnswers
    rule: RankingRule = STORED
    by_mean: Sequence[str] = ()
    images: Mapping[str, str] | None = None

    @classmethod
    def of(
        cls,
        task: Task[Any],
        title: str,
        stages: Iterable[FunnelStage],
        *,
        rule: RankingRule = STORED,
        judge: JudgeSettings | None = None,
        by_image: bool = False,
        **more: Any,
    ) -> Self:
        """The results of a step that reads `questions`, `predictions` and, if there is a judge, `judged`.

        stages: those before models are asked. by_image: whether intervals and tests are by image, if pairs share some.
        more: further fields of a subclass. Millions of predictions are read in pieces.
        """
        questions = StoredRows(task.paths("questions"), QUESTIONS)
        keys = with_predictions(task, CHOOSER)
        pilots = pilots_of(limits_of(task, CHOOSER, keys), dict.fromkeys(keys, questions), task.seed, task.benchmark)
        names = names_of(task, CHOOSER)
        encoded = ["model", "response", "answer", "status"]
        predictions = artifacts.batches(task.paths("predictions"), PREDICTIONS, PREDICTION_COLUMNS, encoded=encoded)
        answers = QuestionPairAnswers(read_ahead(predictions), questions.tables(QUESTION_COLUMNS), keys)
        fields = answered_fields(answers, marked({key: names[key] for key in keys}, pilots), rule)
        return cls(
            **fields,
            task=task,
            title=title,
            settings=task.settings,
            dimension=CHOOSER,
            questions=questions,
            judged=judged_of(task, judge, questions, fields["names"]),
            human_attempts=attempts_in(task),
            stages=[*stages, *people_stage(task), *evaluation_stages(task, CHOOSER, pilots)],
            images=shared_images(questions) if by_image else None,
            **more,
        )

    @property
    def ranked_by(self) -> str:
        """What a table says about a rule of ranking that is not the usual one."""
        compared = f"Ranked options are compared by {self.rule}; see the table of ranking rules."
        return "" if self.rule == STORED else compared

    @cached_property
    def headline(self) -> dict[str, dict[str, float | int]]:
        """The headline numbers, by model."""
        parts = parts_of(self.answers, self.settings, self.images)
        return {model: headline(groups[ALL]) for model, groups in parts.items()}

    def with_judge_and_people(self, table: Table) -> Table:
        """A table of accuracies with the rows and views of people, and of the judge."""
        places = {(key, DIRECT): {"model": key, "name": name, "source": OURS} for key, name in self.names.items()}
        confidence = self.settings.confidence
        judged = with_judged_rows(self.task, table, self.judged, self.questions, places, confidence=confidence)
        return with_people(self, judged, places, {"variant": "Variant"}, lambda row: [{"variant": row["variant"]}])


def answered_fields(answers: QuestionPairAnswers, names: Mapping[str, str], rule: RankingRule) -> dict[str, Any]:
    """The fields of `PairedResults` that follow from the answers, decided by `rule` where options were ranked."""
    by_mean = [model for model, _ in answers.rank_by(rule)]
    return {"answers": answers, "names": marked_by_rule(names, by_mean), "rule": rule, "by_mean": by_mean}


def shared_images(questions: Iterable[Row]) -> dict[str, str] | None:
    """The pictures of each pair as one name, if several pairs share some; otherwise None."""
    found = {str(row["pair_id"]): " ".join(row["image_ids"]) for row in questions}
    return found if len(set(found.values())) < len(found) else None


def evaluation_stages(
    task: Task[Any], dimension: Dimension, pilots: Mapping[str, Pilot], per_pair: int = 2
) -> Iterator[FunnelStage]:
    """The stages in which models were asked, with the questions answered and not answered; a pair has `per_pair`."""
    for model, paths in task.paths_by(dimension, "predictions").items():
        left_out = per_pair * (pilots[model].total - len(pilots[model].pairs)) if model in pilots else 0
        yield evaluation_stage(paths, model, task.count("questions"), not_in_sample=left_out)
