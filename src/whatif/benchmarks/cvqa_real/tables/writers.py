"""What became of the source questions of each writer and group, and why others were lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from whatif.benchmarks.cvqa_real.report import RealResults
from whatif.benchmarks.cvqa_real.written_by import STAGES
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.numerals import count, decimal
from whatif.results.reporting.table import Column, View

_BY = {"writer": "Writer", "group": "Group"}


def _rows(found: RealResults) -> Iterator[dict[str, Any]]:
    for one in found.work:
        of = {"writer": one.writer, "group": one.group}
        values = {"source questions": one.asked, "written": len(one.written), "refused": sum(one.refused.values())}
        values |= {f"after {stage}": one.left[stage] for stage in STAGES}
        yield from ({**of, "measure": measure, "value": value} for measure, value in values.items())
        if filtered := one.left["filter"]:
            yield {**of, "measure": "changed", "value": 100 * (filtered - one.same) / filtered, "n": filtered}
        for stage, counts in {"write": one.refused, **one.lost}.items():
            for reason, number in counts.items():
                yield {**of, "stage": stage, "reason": reason, "measure": "lost", "value": number}
        for doubt, number in one.doubts.items():
            yield {**of, "reason": doubt, "measure": "doubts", "value": number}


TABLE: Declared[RealResults] = Declared(
    position=65,
    title="Writers",
    identity=("writer", "group", "stage", "reason", "measure"),
    numbers=("value", "n"),
    rows=_rows,
    views=lambda found: (
        View(
            "What each writer made of the source questions, and how many questions were left after each stage.",
            _BY,
            (
                Column("Source questions", "source questions", write=count),
                Column("Written", "written", write=count),
                Column("Refused", "refused", write=count),
                Column("After filter", "after filter", write=count),
                Column("After people", "after check", write=count),
                Column("Verified", "after verify", write=count),
                Column("Changed (%)", "changed", write=decimal(1)),
            ),
            "People choose the group of a question. Changed: the share of the questions after the filter whose answer "
            "is another one than that of the source question. A released set has no writers.",
        ),
        View(
            "Why questions were not written, or lost later.",
            {**_BY, "stage": "Stage", "reason": "Reason"},
            (Column("Questions", "lost", write=count),),
        ),
        View(
            "Doubts about questions that the filter kept; a question may have several.",
            {**_BY, "reason": "Doubt"},
            (Column("Questions", "doubts", write=count),),
        ),
    ),
)
