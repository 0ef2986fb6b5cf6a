"""Reads the pages of a built site: dead links, ids that occur twice, images without text alternative."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page refers to, its ids, and its images and figures without text alternative."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.references: list[str] = []
        self.ids: list[str] = []
        self.without_text: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.references += [value for name in ("href", "src") if (value := given.get(name))]
        if "hidden" not in given:  # what is hidden may be filled in by a script
            self.references += [f"#{name}" for name in (given.get("aria-labelledby") or "").split()]
        if given.get("id"):
            self.ids.append(str(given["id"]))
        is_silent = tag == "svg" and given.get("aria-hidden") != "true" and not given.get("aria-label")
        if (tag == "img" and "src" in given and not given.get("alt")) or is_silent:
            self.without_text.append(f"{tag} {given.get('src', '')}".strip())


def faults(folder: Path) -> list[str]:
    """One line for each fault of the pages in a folder; a fragment with `=` is a state of a page, not an anchor."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    return [f"{path.relative_to(folder)}: {fault}" for path in pages for fault in _of_page(path, pages)]


def _of_page(path: Path, pages: dict[Path, Page]) -> Iterator[str]:
    page = pages[path]
    for reference in page.references:
        parts = urlsplit(reference)
        if parts.scheme == "data":
            continue
        if parts.scheme or parts.netloc or reference.startswith("/"):
            yield f"{reference} leads out of the site"
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not target.is_file():
            yield f"{reference} does not exist"
        elif parts.fragment and "=" not in parts.fragment and parts.fragment not in pages[target].ids:
            yield f"{reference} has no such anchor"
    yield from (f"the id {one} occurs {count} times" for one, count in Counter(page.ids).items() if count > 1)
    yield from (f"{one} has no text alternative" for one in page.without_text)
