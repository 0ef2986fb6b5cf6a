"""The page of an audit: escaped, without network, readable in light and dark and on narrow screens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.results.auditing.benchmarks import pairs
from tests.results.site.chromium import Open
from whatif.results.auditing.audit import How, audit
from whatif.results.auditing.benchmark import read_rows
from whatif.results.auditing.page import page
from whatif.results.auditing.prune import Pruned

HOSTILE = "<script>alert(1)</script>{{ 7 * 7 }}&" + "long" * 40


@pytest.fixture(scope="module")
def html() -> str:
    rows = pairs(40, share=1.0)
    for row in rows:
        row["question"] = f"{HOSTILE} {row['question']}"
        row["category"] = HOSTILE
    benchmark = read_rows(HOSTILE, rows)
    found = audit(benchmark.items, How(folds=3))
    pruned = Pruned(benchmark.items, [], found, found, found, 0, "")
    return page(
        name=HOSTILE,
        source="CSV",
        columns=benchmark.recognised,
        notes=[HOSTILE],
        items=benchmark.items,
        found=found,
        confidence=0.95,
        pruned=pruned,
    )


def test_the_page_needs_no_network_and_runs_nothing(html: str) -> None:
    assert re.findall(r"https?:|<script|<link(?! rel=.icon. href=.data:,.>)|@import|url\(", html) == []
    assert "&lt;script&gt;alert(1)&lt;/script&gt;{{ 7 * 7 }}&amp;" in html and "49" not in re.findall(
        r"\}\}|49&amp;", html
    )


def test_the_page_shows_every_rule_and_the_most_guessable_items(html: str) -> None:
    assert html.count('<svg viewBox="0 0 100 14"') == html.count('class="chance"') >= 10
    assert html.count("<li><p><b>") == 20 and "Right by: " in html and "above chance" in html
    assert "Nothing had to be dropped" in html


@pytest.mark.process
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(open_page: Open, html: str, tmp_path: Path, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    (tmp_path / "audit.html").write_text(html, encoding="utf-8")
    opened = open_page(tmp_path / "audit.html", color_scheme=scheme)
    found = axe.Axe().run(opened, options={"preload": False}).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


@pytest.mark.process
def test_the_page_never_scrolls_sideways(open_page: Open, html: str, tmp_path: Path) -> None:
    (tmp_path / "audit.html").write_text(html, encoding="utf-8")
    opened = open_page(tmp_path / "audit.html", width=360, height=700)
    assert opened.evaluate("document.documentElement.scrollWidth") == 360
