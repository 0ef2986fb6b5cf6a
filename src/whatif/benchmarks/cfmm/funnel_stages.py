"""The funnel of CFMM: images, items and questions, from the source to the answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

from whatif.benchmarks.cfmm.schemas import BASIC
from whatif.benchmarks.cfmm.settings import ReportSettings
from whatif.benchmarks.shared.annotator_tables import is_of_label, labels_stage
from whatif.benchmarks.shared.dimensions import CHOOSER
from whatif.benchmarks.shared.human_attempts import people_stage
from whatif.benchmarks.shared.pilots import Pilot
from whatif.benchmarks.shared.tasks import evaluation_stages
from whatif.engine.graph.task import Task
from whatif.results.reporting.funnel import FunnelStage, reasons, stage_of_ids, stage_of_losses

_NO_QUESTION = "no question with a second option"
_WITH_ITEM = "removed with its item"
Row = Mapping[str, Any]


def stages_of(task: Task[ReportSettings], pilots: Mapping[str, Pilot]) -> list[FunnelStage]:
    """Counts of every stage, each from its own artifacts, so that any loss is visible at its stage."""
    candidates = {row["item_id"] for row in task.rows("candidates", ["item_id"])}
    unannotated, unchecked = list(task.rows("unannotated")), list(task.rows("unchecked"))
    ids = {role: _ids(task, role) for role in ("annotated", "checked", "expanded", "filtered questions", "questions")}
    items = {role: set(of_role.values()) for role, of_role in ids.items()}
    unwritten = [row for row in unannotated if not is_of_label(row)]
    lost_items = [row for row in unwritten if row["item_id"] in candidates]
    lost_questions = [row for row in unwritten if row["item_id"] not in candidates]
    to_filter = {**ids["checked"], **ids["expanded"]}
    stages = [
        stage_of_losses("extract", "images", len(candidates), task.rows("poor")),
        *labels_stage(task.rows("annotations"), unannotated, "annotate"),
        FunnelStage("annotate", "items", len(candidates), len(items["annotated"]), reasons(lost_items)),
        *_single_questions("annotate", len(ids["annotated"]), lost_questions),
        *labels_stage(task.rows("checks"), unchecked, "check"),
        _questions_stage("check", ids["annotated"], ids["checked"], unchecked),
    ]
    stages += _expansion(task, items["checked"], ids["expanded"])
    refusals = list(task.rows("refused"))
    stages += [
        _questions_stage("filter", to_filter, ids["filtered questions"], task.rows("filtered")),
        *labels_stage(task.rows("judgements"), refusals),
        _questions_stage("verify", ids["filtered questions"], ids["questions"], refusals),
    ]
    of_questions = ids["questions"].values()

    def left_out(model: str, _: str) -> int:
        return sum(item not in pilots[model].pairs for item in of_questions) if model in pilots else 0

    return [
        *stages,
        *people_stage(task),
        *evaluation_stages(task, CHOOSER, task.settings.strategies, lambda _: len(of_questions), left_out),
    ]


def _ids(task: Task[ReportSettings], role: str) -> dict[str, str]:
    """The ids of the questions of an input, each with its item."""
    return {row["question_id"]: row["pair_id"] for row in task.rows(role, ["question_id", "pair_id"])}


def _single_questions(stage: str, kept: int, rejections: Sequence[Row]) -> list[FunnelStage]:
    """The rejections of single questions of the items that a stage keeps, if there are any."""
    return [stage_of_losses(stage, "questions", kept, rejections)] if rejections else []


def _expansion(task: Task[ReportSettings], checked: Set[str], expanded: Mapping[str, str]) -> Iterator[FunnelStage]:
    """The items that were expanded, and the further questions; nothing if no item was to be expanded."""
    refused = list(task.rows("refused expansions"))
    why = {row["item_id"]: row["reason"] for row in refused if row["item_id"] in checked}
    asked = {row["item_id"] for row in task.rows("replies", ["item_id"])} | why.keys()
    used = set(expanded.values())
    if asked:
        lost = Counter(why.get(item, _NO_QUESTION) for item in asked - used)
        yield FunnelStage("expand", "items", len(asked), len(asked & used), dict(sorted(lost.items())))
    yield from _single_questions("expand", len(expanded), [row for row in refused if row["item_id"] not in checked])


def _questions_stage(
    stage: str, before: Mapping[str, str], after: Mapping[str, str], rejections: Iterable[Row]
) -> FunnelStage:
    """A stage that removes questions; a rejection names a question, its item, or the basic question of its item."""

    def names(question: str) -> tuple[str, str, str]:
        item = before[question]
        return question, item, f"{item}-{BASIC}"

    return stage_of_ids(stage, "questions", before, after, rejections, names=names, otherwise=_WITH_ITEM)
