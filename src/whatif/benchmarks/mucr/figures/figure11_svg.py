"""Figure 11: how often the chosen effect image is found among its rejected siblings, of ours, beside C2E."""

from __future__ import annotations

from whatif.benchmarks.mucr.results import CHANCE, Results
from whatif.benchmarks.mucr.schemas import CONTEXT
from whatif.benchmarks.mucr.score_dots import AXIS, Panels, dot, label, scores
from whatif.results.reporting.declared import Figure
from whatif.results.reporting.dot_plot import dot_plot
from whatif.results.reporting.table import Table


def _drawn(context: Table) -> bytes:
    panels: Panels = {"chosen image among rejected siblings, and C2E": {}}
    (panel,) = panels.values()
    for row in scores(context):
        name = "chosen image" if row["metric"] == CONTEXT else row["metric"]
        panel.setdefault(label(row), {})[name] = dot(row)
    return dot_plot(panels, AXIS, chance=CHANCE)


FIGURE: Figure[Results] = Figure(lambda found, tables: _drawn(tables["context"]), above="context")
