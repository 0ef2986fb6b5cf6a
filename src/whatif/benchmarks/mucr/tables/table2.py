"""Table 2 of MuCR (5.2): images alone, and with the contextual descriptions as text."""

from __future__ import annotations

from collections.abc import Iterable

from whatif.benchmarks.mucr.asked_items import IN_IMAGES
from whatif.benchmarks.mucr.outcomes import Answerer, Row
from whatif.benchmarks.mucr.report import Mucr
from whatif.benchmarks.mucr.reported import reported
from whatif.benchmarks.mucr.score_tables import MIXED, changes_view, intervals_view, score_table, scores_view

_WAYS = {"without": IN_IMAGES, "with": IN_IMAGES._replace(hints=True)}
_HINTS = {"hints": "Hints"}


def _rows(found: Mucr, who: Answerer) -> Iterable[Row]:
    return found.by_way(who, "hints", _WAYS) if who.by_metric(_WAYS["with"]) else ()


TABLE = score_table(
    25,
    title="Hints in text",
    rows=lambda found: found.beside(reported("2"), lambda who: _rows(found, who), found.main),
    views=lambda found: (
        scores_view(
            "Questions about images answered correctly in percent, without and with hints in text (MuCR Table 2).",
            f"The hints are the contextual descriptions of the images. {MIXED}",
            **_HINTS,
        ),
        intervals_view(f"Ours in percent, with {found.level} intervals by group.", **_HINTS),
        changes_view(
            f"Ours: score with hints minus score without in points, over the same pairs, with {found.level} "
            "intervals by group."
        ),
    ),
    labels=["hints"],
)
