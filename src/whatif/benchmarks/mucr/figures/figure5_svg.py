"""Figure 5: text and images, of the paper's popular models and people (hollow), and of ours."""

from __future__ import annotations

from whatif.benchmarks.mucr.reported import SMALL, classes
from whatif.benchmarks.mucr.results import Results
from whatif.benchmarks.mucr.score_dots import scores, text_and_images
from whatif.results.reporting.declared import Figure
from whatif.results.reporting.table import OURS, Table


def _drawn(table6: Table) -> bytes:
    known = classes()
    rows = [row for row in scores(table6) if row["source"] == OURS or known[row["name"]] != SMALL]
    return text_and_images(rows)


FIGURE: Figure[Results] = Figure(lambda found, tables: _drawn(tables["table6"]), above="")
