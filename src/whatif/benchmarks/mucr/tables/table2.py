"""Table 2 (MuCR 5.2): images alone, and with the contextual descriptions as text."""

from __future__ import annotations

from collections.abc import Iterable

from whatif.benchmarks.mucr import reported
from whatif.benchmarks.mucr.asked_items import IN_IMAGES
from whatif.benchmarks.mucr.results import Results, Row
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

_WITHOUT, _WITH = "without", "with"

_HINTS = IN_IMAGES._replace(hints=True)


def _table(results: Results) -> Table:
    def ours(system: System) -> Iterable[Row]:
        place = results.place(system)
        before, after = (results.metrics(system, way) for way in (IN_IMAGES, _HINTS))
        if after:
            yield from results.scores(before, {**place, "hints": _WITHOUT})
            yield from results.scores(after, {**place, "hints": _WITH})
            yield from results.changes(before, after, {**place, "hints": _WITH})

    rows = in_order(results, reported.numbers("2"), lambda found: as_printed(found, "hints"), ours, results.main)
    hints = {"hints": "Hints"}
    views = (
        scores_view(
            "Questions about images answered correctly in percent, without and with hints in text (MuCR Table 2).",
            f"The hints are the contextual descriptions of the images. {MIXED}",
            **hints,
        ),
        intervals_view(f"Ours in percent, with {results.level} intervals by group.", **hints),
        changes_view(
            f"Ours: score with hints minus score without in points, over the same pairs, with {results.level} "
            "intervals by group."
        ),
    )
    return score_table("Hints in text", results.corrected(rows), ("hints",), views)


TABLE: Made[Results] = Made(16, _table)
