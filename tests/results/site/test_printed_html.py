"""Printed tables as the site shows them."""

from __future__ import annotations

from tests.results.site.example_results import HOSTILE, measured, reported, table
from whatif.results.reporting.rendering import to_html
from whatif.results.reporting.table import Table
from whatif.results.site.printed_html import dressed

ROWS = [
    measured("1-shot", "original", 90.0),
    measured(HOSTILE, "original", -60.0),
    reported("Beta", "original", "9.50"),
]


def test_numbers_are_aligned_and_text_is_not() -> None:
    html = dressed(to_html(table("t", "T", ROWS)), "T")
    assert '<td class="n">90.0 (85.0 to 95.0)</td>' in html
    assert '<td class="n">-60.0 (-65.0 to -55.0)</td>' in html
    assert '<th scope="row" class="long">1-shot</th>' in html
    assert '<th scope="col" class="n">Original</th>' in html
    assert '<th scope="col" class="long">System</th>' in html
    assert '<th scope="col" class="short">From</th>' in html


def test_reported_rows_are_distinct() -> None:
    html = dressed(to_html(table("t", "T", ROWS)), "T")
    assert html.count('<tr class="reported">') == 1
    assert html.split('<tr class="reported">')[1].startswith('<th scope="row" class="long">Beta</th>')


def test_text_stays_escaped() -> None:
    html = dressed(to_html(table("t", "T", ROWS)), 'A "label" <b>')
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert 'aria-label="A &quot;label&quot; &lt;b&gt;"' in html


def test_each_view_scrolls_in_a_region_with_its_own_name() -> None:
    one = table("t", "T", ROWS)
    html = dressed(to_html(Table("t", "T", one.frame, one.views * 2)), "T")
    assert html.count('tabindex="0" role="region"') == 2
    assert 'aria-label="T, part 1"' in html
    assert 'aria-label="T, part 2"' in html
    assert html.count("<p>") == 2


def test_an_empty_cell_is_no_row_header() -> None:
    rows = [measured("Alpha", "size", 3.0), {"source": "ours", "group": "all", "measure": "size", "value": 4.0}]
    html = dressed(to_html(table("t", "T", rows)), "T")
    assert '<td class="short"></td><td class="short">ours</td>' in html
