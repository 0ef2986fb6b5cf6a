"""`snakemake --report` after a whole run: one file with the tables and figures of each benchmark."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.pipeline.checkouts import Checkout

pytestmark = pytest.mark.pipeline
BENCHMARK = "cvqa-synthetic"


def shown_in(html: str, script: str) -> dict[str, dict[str, Any]]:
    """What the report keeps in one of its scripts: `results` by path, or `categories` with the paths in them."""
    found: dict[str, dict[str, Any]]
    found, _ = json.JSONDecoder().raw_decode(html, html.index("{", html.index(f'<script id="{script}">')))
    return found


def test_the_report_holds_every_table_and_figure_and_runs_nothing(checkout: Checkout) -> None:
    before = checkout.results()
    checkout.run("snakemake", "--report", "report.html")
    html = (checkout.path / "report.html").read_text(encoding="utf-8")
    results = shown_in(html, "results")
    published = {path for path in before if path.startswith(f"metrics/{BENCHMARK}/")}
    shown = {path for path in published if path.endswith((".csv", ".svg", "/report.md"))}
    assert set(results) == shown
    listed = shown_in(html, "categories")
    assert set(listed) == {BENCHMARK} and set(listed[BENCHMARK]) == {"Tables", "Figures", "Report"}
    assert sorted(path for paths in listed[BENCHMARK].values() for path in paths) == sorted(shown)
    assert all(entry["caption"] for entry in results.values())
    for path in (f"metrics/{BENCHMARK}/paired.csv", f"metrics/{BENCHMARK}/paired.svg"):
        assert base64.b64decode(results[path]["data_uri"].partition("base64,")[2]) == before[path]
    assert checkout.results() == before
