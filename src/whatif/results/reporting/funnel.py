"""The funnel of a benchmark: the inputs of every stage are its outputs plus its rejections, by reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from whatif.engine.errors import WhatifError
from whatif.results.reporting.numerals import count

if TYPE_CHECKING:
    from whatif.results.reporting.table import Table


@dataclass(frozen=True)
class FunnelStage:
    """Counts of one stage, in `unit` (`pairs`, `pictures`, `questions`)."""

    stage: str
    unit: str
    came_in: int
    went_on: int
    rejected: Mapping[str, int] = field(default_factory=dict)  # reason -> count


def reasons(rejections: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Rows of the table `rejections`, counted by reason."""
    return dict(sorted(Counter(str(row["reason"]) for row in rejections).items()))


def stage_of_losses(stage: str, unit: str, kept: int, rejections: Iterable[Mapping[str, Any]]) -> FunnelStage:
    """A stage whose inputs are counted nowhere else: those that it kept, and those in rows of `rejections`."""
    lost = reasons(rejections)
    return FunnelStage(stage, unit, kept + sum(lost.values()), kept, lost)


def stage_of_ids(
    stage: str,
    unit: str,
    before: Iterable[str],
    after: Container[str],
    rejections: Iterable[Mapping[str, Any]],
    *,
    names: Callable[[str], Sequence[str]] = lambda name: (name,),
    otherwise: str,
) -> FunnelStage:
    """A stage that keeps those ids `before` that are `after` it, and has a row of `rejections` for the others.

    `names` returns, for an id, the ids under which it may be rejected: its own, or that of what it is part of. One that
    no rejection names was lost for the reason `otherwise`.
    """
    why = {str(row["item_id"]): str(row["reason"]) for row in rejections}
    ids = list(before)
    lost: Counter[str] = Counter()
    for one in ids:
        if one not in after:
            known = (why.get(name) for name in names(one))
            lost[next((reason for reason in known if reason is not None), otherwise)] += 1
    return FunnelStage(stage, unit, len(ids), len(ids) - lost.total(), dict(sorted(lost.items())))


def funnel(stages: Sequence[FunnelStage]) -> Table:
    """The table `funnel`: the counts `in`, `out` and `rejected` of each stage, and `rejected because` by reason.

    Raises WhatifError with the name of the stage if its counts do not add up.
    """
    # Imported here because step declarations also use this module, and only reports need tables and pandas.
    from whatif.results.reporting.table import Column, Table, View, tidy

    rows: list[dict[str, Any]] = []
    for stage in stages:
        rejected = sum(stage.rejected.values())
        if stage.came_in != stage.went_on + rejected:
            raise WhatifError(
                f"{stage.stage}: {stage.came_in} {stage.unit} came in, {stage.went_on} went on and "
                f"{rejected} were rejected; nothing may be lost: make the stage again"
            )
        of_stage = {"stage": stage.stage, "unit": stage.unit}
        for measure, value in (("in", stage.came_in), ("out", stage.went_on), ("rejected", rejected)):
            rows.append({**of_stage, "measure": measure, "value": value})
        for reason, value in stage.rejected.items():
            rows.append({**of_stage, "measure": "rejected because", "reason": reason, "value": value})
    shown = {"stage": "Stage", "unit": "Of"}
    columns = tuple(Column(measure.capitalize(), measure, write=count) for measure in ("in", "out", "rejected"))
    views = (
        View("What came in, went on and was rejected at every stage.", shown, columns),
        View(
            "Reasons for rejection.",
            {**shown, "reason": "Reason"},
            (Column("Rejected", "rejected because", write=count),),
        ),
    )
    return Table("funnel", "Funnel", tidy(rows, ("stage", "unit", "measure", "reason"), ("value",)), views)
