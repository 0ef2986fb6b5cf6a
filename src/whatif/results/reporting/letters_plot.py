"""How often each model chose each letter, beside the share that chance would give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whatif.results.reporting.dot_plot import Dot, dot_plot
from whatif.results.reporting.table import OURS

if TYPE_CHECKING:
    import pandas as pd

_AXIS = "share of answers (%)"


def letters_plot(frame: pd.DataFrame) -> bytes:
    """An SVG of the tidy frame of the table `letters`: a panel for each variant, a row for each model.

    A model without a preference for a letter has all of its dots at the dashed line. The same frame gives the same
    bytes.
    """
    shares = frame[(frame["measure"] == "share") & (frame["source"] == OURS) & frame["value"].notna()]
    panels: dict[str, dict[str, dict[str, Dot]]] = {}
    for row in shares.to_dict("records"):
        panel = panels.setdefault(f"{row['variant']} questions", {})
        panel.setdefault(row["name"], {})[row["answer"]] = Dot(row["value"])
    letters = shares["answer"].nunique()
    return dot_plot(panels, _AXIS, chance=100 / letters if letters else None)
