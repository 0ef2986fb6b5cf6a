"""C2E asked in English and in Chinese (MuCR Figure 14, which alone has the paper's values)."""

from __future__ import annotations

from collections.abc import Iterator

from whatif.benchmarks.mucr.outcomes import Answerer, Row
from whatif.benchmarks.mucr.report import WAYS, Mucr
from whatif.benchmarks.mucr.score_tables import C2E, IN_FIGURE, changes_view, intervals_view, score_table

_SHOWN = {"form": "Form", "language": "Language"}


def _rows(found: Mucr, who: Answerer) -> Iterator[Row]:
    known = sorted({"en", *found.asked.language.tolist()})  # English first
    for way in WAYS if len(known) > 1 else ():
        ways = {language: way._replace(language=language) for language in known}
        yield from found.by_way(who, "language", ways, (C2E,), form=way.form)


TABLE = score_table(
    55,
    title="Languages",
    rows=lambda found: found.beside((), lambda who: _rows(found, who), found.everyone),
    views=lambda found: (
        intervals_view(
            f"C2E in percent by language of the question, with {found.level} intervals by group (MuCR Figure 14).",
            f"{IN_FIGURE.format('Figure 14')} Captions are in the language of the source.",
            (C2E,),
            **_SHOWN,
        ),
        changes_view(
            f"C2E minus that in English in points, over the same pairs, with {found.level} intervals by group.",
            metric="",
            **_SHOWN,
        ),
    ),
    labels=["form", "language"],
)
