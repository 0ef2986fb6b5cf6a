"""The page of a benchmark's item browser; its scripts fill it from the data files (see `item_files`)."""

from __future__ import annotations

from whatif.results.site.assets import render
from whatif.results.site.layout import page
from whatif.results.site.sources import BenchmarkSource

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


def item_page(source: BenchmarkSource) -> str:
    """The page of a benchmark as HTML; it expects the files of `write_item_files` beside it."""
    body = render("items.html", title=source.title, sides=_SIDES, statuses=_STATUSES, keys=_KEYS)
    return page(f"{source.title}: items", body, depth=1, scripts=SCRIPTS, styles=STYLES, active=source.name)
