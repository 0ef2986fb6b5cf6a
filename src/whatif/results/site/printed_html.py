"""Printed tables as the site shows them: each in its own scrolling region, with row headers and aligned numbers.

The input is what `whatif.results.reporting.rendering.to_html` writes, in which all text is escaped; so all tags are its
own.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markupsafe import Markup

_TABLE = re.compile(r"<table.*?</table>", re.DOTALL)
_CAPTION = re.compile(r"<caption[^>]*>(.*?)</caption>", re.DOTALL)
_ROW = re.compile(r"<tr.*?</tr>", re.DOTALL)
_CELL = re.compile(r"<t[hd][^>]*>(.*?)</t[hd]>", re.DOTALL)
_NUMBER = re.compile(r"(&lt; )?[-+−]?\d[\d.,]*(e[-+]?\d+)?%?( \(.*\))?")
_ALIGNED, _WRAPPED, _WHOLE = ' class="n"', ' class="long"', ' class="short"'
_SHORT = 16  # characters; longer text wraps
_REPORTED = frozenset({"reported", "Reported"})


def dressed(html: str, label: str) -> Markup:
    """The views of a printed table. `label` names the scrolling regions for screen readers; they are numbered."""
    from markupsafe import Markup

    count = len(_TABLE.findall(html))
    numbers = iter(range(1, count + 1))

    def one(found: re.Match[str]) -> str:
        number = next(numbers)
        name = label if count == 1 else f"{label}, part {number}"
        return region(_table(found[0]), name)

    return Markup(_TABLE.sub(one, html))


def own_rows(html: str, label: str) -> tuple[Markup, Markup] | None:
    """The text above the first view of a printed table, and that view without the rows of papers; None without rows."""
    from markupsafe import Markup

    if (found := _TABLE.search(html)) is None:
        return None
    header, *body = _ROW.findall(found[0])
    ours = [row for row in body if not _of_paper(_CELL.findall(row))]
    if not ours:
        return None
    return Markup(html[: found.start()]), Markup(region(_table("".join([header, *ours])), label))


def region(table: str, label: str) -> str:
    """A table in a region that scrolls by itself, and that the keyboard can reach."""
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}">\n{table}\n</div>'


def in_regions(html: str, label: str) -> Markup:
    """Markup with each of its tables in a scrolling region, named after its caption, or after `label` and its place."""
    from markupsafe import Markup

    numbers = iter(range(1, len(_TABLE.findall(html)) + 1))

    def one(found: re.Match[str]) -> str:
        number, caption = next(numbers), _CAPTION.search(found[0])
        name = Markup(caption[1]).striptags() if caption else f"{label}, table {number}"
        return region(found[0], name)

    return Markup(_TABLE.sub(one, html))


def _table(html: str) -> str:
    header, *body = [_CELL.findall(row) for row in _ROW.findall(html)]
    classes = [_class([row[place] for row in body]) for place in range(len(header))]
    head = "".join(f'<th scope="col"{classes[place]}>{cell}</th>' for place, cell in enumerate(header))
    rows = [f"<tr{_of_paper(row)}>{_cells(row, classes)}</tr>" for row in body]
    return "\n".join(["<table>", f"<thead><tr>{head}</tr></thead>", "<tbody>", *rows, "</tbody>", "</table>"])


def _cells(row: list[str], classes: list[str]) -> str:
    """The cells of a row; the first is its header unless it is a number or empty."""
    first, *others = row
    kind = "td" if classes[0] == _ALIGNED or not first else "th"
    scope = "" if kind == "td" else ' scope="row"'
    start = f"<{kind}{scope}{classes[0]}>{first}</{kind}>"
    return start + "".join(f"<td{classes[place]}>{cell}</td>" for place, cell in enumerate(others, start=1))


def _of_paper(row: list[str]) -> str:
    return ' class="reported"' if _REPORTED.intersection(row) else ""


def _class(cells: list[str]) -> str:
    """The class of a column: numbers are aligned, and columns of long text are not squeezed to single words."""
    given = [cell for cell in cells if cell]
    if given and all(_NUMBER.fullmatch(cell) for cell in given):
        return _ALIGNED
    return _WRAPPED if max(map(len, given), default=0) > _SHORT else _WHOLE
