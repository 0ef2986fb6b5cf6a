"""Figure 14 of MuCR: C2E of our models and of people by language of the question."""

from __future__ import annotations

from whatif.benchmarks.mucr.report import Mucr
from whatif.benchmarks.mucr.score_plot import score_plot, text_or_images
from whatif.results.reporting.declared import Figure

FIGURE: Figure[Mucr] = Figure(
    lambda found, tables: score_plot(
        tables["language"], lambda row: f"C2E in {text_or_images(row)}", lambda row: str(row["language"])
    ),
    above="language",
)
