"""Pages of the flipped items with their pictures, as files that need no network."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from whatif.engine.artifacts.images import ImageStore, suffix_of
from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import write_whole
from whatif.results.comparison.flips import LOST, Flip
from whatif.results.comparison.report import Report
from whatif.results.site.assets import asset
from whatif.results.site.layout import Entry, page, with_navigation

FOOT = "Built by whatif diff from the results of both sides."

BODY = """<h1>{{ title }}</h1>
<dl class="sides"><dt>A</dt><dd>{{ a }}</dd><dt>B</dt><dd>{{ b }}</dd></dl>
{% if total %}
<p class="note">Items {{ first }} to {{ last }} of {{ total }} whose answer is right on one side only.</p>
{% else %}
<p class="note">No answer is right on one side only.</p>
{% endif %}
{% macro pager(label) %}{% if pages > 1 %}<nav class="pager" aria-label="{{ label }}">
{% if before %}<a rel="prev" href="{{ before }}">Previous page</a>{% endif %}
<span>Page {{ page }} of {{ pages }}</span>
{% if after %}<a rel="next" href="{{ after }}">Next page</a>{% endif %}
</nav>{% endif %}{% endmacro %}
{{ pager("Pages") }}
{% for flip in flips %}
<article class="flip" id="item-{{ loop.index }}">
<h2>{{ flip.item }}: <span class="{{ 'wrong' if flip.lost else 'right' }}">{{ flip.direction }}</span></h2>
<p class="note">{{ flip.of }}</p>
{% if flip.pictures %}<div class="pictures">
{% for picture in flip.pictures %}
<img src="{{ picture }}" alt="Picture {{ loop.index }} of {{ flip.item }}" loading="lazy">
{% endfor %}</div>{% endif %}
{% if flip.question %}<p>{{ flip.question }}</p>{% endif %}
{% if flip.choices %}<ul class="choices">
{% for choice in flip.choices %}<li>{{ choice }}</li>{% endfor %}</ul>{% endif %}
{% if flip.right %}<dl>
<dt>Right answer</dt><dd>{{ flip.right }}</dd>
<dt>A</dt><dd class="{{ 'right' if flip.lost else 'wrong' }}">{{ flip.answer_a }}</dd>
<dt>B</dt><dd class="{{ 'wrong' if flip.lost else 'right' }}">{{ flip.answer_b }}</dd>
</dl>{% endif %}
</article>
{% endfor %}
{{ pager("Pages, at the end") }}
"""

STYLE = """.flip { border-top: 1px solid var(--line); padding: 1rem 0; break-inside: avoid; overflow-wrap: anywhere; }
.flip h2 { font-size: 1.05rem; }
.flip .right { color: var(--right); }
.flip .wrong { color: var(--wrong); }
.flip .pictures { display: flex; flex-wrap: wrap; gap: .5rem; }
.flip .pictures img { max-width: min(100%, 16rem); height: auto; background: #ffffff; }
.flip .choices { list-style: none; display: flex; flex-wrap: wrap; gap: 0 1.2rem; padding: 0; color: var(--muted); }
.flip dl, .sides { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 1rem; margin: .5rem 0; }
.flip dt, .sides dt { color: var(--muted); }
.flip dd, .sides dd { margin: 0; overflow-wrap: anywhere; }
.pager { display: flex; flex-wrap: wrap; gap: 1rem; padding: .5rem 0; }
"""
_ON_A_PAGE = 200  # items
_ASSETS = "assets"
_FROM_SITE = ("site.css", "theme.js")  # files of the site's frame
_STYLE = f"{_ASSETS}/flips.css"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
_LONGEST_NAME = 80


def write_pages(site: Path, report: Report, flips: Sequence[Flip], name: str | None = None) -> Path:
    """Writes the pages of flipped items below `site/comparisons/NAME/`; returns the first page.

    `name` is made of the names of both sides if it is not given. Pages and pictures of an earlier comparison of this
    name that are not written again are deleted. Raises WhatifError when `name` is not lower-case words joined by
    hyphens.
    """
    chosen = name if name is not None else _slug(f"{report.a.name} to {report.b.name}")
    if not _NAME.fullmatch(chosen):
        raise WhatifError(f"--name {chosen}: must be lower-case letters, digits and hyphens")
    folder = site / "comparisons" / chosen
    pictures = _Pictures(folder, report)
    parts = [flips[start : start + _ON_A_PAGE] for start in range(0, len(flips), _ON_A_PAGE)] or [[]]
    frame = _Frame(site, chosen, report)
    written = {
        folder / _page(number): frame.around(_page(number), _body(report, parts, number, len(flips), pictures)).encode()
        for number in range(len(parts))
    }
    written |= {folder / _ASSETS / name: asset(name) for name in _FROM_SITE}
    written[folder / _STYLE] = STYLE.encode()
    for path, data in written.items():
        write_whole(path, data)
    for old in [*folder.glob("*.html"), *folder.glob("pictures/*")]:
        if old not in written and old not in pictures.written:
            old.unlink()
    return folder / _page(0)


class _Frame:
    """The frame of the site around a page. Styles and scripts lie beside the pages, which need no site.

    The navigation leads to the first page of the site and to those of the compared benchmarks, if they are there.
    Without a site it leads to the first page of the comparison.
    """

    def __init__(self, site: Path, name: str, report: Report) -> None:
        self._title = f"Flipped items: {report.a.name} and {report.b.name}"
        self._folder = f"comparisons/{name}/" if (site / "index.html").is_file() else ""
        names = sorted({pair.a.key.benchmark for pair in report.compared}) if self._folder else []
        paths = {one: f"{one}/index.html" for one in names}
        self._entries = [Entry(one, path, one) for one, path in paths.items() if (site / path).is_file()]

    def around(self, page_name: str, body: str) -> str:
        """The whole page."""
        html = page(self._title, body, depth=0, styles=(_STYLE,), foot=FOOT)
        return with_navigation(html, f"{self._folder}{page_name}", self._entries)


def _body(report: Report, parts: Sequence[Sequence[Flip]], number: int, total: int, pictures: _Pictures) -> str:
    from jinja2 import Environment

    template = Environment(autoescape=True, trim_blocks=True, keep_trailing_newline=True).from_string(BODY)
    first = number * _ON_A_PAGE
    return template.render(
        title="Flipped items",
        a=report.a.name,
        b=report.b.name,
        first=first + 1,
        last=first + len(parts[number]),
        total=total,
        page=number + 1,
        pages=len(parts),
        before=_page(number - 1) if number else "",
        after=_page(number + 1) if number + 1 < len(parts) else "",
        flips=[_item(flip, pictures) for flip in parts[number]],
    )


def _item(flip: Flip, pictures: _Pictures) -> Mapping[str, Any]:
    options = [f"{letter}: {choice}" for letter, choice in zip(_LETTERS, flip.choices, strict=False)]
    return {
        "item": flip.item,
        "direction": flip.direction,
        "lost": flip.direction == LOST,
        "of": ", ".join(filter(None, [flip.benchmark, flip.evaluation, flip.variant, flip.group])),
        "pictures": pictures.of(flip),
        "question": flip.question,
        "choices": options,
        "right": flip.right,
        "answer_a": flip.answer_a,
        "answer_b": flip.answer_b,
    }


class _Pictures:
    """The pictures of items as files below the folder of the pages, named by the hash of their bytes."""

    def __init__(self, folder: Path, report: Report) -> None:
        self._folder = folder
        self.written: set[Path] = set()
        self._names: dict[str, str] = {}
        paths: dict[str, dict[Path, None]] = {}
        for pair in report.compared:
            for side in (pair.a, pair.b):
                paths.setdefault(side.key.benchmark, {}).update(dict.fromkeys(side.inputs("images")))
        self._paths = paths
        self._stores: dict[str, ImageStore] = {}

    def of(self, flip: Flip) -> list[str]:
        """The addresses of an item's pictures, relative to its page; those that no artifact has are left out."""
        if flip.benchmark not in self._stores:
            self._stores[flip.benchmark] = ImageStore(list(self._paths[flip.benchmark]))
        store = self._stores[flip.benchmark]
        return [self._written(store, image_id) for image_id in _known(store, flip.image_ids)]

    def _written(self, store: ImageStore, image_id: str) -> str:
        if image_id not in self._names:
            data = store.encoded(image_id)
            self._names[image_id] = f"pictures/{hashlib.sha256(data).hexdigest()[:32]}{suffix_of(data)}"
            path = self._folder / self._names[image_id]
            if not path.exists():
                write_whole(path, data)
            self.written.add(path)
        return self._names[image_id]


def _known(store: ImageStore, image_ids: Iterable[str]) -> list[str]:
    return [image_id for image_id in dict.fromkeys(image_ids) if image_id in store]


def _page(number: int) -> str:
    return "index.html" if number == 0 else f"page-{number + 1}.html"


def _slug(text: str) -> str:
    """The text as a name of a folder; a long one ends with a hash, so that different texts stay different."""
    slug = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "comparison"
    if len(slug) <= _LONGEST_NAME:
        return slug
    return f"{slug[:_LONGEST_NAME]}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
