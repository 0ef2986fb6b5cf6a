"""Figure 8: C2E of our models and of people by style."""

from __future__ import annotations

from whatif.benchmarks.mucr.results import Results
from whatif.benchmarks.mucr.score_dots import one_panel
from whatif.results.reporting.declared import Figure

FIGURE: Figure[Results] = Figure(
    lambda found, tables: one_panel("C2E by style", tables["styles"], "style"), above="styles"
)
