"""Figure 11 of MuCR: how often the chosen effect image is found among its rejected siblings, of ours, beside C2E."""

from __future__ import annotations

from whatif.benchmarks.mucr.report import Mucr
from whatif.benchmarks.mucr.schemas import CONTEXT
from whatif.benchmarks.mucr.score_plot import Row, score_plot
from whatif.results.reporting.declared import Figure

_PANEL = "chosen image among rejected siblings, and C2E"


def _series(row: Row) -> str:
    return "chosen image" if row["metric"] == CONTEXT else str(row["metric"])


FIGURE: Figure[Mucr] = Figure(
    lambda found, tables: score_plot(tables["context"], lambda row: _PANEL, _series, [_PANEL]), above="context"
)
