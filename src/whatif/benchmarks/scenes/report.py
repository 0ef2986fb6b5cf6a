"""The results of the scenes, and their publication with the items of the site."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any

import pandas as pd

from whatif.benchmarks.scenes.settings import AggregateScenes, ReportSettings
from whatif.benchmarks.scenes.site_items import VIEWS, known_of_pairs, scene_items
from whatif.benchmarks.shared.caption_items import pair_items
from whatif.benchmarks.shared.dimensions import ANSWERER, MATCHER
from whatif.benchmarks.shared.human_attempts import people_stage
from whatif.benchmarks.shared.matching_funnel import matching_stage
from whatif.benchmarks.shared.pair_choices import CHOICES
from whatif.benchmarks.shared.pilots import Pilot, asked, marked, pilots_of
from whatif.benchmarks.shared.reports import judged_of, publish
from whatif.benchmarks.shared.results import Results, evaluation_stages
from whatif.benchmarks.shared.tasks import limits_of, names_of, with_predictions
from whatif.engine.errors import WhatifError
from whatif.engine.graph.task import Task
from whatif.results.reporting.declared import report_of
from whatif.results.reporting.funnel import FunnelStage, reasons
from whatif.results.reporting.question_pairs import VARIANTS
from whatif.results.reporting.rendering import WIDTH
from whatif.results.reporting.report import Headline
from whatif.results.reporting.table_modules import TableModules

ALL = "all"
# The chosen item of the two in a pair and the variant that it belongs to, by the names of the choices.
CHOSEN: Mapping[str, tuple[str, str]] = dict(
    zip(CHOICES, [*((item, of) for item in ("image", "caption") for of in VARIANTS), ("all four", "")], strict=True)
)
_MEANING = (
    "The models that ship with this package are tiny and know nothing but its drawings. Their numbers show that the "
    "pipeline works from end to end. They say nothing about larger models, and a tiny model may get a question wrong "
    "only because it has never seen one of its words."
)
Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class SceneResults(Results):
    """The answers to open questions, and the scores of pairs of captions and images.

    sampled: the question ids of each model that was asked only some. matchers: their display names.
    """

    settings: AggregateScenes
    predictions: Sequence[Row] = ()
    sampled: Mapping[str, Collection[str]] = field(default_factory=dict)
    matches: Sequence[Row] = ()
    matchers: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def answers(self) -> dict[str, dict[str, Row]]:
        """Model -> question -> its prediction. Raises WhatifError when a model lacks one."""
        given = self._by_model(self.predictions)
        every = {row["question_id"] for row in self.questions}
        for key, answers in given.items():
            wanted = set(self.sampled.get(key, every))
            if set(answers) != wanted:
                raise WhatifError(
                    f"model {key}: has {len(answers):,} predictions for {len(wanted):,} questions; ask it again"
                )
        return given

    @cached_property
    def judged_answers(self) -> dict[str, dict[str, Row]]:
        """The same with the judge's answers where it found one."""
        every = chain.from_iterable(answers.values() for answers in self.answers.values())
        return self._by_model(self.judged.applied_to(every) if self.judged else every)

    @cached_property
    def images(self) -> dict[str, str]:
        """The images of each question as one name, by which its answers are clustered."""
        return {row["question_id"]: "+".join(row["image_ids"]) for row in self.questions}

    def _by_model(self, predictions: Iterable[Row]) -> dict[str, dict[str, Row]]:
        given: dict[str, dict[str, Row]] = {key: {} for key in self.names}
        for row in predictions:
            given[row["model"]][row["question_id"]] = row
        return given


def publish_report(task: Task[ReportSettings], title: str, modules: TableModules) -> None:
    """Publishes every text file of this benchmark's aggregation, and its items for the site."""
    questions, pairs = (task.read(role).to_pylist() for role in ("questions", "pairs"))
    keys = with_predictions(task, ANSWERER)
    pilots = pilots_of(limits_of(task, ANSWERER, keys), dict.fromkeys(keys, questions), task.seed, task.benchmark)
    every = names_of(task, ANSWERER)
    names = marked({key: every[key] for key in keys}, pilots, unit="question")  # these questions are not in pairs
    found = SceneResults(
        task=task,
        title=title,
        settings=task.settings.aggregate,
        dimension=ANSWERER,
        names=names,
        questions=questions,
        judged=judged_of(task, task.settings.judge, questions, names),
        stages=_funnel(task, pilots),
        human_attempts=list(task.rows("attempts")),
        predictions=list(task.rows("predictions")),
        sampled=asked(questions, pilots, keys),
        matches=list(task.rows("matches")),
        matchers=names_of(task, MATCHER),
    )
    report = report_of(modules, title, found, {})
    frames = {table.name: table.frame for table in report.tables}
    items = chain(
        scene_items(task, questions, names, found.settings.shown_scenes, found.judged),
        pair_items(pairs, found.matches, found.matchers, known_of_pairs(task.settings, pairs)),
    )
    numbers = headline(frames["accuracy"], frames["matching"])
    publish(task, replace(report, headline=numbers, closing=textwrap.fill(_MEANING, WIDTH)), items, VIEWS)


def headline(answered: pd.DataFrame, matched: pd.DataFrame) -> Headline:
    """The headline numbers, by model, from the frames of `accuracy` and `matching`; shares in percent."""
    found: dict[str, dict[str, float | int]] = {}
    for row in answered[answered["measure"] == "accuracy"].to_dict("records"):
        of_model = found.setdefault(row["model"] or row["name"], {})
        of_model["accuracy" if row["group"] == ALL else row["group"]] = row["value"]
        if row["group"] == ALL:
            of_model["questions"] = row["n"]
    names = {place: name for name, place in CHOSEN.items()}
    for row in matched[matched["measure"] == "found"].to_dict("records"):
        of_model = found.setdefault(row["model"], {})
        of_model |= {names[row["chosen"], row["variant"]]: row["value"], "pairs": row["n"]}
    return found


def _funnel(task: Task[ReportSettings], pilots: Mapping[str, Pilot]) -> list[FunnelStage]:
    """Counts of every stage, each from its own artifacts. Images are counted as candidates, then as pairs."""
    unread, filtered = (reasons(task.rows(role)) for role in ("unread", "filtered"))
    refused = list(task.rows("refused"))
    unscorable = reasons(row for row in refused if row["reason"] == "cannot be scored")
    unlike = reasons(row for row in refused if row["reason"] != "cannot be scored")
    planned = task.settings.pairs * task.settings.candidates
    extracted, questions = task.count("extracted"), task.count("questions")
    candidates, best, pairs = (task.count(role) for role in ("candidates", "best", "pairs"))
    return [
        FunnelStage("extract", "questions", extracted + sum(unread.values()), extracted, unread),
        FunnelStage("generate", "candidates", planned, candidates),
        FunnelStage("filter", "candidates", candidates, best, filtered),
        FunnelStage("verify", "pairs", best, pairs, unlike),
        FunnelStage("verify", "questions", extracted, questions, unscorable),
        *people_stage(task),
        *evaluation_stages(task, ANSWERER, pilots, per_pair=1),
        *(matching_stage(paths, key, pairs) for key, paths in task.paths_by(MATCHER, "matches").items()),
    ]
