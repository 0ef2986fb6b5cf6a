"""Figure 6 of MuCR: images, of the paper's small models and the best popular one (hollow), and of our models."""

from __future__ import annotations

from collections.abc import Mapping

from whatif.benchmarks.mucr.report import Mucr
from whatif.benchmarks.mucr.reported import SMALL, classes
from whatif.benchmarks.mucr.schemas import MAIN_FORM, SCORES
from whatif.benchmarks.mucr.score_plot import Row, score_plot, text_or_images
from whatif.results.reporting.declared import Figure
from whatif.results.reporting.table import OURS, Table

_NEXT_TO = "GPT-o1"  # with which Figure 6 compares the small models


def _draw(found: Mucr, tables: Mapping[str, Table]) -> bytes:
    small = {system for system, its_class in classes().items() if its_class == SMALL}

    def is_shown(row: Row) -> bool:
        shown = row["model"] if row["source"] == OURS else row["name"] in (*small, _NEXT_TO)
        return row["form"] == MAIN_FORM and bool(shown)

    return score_plot(tables["table6"], lambda row: str(row["metric"]), text_or_images, SCORES, is_shown)


FIGURE = Figure(_draw, above="table6")
