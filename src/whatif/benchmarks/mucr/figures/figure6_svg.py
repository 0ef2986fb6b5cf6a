"""Figure 6: images, of the paper's small models and the best popular one (hollow), and of our models."""

from __future__ import annotations

from whatif.benchmarks.mucr.reported import SMALL, classes
from whatif.benchmarks.mucr.results import Results
from whatif.benchmarks.mucr.schemas import MAIN_FORM
from whatif.benchmarks.mucr.score_dots import scores, text_and_images
from whatif.results.reporting.declared import Figure
from whatif.results.reporting.table import OURS, Table

_NEXT_TO = "GPT-o1"  # with which the figure compares the small models


def _drawn(table6: Table) -> bytes:
    known = classes()
    rows = [
        row
        for row in scores(table6)
        if row["form"] == MAIN_FORM
        and (known[row["name"]] == SMALL or row["name"] == _NEXT_TO if row["source"] != OURS else row["model"])
    ]
    return text_and_images(rows)


FIGURE: Figure[Results] = Figure(lambda found, tables: _drawn(tables["table6"]), above="table6")
