"""Table 1 (MuCR 5.1): forms of visual input, and changes against all images on one composite."""

from __future__ import annotations

from collections.abc import Iterable

from whatif.benchmarks.mucr import reported
from whatif.benchmarks.mucr.asked_items import IN_IMAGES, Way
from whatif.benchmarks.mucr.results import Results, Row
from whatif.benchmarks.mucr.schemas import MAIN_FORM, VISUAL_FORMS
from whatif.benchmarks.mucr.score_tables import (
    MIXED,
    as_printed,
    changes_view,
    in_order,
    intervals_view,
    score_table,
    scores_view,
)
from whatif.results.reporting.answers import System
from whatif.results.reporting.declared import Made
from whatif.results.reporting.table import Table


def _table(results: Results) -> Table:
    def ours(system: System) -> Iterable[Row]:
        place, first = results.place(system), results.metrics(system, IN_IMAGES)
        for form in VISUAL_FORMS:
            found = results.metrics(system, Way(form))
            yield from results.scores(found, {**place, "form": form})
            if form != MAIN_FORM:
                yield from results.changes(first, found, {**place, "form": form})

    printed = reported.numbers("1")
    rows = in_order(results, printed, lambda found: as_printed(found, "form"), ours, results.main)
    cells = {(one.system, one.labels["form"], one.metric): one.value for one in printed}
    apart, two = (
        [value - cells[system, MAIN_FORM, metric] for (system, which, metric), value in cells.items() if which == form]
        for form in ("separate", "cause-and-composite")
    )
    unlike = ", ".join(
        f"{one.text} for {one.system} in {one.metric}, where Table 6 has {other.text}"
        for _, one, other in reported.unlike_table_6()
    )
    form = {"form": "Form"}
    views = (
        scores_view(
            "Questions answered correctly in percent by form of visual input (MuCR Table 1): composite is Form-1, "
            "cause-and-composite Form-2, separate Form-3; strip is ours.",
            f"{MIXED} Table 1 has {unlike}.",
            **form,
        ),
        intervals_view(f"Ours in percent, with {results.level} intervals by group.", **form),
        changes_view(
            f"Ours: score minus that with one composite in points, over the same pairs, with {results.level} intervals "
            "by group.",
            f"The paper calls the gains of Form-3 marked: they are {min(apart):+.2f} to {max(apart):+.2f} points. "
            f"Form-2 is above Form-1 in {sum(value > 0 for value in two)} of {len(two)} scores.",
            **form,
        ),
    )
    return score_table("Forms of visual input", results.corrected(rows), ("form",), views)


TABLE: Made[Results] = Made(14, _table)
