"""A site with the results of two small benchmarks: one of pairs, one without."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from markupsafe import Markup

from tests.results.site.example_items import paired as items_of_pairs
from whatif.results.reporting.funnel import FunnelStage, funnel
from whatif.results.reporting.report import Report, printed_rows
from whatif.results.reporting.shortcuts import shortcuts
from whatif.results.reporting.svg import new_figure, svg
from whatif.results.reporting.table import Column, Table, View, tidy, to_csv
from whatif.results.site.build import ExtraPage, build
from whatif.results.site.sources import BenchmarkSource
from whatif.scoring.shortcuts.audit import Shortcut

HOSTILE = '<script>alert("x")</script> & more'
IDENTITY = ("model", "name", "source", "group", "measure", "published")
FURTHER = "<table><caption>Sums &amp; means</caption><tr><th>A</th></tr></table><table><tr><th>B</th></tr></table>"
Row = dict[str, Any]


def measured(name: str, measure: str, value: float, *, group: str = "all", width: float = 5.0) -> Row:
    """One of our numbers with its interval."""
    place = {"model": name.lower(), "name": name, "source": "ours", "group": group, "measure": measure}
    return {**place, "value": value, "low": value - width, "high": value + width, "n": 200}


def reported(name: str, measure: str, published: str, *, group: str = "all") -> Row:
    """A paper's number."""
    place = {"name": name, "source": "reported", "group": group, "measure": measure}
    return {**place, "published": published, "value": float(published)}


def pairs() -> list[Row]:
    """Rows of the table `paired`: two systems of ours and a reported one, over all pairs and in one group."""
    rows = []
    for name, original, counterfactual in (("Alpha", 90.0, 40.0), (HOSTILE, 60.0, 70.0)):
        for group in ("all", "counts"):
            both = (("original", original), ("counterfactual", counterfactual), ("drop", original - counterfactual))
            rows += [measured(name, measure, value, group=group) for measure, value in both]
    shares = (("original", "80.5"), ("counterfactual", "55.25"), ("drop", "25.25"))
    return rows + [reported("Alpha", measure, value, group="counts") for measure, value in shares]


def table(name: str, title: str, rows: list[Row]) -> Table:
    """A table that prints the column `value` of every measure."""
    measures = dict.fromkeys(row["measure"] for row in rows)
    columns = tuple(Column(measure.capitalize(), measure, interval=True) for measure in measures)
    view = View(f"{title} in percent.", {"name": "System", "source": "From", "group": "Group"}, columns)
    return Table(name, title, tidy(rows, IDENTITY), (view,))


def of_pairs() -> BenchmarkSource:
    """A benchmark with everything: pairs, reported numbers, an audit, a funnel, a figure, items and views."""
    found = [
        table("paired", "Pairs", pairs()),
        table(
            "table1", f"Accuracy {HOSTILE}", [measured("Alpha", "original", 90.0), reported("Beta", "original", "9")]
        ),
        shortcuts({"ours": [Shortcut("letter", "original", "A", 30, 100), Shortcut("rank", "original", "1", 40, 100)]}),
        funnel(
            [
                FunnelStage("extract", "images", 10, 8, {"too small": 2}),
                FunnelStage("evaluate alpha", "questions", 16, 15, {"none": 1}),
            ]
        ),
    ]
    figure = svg(lambda: new_figure(3, 2))
    report = Report("Pairs of things", found, {}, {"drops.svg": figure}, {"paired": "drops.svg"})
    items = items_of_pairs()
    return replace(source("bench", report), items=items.items, views=items.views, picture=items.picture)


def source(name: str, report: Report) -> BenchmarkSource:
    """A benchmark as the step of the site reads it, without items."""
    texts = {f"{one.name}.csv": to_csv(one.frame).encode() for one in report.tables}
    files: Mapping[str, bytes] = {**report.files, **texts, "report.md": f"# {report.title}\n".encode()}
    return BenchmarkSource(
        name=name,
        title=report.title,
        about="" if name == "bare" else f"What {HOSTILE} is.",
        frames={one.name: one.frame for one in report.tables},
        printed=[*printed_rows(report)],
        figures={file: data for file, data in files.items() if file.endswith(".svg")},
        files=files,
        items=[],
        views=[],
        picture=lambda image_id: b"",
    )


def bare() -> BenchmarkSource:
    """A benchmark with one table and nothing else."""
    return source("bare", Report("Bare", [table("set", "The set", [measured("Alpha", "size", 3.0)])], {}))


def write_results(folder: Path) -> dict[str, bytes]:
    """Builds a site of both benchmarks with a further page; returns its files by path."""
    files: dict[str, bytes] = {}

    def publish(path: str, data: bytes) -> None:
        assert path not in files, f"{path} is written twice"
        files[path] = data
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)

    further = ExtraPage("contradictions.html", "Contradictions", Markup(FURTHER))
    build([of_pairs(), bare()], publish, publish, [further])
    return files
