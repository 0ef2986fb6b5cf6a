"""acc_b and acc_c of reported systems and of ours with totals, as means over the categories in percent."""

from __future__ import annotations

from collections.abc import Mapping

from whatif.benchmarks.cfmm.item_views import system_name
from whatif.benchmarks.cfmm.measures import MEAN, TOTAL, Row
from whatif.benchmarks.cfmm.report import Cfmm
from whatif.benchmarks.cfmm.reported import reported
from whatif.formats.cfmm_items import CATEGORIES
from whatif.results.reporting.declared import Figure
from whatif.results.reporting.plots import Point, points_csv
from whatif.results.reporting.table import OURS, REPORTED, Table


def _points(found: Cfmm, tables: Mapping[str, Table]) -> bytes:
    by_system: dict[tuple[str, str], dict[str, Row]] = {}
    for row in reported():
        if row["category"] == TOTAL:
            mean = {**row, "value": round(row["value"] / len(CATEGORIES), 4)}
            by_system.setdefault((row["name"], row["strategy"]), {})[row["measure"]] = mean
    points = [_point(name, REPORTED, of_system) for (name, _), of_system in by_system.items()]
    for (model, _), rows in found.measured.items():
        if means := {row["measure"]: row for row in rows if row["category"] == MEAN}:
            points.append(_point(model, OURS, means))
    return points_csv(points)


def _point(model: str, source: str, rows: Mapping[str, Row]) -> Point:
    before, after = rows["acc_b"], rows["acc_c"]
    ends = [row.get(end) for row in (before, after) for end in ("low", "high")]
    label = system_name(before["name"], before["strategy"])
    return Point(model, label, source, before["value"], after["value"], *ends)


FIGURE = Figure(_points)
