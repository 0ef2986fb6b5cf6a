"""Table 7 of MuCR (B.1): models that read no images, in text, beside one that does."""

from __future__ import annotations

from collections.abc import Iterator

from whatif.benchmarks.mucr.asked_items import IN_IMAGES, IN_TEXT
from whatif.benchmarks.mucr.outcomes import Answerer, Row
from whatif.benchmarks.mucr.report import WAYS, Mucr
from whatif.benchmarks.mucr.reported import reported
from whatif.benchmarks.mucr.schemas import SCORES, TEXT
from whatif.benchmarks.mucr.score_tables import intervals_view, score_table, scores_view
from whatif.results.reporting.table import View

_FORM = {"form": "Form"}


def _rows(found: Mucr, who: Answerer) -> Iterator[Row]:
    for way in WAYS if who.by_metric(IN_TEXT) else ():
        yield from found.scores(who.by_metric(way), {**who.place, "form": way.form})


def _views(found: Mucr) -> tuple[View, ...]:
    cells = {(row["name"], row["form"], row["metric"]): row["value"] for row in reported("7")}
    differences = ", ".join(
        f"{cells['DeepSeek-R1', TEXT, metric] - cells['GPT-o1', TEXT, metric]:+.2f} in {metric}" for metric in SCORES
    )
    without = [who.place["name"] for who in found.main if not who.by_metric(IN_IMAGES)]
    told = f"Ours without a row in images are asked in text only: {', '.join(without)}. " if without else ""
    return (
        scores_view(
            "Questions in text answered correctly in percent, and in images where a model reads them (MuCR Table 7).",
            f"{told}The paper calls DeepSeek-R1 comparable to GPT-o1: {differences} points.",
            **_FORM,
        ),
        intervals_view(f"Ours in percent, with {found.level} intervals by group.", **_FORM),
    )


TABLE = score_table(
    40,
    title="Models in text",
    rows=lambda found: found.beside(reported("7"), lambda who: _rows(found, who), found.main),
    views=_views,
    labels=["form"],
)
