"""The page with every table of a benchmark, and ours beside the reported numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whatif.results.site.assets import counted, render
from whatif.results.site.comparison import VERDICTS, Comparison, comparison
from whatif.results.site.figures import Figure, figure_above
from whatif.results.site.layout import page
from whatif.results.site.printed_html import dressed, own_rows
from whatif.results.site.sources import BenchmarkSource, Publish

if TYPE_CHECKING:
    from markupsafe import Markup

FORMATS: Mapping[str, str] = {"csv": "CSV", "md": "Markdown", "tex": "LaTeX"}
"""Suffixes of the texts of a table, with their names for readers."""
_DATA = ".csv"


@dataclass(frozen=True)
class ShownTable:
    """A table as the page shows it. `files` are texts and paths of links to its texts."""

    name: str
    title: str
    html: Markup
    figure: Figure | None
    files: Sequence[tuple[str, str]]
    comparison: Comparison | None

    @property
    def has_reported(self) -> bool:
        """Whether a row of the printed table is a paper's."""
        return 'class="reported"' in self.html


@dataclass(frozen=True)
class MainTable:
    """The first table of a benchmark: its name, title and text, and the rows of ours of its first view as a table."""

    name: str
    title: str
    text: Markup
    html: Markup


def main_table(source: BenchmarkSource) -> MainTable | None:
    """The first table of a benchmark, reduced to our rows; None if it has no such row."""
    for row in source.printed[:1]:
        if found := own_rows(row["html"], f"{source.title}, {row['title']}: ours"):
            return MainTable(row["table"], row["title"], *found)
    return None


def tables_page(source: BenchmarkSource, figures: Sequence[Figure]) -> str:
    """The page with all tables of a benchmark."""
    tables = [_shown(source, row, figures) for row in source.printed]
    body = render("tables.html", title=source.title, tables=tables, compared=_compared(tables), verdicts=VERDICTS)
    return page(f"{source.title}: tables", body, depth=1, active=source.name)


def publish_tables(source: BenchmarkSource, publish: Publish) -> None:
    """Writes the texts of all tables, and the data of figures."""
    texts = {f"{row['table']}.{suffix}" for row in source.printed for suffix in FORMATS}
    for name in sorted(source.files):
        if name in texts or name.endswith(_DATA):
            publish(f"{source.name}/tables/{name}", source.files[name])


def _shown(source: BenchmarkSource, row: Mapping[str, Any], figures: Sequence[Figure]) -> ShownTable:
    name = row["table"]
    files = [
        (text, f"tables/{name}.{suffix}") for suffix, text in FORMATS.items() if f"{name}.{suffix}" in source.files
    ]
    found = comparison(source.frames[name]) if name in source.frames else None
    label = f"{source.title}, {row['title']}"
    return ShownTable(name, row["title"], dressed(row["html"], label), figure_above(figures, row), files, found)


def _compared(tables: Sequence[ShownTable]) -> str:
    """One sentence on all comparisons; empty if no table has reported numbers."""
    found = [table.comparison for table in tables if table.comparison]
    if not found:
        return ""
    cells, marked = sum(len(one.cells) for one in found), sum(one.marked for one in found)
    tables_have = counted(len(found), "table has", "tables have")
    if not cells:
        return (
            f"{tables_have} reported numbers. None of them is of a system of ours, so nothing is compared; "
            "below each table is what was reported."
        )
    return (
        f"{tables_have} reported numbers; {counted(cells, 'number of ours stands', 'numbers of ours stand')} beside a "
        f"reported one, and {marked:,} of them {'differs' if marked == 1 else 'differ'}."
    )
