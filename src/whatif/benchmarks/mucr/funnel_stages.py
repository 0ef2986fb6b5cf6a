"""The funnel of MuCR: pairs, images and questions, from the source to the answers.

A rejection names a pair (`12`), or a part of a pair that is kept without it (`12/comic`, `12/group`, `12/cue`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from whatif.benchmarks.mucr.asked_items import AskedItems
from whatif.benchmarks.mucr.dimensions import TUNED
from whatif.benchmarks.mucr.schemas import SIDES, STYLES
from whatif.benchmarks.mucr.settings import ReportSettings
from whatif.benchmarks.shared.annotator_tables import is_of_label, labels_stage
from whatif.benchmarks.shared.dimensions import CHOOSER
from whatif.benchmarks.shared.human_attempts import people_stage
from whatif.benchmarks.shared.tasks import evaluation_stage
from whatif.engine.graph.task import Task
from whatif.results.reporting.answers import Answers
from whatif.results.reporting.funnel import FunnelStage, stage_of_ids, stage_of_losses

_STYLED = "pairs in a style"
_PART = "/"  # between a pair and its part, in the ids of rejections
_NOT_BY_A_MODEL = frozenset({"scenes", "captions", "released"})  # writers of descriptions that no model wrote
Row = Mapping[str, Any]


def stages_of(task: Task[ReportSettings], answers: Answers[AskedItems]) -> list[FunnelStage]:
    """Counts of every stage, each from its own artifacts, so that any loss is visible at its stage."""
    asked, training = task.count("questions"), task.count("training")
    return [
        *_extraction(task),
        *_annotation(task),
        *_images(task),
        stage_of_losses("questions", "questions", asked + training, task.rows("unasked")),
        *people_stage(task),
        *_evaluations(task, answers),
        *_tuned(task),
    ]


def _extraction(task: Task[ReportSettings]) -> Iterator[FunnelStage]:
    whole, parts = _divided(task.rows("unusable"))
    yield stage_of_losses("extract", "pairs", task.count("extracted"), whole)
    of_images = [row for row in parts if row["item_id"].rpartition(_PART)[2] in STYLES]
    provided = task.count("provided") // len(SIDES)
    if provided or of_images:
        yield stage_of_losses("extract", "pairs of images", provided, of_images)
    yield from _parts("extract", [row for row in parts if row not in of_images])


def _annotation(task: Task[ReportSettings]) -> Iterator[FunnelStage]:
    refused = list(task.rows("unannotated"))
    whole, parts = _divided(row for row in refused if not is_of_label(row))
    yield from labels_stage(task.rows("annotations"), refused, "annotate")
    before, after = (_ids(task, role) for role in ("extracted", "pairs"))
    yield stage_of_ids("annotate", "pairs", before, set(after), whole, otherwise="removed with its group")
    yield from _parts("annotate", parts)
    written = sum(row["writer"] not in _NOT_BY_A_MODEL for row in task.rows("descriptions", ["pair_id", "writer"]))
    described = stage_of_losses("describe", "descriptions", written, task.rows("undescribed"))
    if described.came_in:
        yield described


def _images(task: Task[ReportSettings]) -> Iterator[FunnelStage]:
    drawn = stage_of_losses("draw", "images", task.count("candidates"), task.rows("undrawn"))
    if drawn.came_in:
        yield drawn
    pairs = set(_ids(task, "pairs"))
    columns = ["candidate_id", "pair_id", "style"]
    candidates = [
        row for role in ("provided", "candidates") for row in task.rows(role, columns) if row["pair_id"] in pairs
    ]
    kept = [row for row in task.rows("preselected") if row["pair_id"] in pairs]
    filtered, refused = list(task.rows("filtered")), list(task.rows("refused"))
    used = {row[f"{side}_candidate"] for row in kept for side in SIDES}
    ids = sorted(row["candidate_id"] for row in candidates)
    yield stage_of_ids("preselect", "images", ids, used, filtered, otherwise="in no pair of images")
    styles = sorted({row["style"] for row in candidates})
    every = [_styled(pair, style) for pair in sorted(pairs) for style in styles]
    preselected = {_styled(row["pair_id"], row["style"]) for row in kept}
    yield stage_of_ids("preselect", _STYLED, every, preselected, filtered, otherwise="no pair of images is left")
    yield from labels_stage(task.rows("judgements"), refused, "choose")
    chosen = {_styled(row["pair_id"], row["style"]) for row in task.rows("choices")}
    before = sorted(preselected)
    yield stage_of_ids("choose", _STYLED, before, chosen, refused, otherwise="no pair of images was chosen")


def _evaluations(task: Task[ReportSettings], answers: Answers[AskedItems]) -> Iterator[FunnelStage]:
    """What each system answered of the kinds of questions that it was asked."""
    cells = answers.questions.cells()
    for model in task.shown_models(CHOOSER):
        for strategy in task.settings.strategies:
            paths = task.paths_by(CHOOSER, "predictions", strategy=strategy).get(model)
            if paths is None:
                continue
            if (model, strategy) not in answers.systems:
                yield evaluation_stage(paths, f"{model} {strategy}")
                continue
            asked = answers.asked[answers.systems.index((model, strategy))]
            of_kinds = int(np.isin(cells, np.unique(cells[asked])).sum())
            left_out = of_kinds - int(asked.sum())
            yield evaluation_stage(paths, f"{model} {strategy}", of_kinds, not_in_sample=left_out)


def _tuned(task: Task[ReportSettings]) -> Iterator[FunnelStage]:
    given = task.inputs["tuned"]
    for path, wildcards in zip(given.paths, given.wildcards, strict=True):
        yield replace(evaluation_stage([path], ""), stage=f"fine-tune {wildcards[TUNED.name]} {wildcards['seed']}")


def _divided(rejections: Iterable[Row]) -> tuple[list[Row], list[Row]]:
    """Rejections of whole pairs, and of parts of pairs."""
    rows = list(rejections)
    return [row for row in rows if _PART not in row["item_id"]], [row for row in rows if _PART in row["item_id"]]


def _parts(stage: str, rejections: Sequence[Row]) -> Iterator[FunnelStage]:
    """The parts without which pairs are kept, if there are any."""
    if rejections:
        yield stage_of_losses(stage, "unusable parts of pairs", 0, rejections)


def _ids(task: Task[ReportSettings], role: str) -> list[str]:
    return [row["pair_id"] for row in task.rows(role, ["pair_id"])]


def _styled(pair: str, style: str) -> str:
    """The id of a pair in a style, as rejections have it."""
    return f"{pair}{_PART}{style}"
