"""Figures that every benchmark draws from tables of the same name: the funnel, the drops, the letters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from whatif.results.reporting.table import Table

# Tables with a figure of the same name, as SVG. Steps declare these files, so nothing heavy is imported here.
DRAWN = frozenset({"funnel", "letters", "paired", "prompt-sensitivity"})


def standard_figures(tables: Iterable[Table], title: str) -> Mapping[str, bytes]:
    """The figures of those tables that have one, by the name of the table."""
    from whatif.results.reporting.forest_plot import drops_figure
    from whatif.results.reporting.funnel_plot import funnel_plot, stages_of
    from whatif.results.reporting.letters_plot import letters_plot
    from whatif.results.reporting.prompt_sensitivity import sensitivity_figure

    draw: Mapping[str, Callable[[pd.DataFrame], bytes]] = {
        "funnel": lambda frame: funnel_plot(stages_of(frame), f"{title}: funnel"),
        "letters": letters_plot,
        "paired": lambda frame: drops_figure(frame, f"{title}: drops"),
        "prompt-sensitivity": lambda frame: sensitivity_figure(frame, title),
    }
    return {table.name: draw[table.name](table.frame) for table in tables if table.name in DRAWN}
