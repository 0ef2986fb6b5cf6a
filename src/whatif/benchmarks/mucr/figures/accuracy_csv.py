"""The points of `dvc plots`, reported ones first: mean score in text and in images, in percent.

A system without one of the six scores has no point.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean

from whatif.benchmarks.mucr.outcomes import SCORE
from whatif.benchmarks.mucr.report import Mucr
from whatif.benchmarks.mucr.schemas import MAIN_FORM, SCORES, TEXT
from whatif.results.reporting.declared import Figure
from whatif.results.reporting.table import OURS, Table, to_csv


def _points(found: Mucr, tables: Mapping[str, Table]) -> bytes:
    import pandas as pd

    frame = tables["table6"].frame
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
    return to_csv(pd.DataFrame(points, columns=["model", "name", "source", "text", "images"])).encode()


FIGURE = Figure(_points)
