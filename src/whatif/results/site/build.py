"""Writes the whole site."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whatif.results.site.assets import publish_static, render
from whatif.results.site.examples import Example
from whatif.results.site.figures import figures_of, figures_page, publish_figures
from whatif.results.site.item_files import write_item_files
from whatif.results.site.layout import Entry, page, with_navigation
from whatif.results.site.overview import Summary, benchmark_page, overview_page, summary
from whatif.results.site.printed_html import in_regions
from whatif.results.site.result_tables import publish_tables, tables_page
from whatif.results.site.sources import BenchmarkSource, Publish, PublishPicture

if TYPE_CHECKING:
    from markupsafe import Markup

SCRIPTS = ("assets/item_filters.js", "assets/item_view.js", "assets/items.js")
STYLES = ("assets/items.css",)

# Values of the filter by status: as in assets/item_filters.js.
_STATUSES = (
    ("", "any"),
    ("right", "right"),
    ("not-right", "not right"),
    ("wrong", "wrong"),
    ("none", "no answer"),
    ("error", "error"),
    ("not-asked", "not asked"),
)
_SIDES = (
    ("original", "On the original"),
    ("counterfactual", "On the counterfactual"),
    ("answers", "Answer"),
)
_KEYS = (
    ("j or →", "next item; in the list, j: next entry"),
    ("k or ←", "previous item; in the list, k: previous entry"),
    ("Enter", "opens the entry, or enlarges the picture"),
    ("← and →", "previous and next picture while one is enlarged"),
    ("/", "search"),
    ("Escape", "closes a dialog; from an item, back to the list"),
    ("?", "this help"),
)


@dataclass(frozen=True)
class ExtraPage:
    """A page about several benchmarks: its path below the folder of the site, its title, and its content.

    body: markup without a heading above `h2`, and without scrolling regions around its tables.
    """

    path: str
    title: str
    body: Markup


def build(
    sources: Sequence[BenchmarkSource],
    publish: Publish,
    publish_picture: PublishPicture,
    extra: Sequence[ExtraPage] = (),
    note: str = "",
) -> None:
    """Writes all pages, their data, pictures, styles and scripts; the same sources give the same files.

    Benchmarks and further pages are in the given order. `note` is a sentence at the top of each page. Raises ValueError
    when two pages have the same path.
    """
    entries = [Entry(one.name, f"{one.name}/index.html", one.title, one.parts) for one in sources]
    entries += [Entry(one.path, one.path, one.title) for one in extra]
    if len(paths := [entry.path for entry in entries]) != len(set(paths)):
        raise ValueError(f"two pages of the site have the same path: {', '.join(sorted(paths))}")

    def put(path: str, html: str) -> None:
        publish(path, with_navigation(html, path, entries, note).encode())

    publish_static(publish)
    summaries: list[Summary] = []
    examples: dict[str, Example] = {}
    for source in sources:
        figures = figures_of(source)
        summaries.append(summary(source, figures))
        publish_figures(source, figures, publish)
        publish_tables(source, publish)
        put(f"{source.name}/tables.html", tables_page(source, figures))
        put(f"{source.name}/figures.html", figures_page(source, figures))
        worse = None
        if len(source.items):
            put(f"{source.name}/items.html", item_page(source))
            found = write_item_files(source, _below(source.name, publish), _below(source.name, publish_picture))
            worse = found.worse
            if found.example is not None:
                examples[source.name] = found.example
        put(f"{source.name}/index.html", benchmark_page(source, summaries[-1], figures, worse))
    put("index.html", overview_page(summaries, examples))
    for one in extra:
        put(one.path, _extra_page(one))


def _extra_page(one: ExtraPage) -> str:
    body = render("extra.html", title=one.title, body=in_regions(one.body, one.title))
    return page(one.title, body, depth=one.path.count("/"), active=one.path)


def _below(folder: str, publish: Publish) -> Publish:
    """Writes files with paths relative to a folder."""
    return lambda path, data: publish(f"{folder}/{path}", data)


def item_page(source: BenchmarkSource) -> str:
    """The page of a benchmark as HTML; it expects the files of `write_item_files` beside it."""
    body = render("items.html", title=source.title, sides=_SIDES, statuses=_STATUSES, keys=_KEYS)
    return page(f"{source.title}: items", body, depth=1, scripts=SCRIPTS, styles=STYLES, active=source.name)
