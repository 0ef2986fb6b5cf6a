"""The drop from text to images (MuCR 4.2): text minus multimodal score in points, paired by pair.

The metric `all` is over the questions of all three metrics. Intervals and tests are by group; p-values of real
models are corrected over the table (Holm).
"""

from __future__ import annotations

from collections.abc import Iterable

from whatif.benchmarks.mucr import reported
from whatif.benchmarks.mucr.reported import Number
from whatif.benchmarks.mucr.results import ALL, BY_PEOPLE, DROP, WAYS, Results, Row, with_all
from whatif.benchmarks.mucr.schemas import SCORES
from whatif.benchmarks.mucr.score_tables import BESIDE, changes_view, in_order, score_table
from whatif.results.reporting.answers import System
from whatif.results.reporting.declared import Made
from whatif.results.reporting.numerals import signed
from whatif.results.reporting.table import REPORTED, Column, Table, View


def _table(results: Results) -> Table:
    printed = reported.gaps()

    def of_reported(found: Iterable[Number]) -> Iterable[Row]:
        system = next(iter(found)).system
        values = [printed[system, metric] for metric in SCORES]
        for metric, value in zip((*SCORES, ALL), (*values, round(sum(values) / len(values), 4)), strict=True):
            yield {"name": system, "source": REPORTED, "metric": metric, "measure": DROP, "value": value}

    def ours(system: System) -> Iterable[Row]:
        text, images = (with_all(results.metrics(system, way)) for way in WAYS)
        yield from results.drops(text, images, results.place(system))

    def people() -> Iterable[Row]:
        text, images = (results.by_people(way, SCORES) for way in WAYS)
        yield from results.drops(with_all(text), with_all(images), BY_PEOPLE)

    rows = in_order(results, reported.numbers("6"), of_reported, ours, results.main, people=people)
    gained = [f"{system} in {metric} ({-value:+.2f})" for (system, metric), value in printed.items() if value < 0]
    views = (
        View(
            "The drop from text to images in points, text minus images (MuCR 4.2); all is over the three metrics.",
            BESIDE,
            tuple(Column(metric, DROP, {"metric": metric}, write=signed(2)) for metric in (*SCORES, ALL)),
            "Reported rows follow from Table 6. The paper says that all models lose with images, but some gain: "
            f"{', '.join(gained)}.",
        ),
        changes_view(
            f"Ours: the drop from text to images in points, over the same pairs, with {results.level} intervals "
            "by group.",
            "p is of the exact test that changes the signs of groups. Holm's correction is over all rows of real "
            "models. In the rows all, a pair counts once for each metric; with people, once for each attempt. "
            f"{results.ranked_by}".strip(),
            measure=DROP,
        ),
    )
    return score_table("The drop from text to images", results.corrected(rows), (), views)


TABLE: Made[Results] = Made(12, _table)
