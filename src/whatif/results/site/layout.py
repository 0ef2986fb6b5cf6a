"""The frame that all pages of the site share, and the navigation of a page, which depends on all pages.

A page is rendered alone. Its frame has a place for the navigation, which `with_navigation` fills in when all pages are
known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from whatif.results.site.assets import render

OVERVIEW = "overview"  # `active` of the first page
FOOT = (
    "Built by whatif from the results of one run. Every number follows from its sources by the dependency graph; the "
    "tables link to their data."
)
PARTS = {"index": "Summary", "tables": "Tables", "figures": "Figures", "items": "Items"}
"""Pages of a benchmark by the stem of their file, with their names for readers."""

_PLACE = re.compile(r"<!--navigation ([\w./-]*)-->")


@dataclass(frozen=True)
class Entry:
    """A link of the main navigation: `active` of its pages, its path below the site's folder, and its text.

    parts: the stems of the pages of a benchmark, of those in `PARTS`.
    """

    active: str
    path: str
    text: str
    parts: Sequence[str] = tuple(PARTS)


def page(
    title: str,
    body_html: str,
    *,
    depth: int,
    scripts: Sequence[str] = (),
    styles: Sequence[str] = (),
    active: str = "",
    foot: str = FOOT,
) -> str:
    """A page as HTML with a place for the navigation.

    body_html: markup, which is not escaped again. depth: how many folders below the site's folder the page is.
    `scripts` and `styles` are paths below the site's folder; scripts run when the page has been read. `active`: the
    name of the page's benchmark, or the path of another page. `foot` is the text below the content.
    """
    root = "../" * depth
    given = {"title": title, "body": body_html, "scripts": scripts, "styles": styles, "active": active, "foot": foot}
    return str(render("page.html", root=root, **given))


def with_navigation(html: str, path: str, entries: Sequence[Entry], note: str = "") -> str:
    """A page of `page` with its header: main navigation, breadcrumbs, and links to the pages of the same benchmark.

    path: the page's own path below the site's folder. note: a sentence below the header, about the whole site. Raises
    ValueError if the page has no place for the navigation.
    """
    place = _PLACE.search(html)
    if place is None:
        raise ValueError(f"{path}: was not made by `page`, and has no place for the navigation")
    active = next((entry for entry in entries if entry.active == place[1]), None)
    folder, _, file = path.rpartition("/")
    parts = {f"{stem}.html": PARTS[stem] for stem in active.parts} if active and folder else {}
    header = render(
        "navigation.html",
        root="../" * path.count("/"),
        entries=entries,
        active=active,
        overview=place[1] == OVERVIEW,
        parts=parts,
        file=file,
        note=note,
    )
    return f"{html[: place.start()]}{header}{html[place.end() :]}"
