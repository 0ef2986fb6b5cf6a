"""Figure 14: C2E of our models and of people by language of the question."""

from __future__ import annotations

from whatif.benchmarks.mucr.results import CHANCE, Results
from whatif.benchmarks.mucr.schemas import TEXT
from whatif.benchmarks.mucr.score_dots import AXIS, Panels, dot, label, scores
from whatif.results.reporting.declared import Figure
from whatif.results.reporting.dot_plot import dot_plot
from whatif.results.reporting.table import Table


def _drawn(language: Table) -> bytes:
    panels: Panels = {}
    for row in scores(language):
        panel = panels.setdefault("C2E in text" if row["form"] == TEXT else "C2E in images", {})
        panel.setdefault(label(row), {})[row["language"]] = dot(row)
    return dot_plot(panels, AXIS, chance=CHANCE)


FIGURE: Figure[Results] = Figure(lambda found, tables: _drawn(tables["language"]), above="language")
