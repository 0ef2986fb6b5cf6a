"""The drop from text to images (MuCR 4.2): text minus multimodal score in points, paired by pair.

The metric `all` is over the questions of all three metrics. Intervals and tests are by group.
"""

from __future__ import annotations

from whatif.benchmarks.mucr.asked_items import IN_IMAGES, IN_TEXT
from whatif.benchmarks.mucr.outcomes import ALL, DROP
from whatif.benchmarks.mucr.report import Mucr
from whatif.benchmarks.mucr.reported import reported_drops
from whatif.benchmarks.mucr.schemas import SCORES
from whatif.benchmarks.mucr.score_tables import BESIDE, changes_view, score_table
from whatif.results.reporting.numerals import signed
from whatif.results.reporting.table import Column, View


def _views(found: Mucr) -> tuple[View, ...]:
    gained = ", ".join(
        f"{row['name']} in {row['metric']} ({-row['value']:+.2f})"
        for row in reported_drops()
        if row["metric"] != ALL and row["value"] < 0
    )
    return (
        View(
            "The drop from text to images in points, text minus images (MuCR 4.2); all is over the three metrics.",
            BESIDE,
            tuple(Column(metric, DROP, {"metric": metric}, write=signed(2)) for metric in (*SCORES, ALL)),
            f"Reported rows follow from Table 6. The paper says that all models lose with images, but some gain: "
            f"{gained}.",
        ),
        changes_view(
            f"Ours: the drop from text to images in points, over the same pairs, with {found.level} intervals "
            "by group.",
            "p is of the exact test that changes the signs of groups. Holm's correction is over all rows of real "
            "models. In the rows all, a pair counts once for each metric; with people, once for each attempt. "
            f"{found.ranked_by}".strip(),
            measure=DROP,
        ),
    )


TABLE = score_table(
    15,
    title="The drop from text to images",
    rows=lambda found: found.beside(
        list(reported_drops()),
        lambda who: found.drops(who.by_metric(IN_TEXT), who.by_metric(IN_IMAGES), who.place),
        found.everyone,
    ),
    views=_views,
)
