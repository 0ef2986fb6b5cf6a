"""The funnel of C-VQA-Real: images, source questions, written questions and pairs, from the source to the answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from whatif.benchmarks.cvqa_real.schemas import COUNTERFACTUAL
from whatif.benchmarks.cvqa_real.settings import ReportSettings
from whatif.benchmarks.cvqa_real.written_by import WrittenBy
from whatif.benchmarks.shared.annotator_tables import is_of_label, labels_stage
from whatif.benchmarks.shared.dimensions import ANSWERER
from whatif.benchmarks.shared.human_attempts import people_stage
from whatif.benchmarks.shared.pilots import Pilot
from whatif.benchmarks.shared.tasks import evaluation_stages
from whatif.engine.graph.task import Task
from whatif.results.reporting.funnel import FunnelStage, stage_of_ids, stage_of_losses
from whatif.results.reporting.pair_measures import ALL

_WITHOUT_A_REASON = "without a reason"
Row = Mapping[str, Any]


def stages_of(
    task: Task[ReportSettings],
    work: Sequence[WrittenBy],
    asked: Mapping[str, Sequence[Row]],
    pilots: Mapping[str, Pilot],
) -> list[FunnelStage]:
    """Counts of every stage, each from its own artifacts, so that any loss is visible at its stage.

    `work` is that of the writers, `asked` are the questions for each model before any pilot sample.
    """
    pairs = {role: _pairs(task, role) for role in ("source", "generated", "filtered questions", "checked", "questions")}

    def left_out(model: str, _: str) -> int:
        return len(asked[model]) - len(pilots[model].rows(asked[model])) if model in pilots else 0

    unit = "questions" if task.settings.source is None else "pairs"
    return [
        stage_of_losses("extract", "images", task.count("images"), task.rows("missing")),
        stage_of_losses("extract", unit, len(pairs["source"]), task.rows("unusable")),
        *labels_stage(task.rows("annotations"), task.rows("unannotated"), "annotate"),
        *_written(work),
        _of_pairs("generate", _to_join(task, pairs["source"]), pairs["generated"], ()),
        _of_pairs("filter", pairs["generated"], pairs["filtered questions"], task.rows("filtered")),
        *labels_stage(task.rows("judgements"), task.rows("unchecked"), "check"),
        _of_pairs("check", pairs["filtered questions"], pairs["checked"], task.rows("unchecked")),
        *_polished(task),
        _of_pairs("verify", pairs["checked"], pairs["questions"], task.rows("refused")),
        *people_stage(task),
        *evaluation_stages(task, ANSWERER, task.settings.strategies, lambda model: len(asked[model]), left_out),
    ]


def _written(work: Iterable[WrittenBy]) -> Iterator[FunnelStage]:
    """The source questions that each writer was asked to change."""
    for one in work:
        stage = "annotate" if one.group == ALL else f"write {one.group} by {one.writer}"
        yield FunnelStage(stage, "questions", one.asked, len(one.written), one.refused)


def _to_join(task: Task[ReportSettings], released: Sequence[str]) -> list[str]:
    """The ids of the pairs that are to be joined: those of the written questions, or of the released pairs."""
    if task.settings.source is not None:
        return list(released)
    return [
        row["written_id"] for role in ("annotated", "by-rules", "by-model") for row in task.rows(role, ["written_id"])
    ]


def _polished(task: Task[ReportSettings]) -> Iterator[FunnelStage]:
    """The counterfactual questions that a model was asked to polish, and the edits that were refused."""
    polished = {row["question_id"] for row in task.rows("polished", ["question_id"])}
    refused = list(task.rows("unpolished"))
    if polished or refused:
        columns = ["question_id", "variant"]
        ids = [row["question_id"] for row in task.rows("checked", columns) if row["variant"] == COUNTERFACTUAL]
        yield stage_of_ids("polish", "questions", ids, polished, refused, otherwise=_WITHOUT_A_REASON)


def _of_pairs(stage: str, before: Iterable[str], after: Iterable[str], rejections: Iterable[Row]) -> FunnelStage:
    of_items = [row for row in rejections if not is_of_label(row)]
    return stage_of_ids(stage, "pairs", before, set(after), of_items, otherwise=_WITHOUT_A_REASON)


def _pairs(task: Task[ReportSettings], role: str) -> list[str]:
    """The ids of the pairs, or source questions, of an input, each once."""
    return list(dict.fromkeys(row["pair_id"] for row in task.rows(role, ["pair_id"])))
