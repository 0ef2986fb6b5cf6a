"""Figure 8 of MuCR: C2E of our models and of people by style."""

from __future__ import annotations

from whatif.benchmarks.mucr.report import Mucr
from whatif.benchmarks.mucr.score_plot import score_plot
from whatif.results.reporting.declared import Figure

_PANEL = "C2E by style"
FIGURE: Figure[Mucr] = Figure(
    lambda found, tables: score_plot(tables["styles"], lambda row: _PANEL, lambda row: str(row["style"]), [_PANEL]),
    above="styles",
)
