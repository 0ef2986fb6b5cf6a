"""What each writer made of the source questions: written, refused, and left after the filter and people's checks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from whatif.benchmarks.cvqa_real.schemas import COUNTERFACTUAL, GROUPS, ORIGINAL, PEOPLE, SOURCE_GROUPS
from whatif.benchmarks.cvqa_real.settings import ReportSettings
from whatif.benchmarks.shared.annotator_tables import is_of_label
from whatif.engine.graph.task import Task
from whatif.results.reporting.funnel import stage_of_ids
from whatif.results.reporting.pair_measures import ALL

_WITHOUT_A_REASON = "without a reason"
_NOT_ANNOTATED = "not annotated"
STAGES = ("filter", "check", "verify")
Row = Mapping[str, Any]


@dataclass(frozen=True)
class WrittenBy:
    """The questions of one writer in one group; of people in all groups (`all`), because they choose the group.

    `written` are ids of WRITTEN; `refused` counts the `asked` source questions without one, by reason. `left` has, for
    each later stage (`filter`, `check`, `verify`), those that it kept, and `lost` what it rejected, by reason. `same`
    counts those after the filter whose answer is that of the source question, and `doubts` what the filter doubts about
    those that it kept.
    """

    writer: str
    group: str
    asked: int
    written: frozenset[str]
    refused: Mapping[str, int] = field(default_factory=dict)
    left: Mapping[str, int] = field(default_factory=dict)
    lost: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    same: int = 0
    doubts: Mapping[str, int] = field(default_factory=dict)


def written_by(task: Task[ReportSettings]) -> list[WrittenBy]:
    """The work of each writer and group, people first; empty if the questions come from the released file.

    Each source question that a writer was asked about is either written or refused: one that no step mentions is
    refused `without a reason`.
    """
    if task.settings.source is not None:
        return []
    sources = {row["pair_id"]: row for row in task.rows("source", ["pair_id", "group", "answer"])}
    written = list(task.rows("written", ["written_id", "source_id", "group", "writer", "answer"]))
    later = _Later(task, written, sources)
    found = []
    unannotated = [row for row in task.rows("unannotated") if not is_of_label(row)]
    of_people = [row for row in written if row["writer"] == PEOPLE]
    if of_people or unannotated or task.count("annotations"):
        stage = stage_of_ids(
            PEOPLE,
            "questions",
            sources,
            {row["source_id"] for row in of_people},
            unannotated,
            names=_names_of_a_source,
            otherwise=_NOT_ANNOTATED,
        )
        found.append(later.of(PEOPLE, ALL, len(sources), of_people, stage.rejected))
    rejections = [*task.rows("unchanged"), *task.rows("unwritten")]
    for group in GROUPS:
        asked = [source for source, row in sources.items() if row["group"] == SOURCE_GROUPS[group]]
        for writer in task.settings.writers.of(group):
            ids = [f"{source}-{group}-{writer}" for source in asked]
            own = [row for row in written if (row["writer"], row["group"]) == (writer, group)]
            after = {row["written_id"] for row in own}
            stage = stage_of_ids(writer, "questions", ids, after, rejections, otherwise=_WITHOUT_A_REASON)
            found.append(later.of(writer, group, len(ids), own, stage.rejected))
    return found


class _Later:
    """What became of written questions after they were joined into pairs."""

    def __init__(self, task: Task[ReportSettings], written: Iterable[Row], sources: Mapping[str, Row]) -> None:
        self._kept = {
            stage: {row["pair_id"] for row in task.rows(role, ["pair_id"])}
            for stage, role in zip(STAGES, ("filtered questions", "checked", "questions"), strict=True)
        }
        self._rejections = {
            stage: [row for row in task.rows(role) if not is_of_label(row)]
            for stage, role in zip(STAGES, ("filtered", "unchecked", "refused"), strict=True)
        }
        self._doubts = {
            row["pair_id"]: json.loads(row["provenance"]).get("doubts", ())
            for row in task.rows("filtered questions", ["pair_id", "variant", "provenance"])
            if row["variant"] == COUNTERFACTUAL
        }
        self._same = {row["written_id"] for row in written if row["answer"] == sources[row["source_id"]]["answer"]}

    def of(self, writer: str, group: str, asked: int, written: Sequence[Row], refused: Mapping[str, int]) -> WrittenBy:
        """The work of one writer, of whose questions in one group `written` are rows."""
        ids = sorted(row["written_id"] for row in written)
        left, lost, before = {}, {}, ids
        for stage in STAGES:
            found = stage_of_ids(
                stage, "pairs", before, self._kept[stage], self._rejections[stage], otherwise=_WITHOUT_A_REASON
            )
            left[stage], lost[stage] = found.went_on, found.rejected
            before = [one for one in before if one in self._kept[stage]]
        same = len(self._same & self._kept["filter"] & set(ids))
        doubts = Counter(doubt for one in ids for doubt in self._doubts.get(one, ()))
        return WrittenBy(writer, group, asked, frozenset(ids), refused, left, lost, same, dict(sorted(doubts.items())))


def _names_of_a_source(source: str) -> list[str]:
    """The ids under which people's work on a source question may be rejected."""
    return [source, f"{source}-{ORIGINAL}", *(f"{source}-{group}-{PEOPLE}" for group in GROUPS)]
