"""The results of the scenes: headline metrics, tables, a report and items."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from itertools import chain

from whatif.benchmarks.scenes.settings import ReportSettings
from whatif.benchmarks.scenes.site_items import VIEWS, known_of_pairs, scene_items
from whatif.benchmarks.scenes.tables import accuracy, headline, matching
from whatif.benchmarks.shared.caption_items import pair_items
from whatif.benchmarks.shared.dimensions import ANSWERER, MATCHER
from whatif.benchmarks.shared.matched_pairs import matched_pairs
from whatif.benchmarks.shared.matching_funnel import matching_stage
from whatif.benchmarks.shared.pilots import Pilot, asked, marked, pilots_of
from whatif.benchmarks.shared.reports import costs_of, judged_of, publish, reading_of
from whatif.benchmarks.shared.tasks import evaluation_stage, limits_of, names_of, with_predictions
from whatif.engine.graph.task import Task
from whatif.results.reporting.funnel import FunnelStage, funnel, reasons
from whatif.results.reporting.rendering import WIDTH
from whatif.results.reporting.report import Report

NAME = "scenes"
TITLE = "Scenes"
_MEANING = (
    "The models that ship with this package are tiny and know nothing but its drawings. Their numbers show that the "
    "pipeline works from end to end. They say nothing about larger models, and a tiny model may get a question wrong "
    "only because it has never seen one of its words."
)


def publish_report(task: Task[ReportSettings]) -> None:
    """Publishes every text file of this benchmark's aggregation."""
    settings = task.settings.aggregate
    questions = task.read("questions").to_pylist()
    pairs = task.read("pairs").to_pylist()
    predictions = list(task.rows("predictions"))
    matches = list(task.rows("matches"))
    names, matcher_names = names_of(task, ANSWERER), names_of(task, MATCHER)
    keys = with_predictions(task, ANSWERER)
    pilots = pilots_of(limits_of(task, ANSWERER, keys), dict.fromkeys(keys, questions), task.seed, NAME)
    names = marked({key: names[key] for key in keys}, pilots, unit="question")  # these questions have no twins
    judged = judged_of(task, task.settings.judge, questions, names)
    answered = accuracy(
        predictions,
        questions,
        names=names,
        sampled=asked(questions, pilots, keys),
        confidence=settings.confidence,
        judged=judged,
    )
    matched = matching(matches, names=matcher_names, confidence=settings.confidence)
    pairs_matched = matched_pairs(matches, names=matcher_names, confidence=settings.confidence, title=TITLE)
    tables = (
        answered,
        matched,
        pairs_matched,
        reading_of(task, names),
        costs_of(task, ANSWERER, names),
        funnel(_funnel(task, pilots)),
    )
    items = chain(
        scene_items(task, questions, names, settings.shown_scenes, judged),
        pair_items(pairs, matches, matcher_names, known_of_pairs(task.settings, pairs)),
    )
    report = Report(TITLE, tables, headline(answered.frame, matched.frame), closing=textwrap.fill(_MEANING, WIDTH))
    publish(task, report, items, VIEWS)


def _funnel(task: Task[ReportSettings], pilots: Mapping[str, Pilot]) -> list[FunnelStage]:
    """Counts of every stage, each from its own artifacts. Images are counted as candidates, then as pairs."""
    unread, filtered = (reasons(task.rows(role)) for role in ("unread", "filtered"))
    refused = list(task.rows("refused"))
    unscorable = reasons(row for row in refused if row["reason"] == "cannot be scored")
    unlike = reasons(row for row in refused if row["reason"] != "cannot be scored")
    planned = task.settings.pairs * task.settings.candidates
    extracted, questions = task.count("extracted"), task.count("questions")
    candidates, best, pairs = (task.count(role) for role in ("candidates", "best", "pairs"))
    stages = [
        FunnelStage("extract", "questions", extracted + sum(unread.values()), extracted, unread),
        FunnelStage("generate", "candidates", planned, candidates),
        FunnelStage("filter", "candidates", candidates, best, filtered),
        FunnelStage("verify", "pairs", best, pairs, unlike),
        FunnelStage("verify", "questions", extracted, questions, unscorable),
    ]
    for key, paths in task.paths_by(ANSWERER, "predictions").items():
        pilot = pilots.get(key)
        left_out = pilot.total - len(pilot.pairs) if pilot else 0
        stages.append(evaluation_stage(paths, key, questions, not_in_sample=left_out))
    return stages + [matching_stage(paths, key, pairs) for key, paths in task.paths_by(MATCHER, "matches").items()]
