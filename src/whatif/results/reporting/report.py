"""The text files of a benchmark's results: headline metrics, tidy tables, rendered tables, and a report."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from whatif.results.reporting.headline_numbers import PAIRED, dvc_numbers, numbers_in, paired_systems, summary_of
from whatif.results.reporting.rendering import to_html, to_latex, to_markdown
from whatif.results.reporting.standard_figures import DRAWN, standard_figures
from whatif.results.reporting.table import Table, to_csv
from whatif.results.reporting.table_modules import SUFFIXES

Headline = Mapping[str, Any]  # nested by key of model, table or group; the leaves are numbers


@dataclass(frozen=True)
class Report:
    """All results of a benchmark.

    headline: a few numbers for each model, without lists and text.
    files: further files by name: figures, plot data.
    figures: the figure above a table, by the table's name; the figure with the name `""` is at the top. Tables of some
        names are drawn without being named here (`standard_figures`).
    closing: Markdown after the last table.
    """

    title: str
    tables: Sequence[Table]
    headline: Headline
    files: Mapping[str, bytes] = field(default_factory=dict)
    figures: Mapping[str, str] = field(default_factory=dict)
    closing: str = ""


def text_files(
    benchmark: str, report: Report, models: Iterable[str] = (), measures: Sequence[str] = ()
) -> dict[str, bytes]:
    """Every file of a report: path relative to the project's root -> content.

    models: the keys of those that have a file of a few numbers, for `dvc metrics show`. measures: of models without
    pairs (`summary_of`).
    """
    folder = f"metrics/{benchmark}"
    printed = {table.name: to_markdown(table) for table in report.tables}
    page = _page(report, printed).encode()
    made = {f"metrics/{benchmark}.json": _json(report.headline), f"{folder}/report.md": page}
    made |= {f"{folder}/{name}": content for name, content in report.files.items()}
    drawn = standard_figures(report.tables, report.title)
    made |= {f"{folder}/{name}.svg": content for name, content in drawn.items()}
    for table in report.tables:
        texts = (to_csv(table.frame), printed[table.name], to_latex(table))
        made |= {f"{folder}/{table.name}.{suffix}": text.encode() for suffix, text in zip(SUFFIXES, texts, strict=True)}
    paired = paired_systems(made.get(f"{folder}/{PAIRED}", b"").decode().splitlines(keepends=True))
    few = dvc_numbers(summary_of(paired, list(numbers_in(report.headline)), measures), models)
    return made | {f"{folder}/summary/{model}.json": _json(numbers) for model, numbers in few.items()}


def printed_rows(report: Report) -> Iterator[dict[str, Any]]:
    """Rows of the table `printed-tables`: each table of a report as HTML, with the name of the figure above it."""
    for position, table in enumerate(report.tables):
        figure = _figure_of(report, table) or ""
        named = {"position": position, "table": table.name, "title": table.title}
        yield {**named, "html": to_html(table), "figure": figure}


def _page(report: Report, printed: Mapping[str, str]) -> str:
    """All tables as one Markdown text."""
    parts = [f"# {report.title}\n", *_figure(report.title, report.figures.get(""))]
    for table in report.tables:
        parts += [f"## {table.title}\n", *_figure(table.title, _figure_of(report, table)), printed[table.name]]
    return "\n".join([*parts, *([f"{report.closing}\n"] if report.closing else [])])


def _figure_of(report: Report, table: Table) -> str | None:
    """The file name of the figure above a table; None if there is none."""
    return report.figures.get(table.name) or (f"{table.name}.svg" if table.name in DRAWN else None)


def _figure(title: str, file: str | None) -> Iterable[str]:
    return [f"![{title}]({file})\n"] if file else []


def _json(numbers: Headline) -> bytes:
    return (json.dumps(numbers, indent=2, sort_keys=True, allow_nan=False) + "\n").encode()
