"""The figures of a benchmark: their files, their page, and what other pages show of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from whatif.results.site.assets import render
from whatif.results.site.layout import page
from whatif.results.site.sources import BenchmarkSource, Publish

if TYPE_CHECKING:
    from markupsafe import Markup

_LENGTH = re.compile(rb'<svg[^>]*?\swidth="([\d.]+)pt"\sheight="([\d.]+)pt"', re.DOTALL)
_PIXELS = 96 / 72  # of a point
_TITLE = re.compile(rb"<title>([^<]+)</title>")


@dataclass(frozen=True)
class Figure:
    """One figure: file name, title, the tables below it (name -> title), and its size as HTML attributes."""

    file: str
    title: str
    alt: str
    size: Markup
    tables: Mapping[str, str]
    data: str  # name of a CSV file with its numbers; empty if there is none

    @property
    def stem(self) -> str:
        """The file name without suffix, which is also its anchor on the page."""
        return PurePosixPath(self.file).stem

    @property
    def path(self) -> str:
        """Its path in the folder of the benchmark's pages."""
        return f"figures/{self.file}"

    @property
    def links(self) -> list[tuple[str, str]]:
        """Texts and paths of its links: the file, its data, the tables that it is of."""
        found = [("SVG", self.path)]
        if self.data:
            found.append(("Data (CSV)", f"tables/{self.data}"))
        return found + [(f"Table “{title}”", f"tables.html#{name}") for name, title in self.tables.items()]


def figures_of(source: BenchmarkSource) -> list[Figure]:
    """The figures of a benchmark: those above tables first, in the order of the tables, then the others by name."""
    above: dict[str, dict[str, str]] = {}
    for row in source.printed:
        if row["figure"]:
            above.setdefault(row["figure"], {})[row["table"]] = row["title"]
    order = [*(name for name in above if name in source.figures), *sorted(set(source.figures) - set(above))]
    return [_figure(source, file, above.get(file, {})) for file in order]


def figures_page(source: BenchmarkSource, figures: Sequence[Figure]) -> str:
    """The page with all figures of a benchmark."""
    body = render("figures.html", title=source.title, figures=figures)
    return page(f"{source.title}: figures", body, depth=1, active=source.name)


def publish_figures(source: BenchmarkSource, figures: Sequence[Figure], publish: Publish) -> None:
    """Writes the files of the figures."""
    for figure in figures:
        publish(f"{source.name}/{figure.path}", source.figures[figure.file])


def _figure(source: BenchmarkSource, file: str, tables: Mapping[str, str]) -> Figure:
    content = source.figures[file]
    stem = PurePosixPath(file).stem
    own = _TITLE.search(content)
    title = unescape(own[1].decode()) if own else _title(stem, list(tables.values()), source.title)
    data = next((f"{name}.csv" for name in (stem, *tables) if f"{name}.csv" in source.files), "")
    of_tables = f"; its numbers are in the table “{next(iter(tables.values()))}”" if tables else ""
    return Figure(file, title, f"{source.title}, figure “{title}”{of_tables}", _size(content), tables, data)


def _title(stem: str, tables: Sequence[str], benchmark: str) -> str:
    """A figure's title: that of its only table, or its file name as words."""
    if len(tables) == 1:
        return tables[0]
    words = re.sub(r"(?<=[a-z])(?=\d)", " ", stem.replace("-", " ").replace("_", " "))
    return f"{benchmark}: {words}" if words else benchmark


def _size(content: bytes) -> Markup:
    """Width and height in pixels as HTML attributes, so that a page does not move while it loads; may be empty."""
    from markupsafe import Markup

    found = _LENGTH.search(content)
    if found is None:
        return Markup()
    width, height = (round(float(value) * _PIXELS) for value in found.groups())
    return Markup(f' width="{width}" height="{height}"')


def figure_above(figures: Sequence[Figure], row: Mapping[str, Any]) -> Figure | None:
    """The figure above a printed table; None if there is none."""
    return next((figure for figure in figures if row["figure"] and figure.file == row["figure"]), None)
