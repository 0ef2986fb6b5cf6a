"""The table `language` (MuCR Figure 14): C2E asked in English and in Chinese."""

from __future__ import annotations

from collections.abc import Iterable

from whatif.benchmarks.mucr.results import WAYS, Results, Row
from whatif.benchmarks.mucr.schemas import C2E
from whatif.benchmarks.mucr.score_tables import changes_view, intervals_view, score_table
from whatif.results.reporting.declared import Made
from whatif.results.reporting.table import Table


def _table(results: Results) -> Table:
    known = [str(one) for one in dict.fromkeys(sorted(set(results.asked.language.tolist()) | {"en"}))]

    def rows() -> Iterable[Row]:
        for place, answers in results.answerers():
            for way in WAYS:
                first = answers(way, (C2E,))
                for language in known if len(known) > 1 else ():
                    found = answers(way._replace(language=language), (C2E,))  # type: ignore[arg-type]
                    labels = {**place, "form": way.form, "language": language}
                    yield from results.scores(found, labels)
                    if language != way.language:
                        yield from results.changes(first, found, labels)

    shown = {"form": "Form", "language": "Language"}
    views = (
        intervals_view(
            f"C2E in percent by language of the question, with {results.level} intervals by group (MuCR Figure 14).",
            "The paper's values are in its Figure 14 only. Captions are in the language of the source.",
            (C2E,),
            **shown,
        ),
        changes_view(
            f"C2E minus that in English in points, over the same pairs, with {results.level} intervals by group.",
            metric="",
            **shown,
        ),
    )
    return score_table("Languages", results.corrected(rows()), ("form", "language"), views)


TABLE: Made[Results] = Made(28, _table)
