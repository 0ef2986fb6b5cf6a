"""The funnel of a benchmark: at every stage, what came in is what went on plus what was rejected, by reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from whatif.errors import WhatifError
from whatif.reporting.formats import DisplayTable


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


def funnel_table(stages: Sequence[FunnelStage]) -> DisplayTable:
    """The stages as a table, one row a stage.

    Raises WhatifError naming the stage at which something was lost or came from nowhere.
    """
    for stage in stages:
        if stage.came_in != stage.went_on + sum(stage.rejected.values()):
            raise WhatifError(
                f"{stage.stage}: {stage.came_in} {stage.unit} came in, {stage.went_on} went on and "
                f"{sum(stage.rejected.values())} were rejected; nothing may be lost: make the stage again"
            )
    rows = tuple(
        (
            stage.stage,
            stage.unit,
            "; ".join(f"{reason}: {count}" for reason, count in stage.rejected.items()) or "none",
            str(stage.came_in),
            str(stage.went_on),
            str(sum(stage.rejected.values())),
        )
        for stage in stages
    )
    header = ("Stage", "Of", "Reasons for rejection", "In", "Out", "Rejected")
    return DisplayTable("What came in, went on and was rejected at every stage.", header, rows, text_columns=3)
