"""The table `styles` (MuCR 5.1, Figure 8): C2E by style of the images."""

from __future__ import annotations

from collections.abc import Iterable

from whatif.benchmarks.mucr.asked_items import Way
from whatif.benchmarks.mucr.results import Results, Row
from whatif.benchmarks.mucr.schemas import C2E, MAIN_FORM, STYLES, Style
from whatif.benchmarks.mucr.score_tables import changes_view, intervals_view, score_table
from whatif.results.reporting.declared import Made
from whatif.results.reporting.table import Table

_FIRST: Style = "photograph"  # with which other styles are compared


def _table(results: Results) -> Table:
    def rows() -> Iterable[Row]:
        for place, answers in results.answerers():
            first = answers(Way(MAIN_FORM, _FIRST), (C2E,))
            for style in STYLES:
                found = answers(Way(MAIN_FORM, style), (C2E,))
                yield from results.scores(found, {**place, "style": style})
                if style != _FIRST:
                    yield from results.changes(first, found, {**place, "style": style})

    shown = {"style": "Style"}
    views = (
        intervals_view(
            f"C2E in percent by style of the images, with {results.level} intervals by group (MuCR Figure 8).",
            "The paper's values are in its Figure 8 only. Its text finds a slight drop for black-white images.",
            (C2E,),
            **shown,
        ),
        changes_view(
            f"C2E minus that with photographs in points, over the same pairs, with {results.level} intervals by group.",
            metric="",
            **shown,
        ),
    )
    return score_table("Styles", results.corrected(rows()), ("style",), views)


TABLE: Made[Results] = Made(24, _table)
