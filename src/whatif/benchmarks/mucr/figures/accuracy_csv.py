"""The points of `dvc plots`, reported ones first: mean score in text and in images, in percent.

Columns: model, name, source, text, images. A system without one of the six scores has no point.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from whatif.benchmarks.mucr.results import SCORE, Results
from whatif.benchmarks.mucr.schemas import MAIN_FORM, SCORES, TEXT
from whatif.results.reporting.declared import Figure
from whatif.results.reporting.table import OURS, Table, to_csv

if TYPE_CHECKING:
    import pandas as pd


def _points(main: Table) -> pd.DataFrame:
    import pandas as pd

    frame = main.frame
    cells: dict[tuple[str, str, str], dict[tuple[str, str], float]] = {}
    for row in frame[frame["measure"] == SCORE].to_dict("records"):
        place = (row["model"] or row["name"], row["name"], row["source"])
        cells.setdefault(place, {})[row["form"], row["metric"]] = row["value"]
    points = [
        (*place, *(round(fmean(scores[form, metric] for metric in SCORES), 4) for form in (TEXT, MAIN_FORM)))
        for place, scores in cells.items()
        if len(scores) == 2 * len(SCORES)
    ]
    points.sort(key=lambda point: point[2] == OURS)
    return pd.DataFrame(points, columns=["model", "name", "source", "text", "images"])


FIGURE: Figure[Results] = Figure(lambda found, tables: to_csv(_points(tables["table6"])).encode(), above=None)
