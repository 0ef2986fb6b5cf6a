"""Figure 5 of MuCR: text and images, of the paper's popular models and people (hollow), and of ours."""

from __future__ import annotations

from collections.abc import Mapping

from whatif.benchmarks.mucr.report import Mucr
from whatif.benchmarks.mucr.reported import SMALL, classes
from whatif.benchmarks.mucr.schemas import SCORES
from whatif.benchmarks.mucr.score_plot import score_plot, text_or_images
from whatif.results.reporting.declared import Figure
from whatif.results.reporting.table import OURS, Table


def _draw(found: Mucr, tables: Mapping[str, Table]) -> bytes:
    known = classes()
    return score_plot(
        tables["table6"],
        lambda row: str(row["metric"]),
        text_or_images,
        SCORES,
        lambda row: row["source"] == OURS or known[row["name"]] != SMALL,
    )


FIGURE = Figure(_draw, above="")
