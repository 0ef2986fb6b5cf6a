"""The text files of a report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from whatif.results.reporting.rendering import WIDTH, to_markdown
from whatif.results.reporting.report import Report, text_files
from whatif.results.reporting.table import Column, Table, View, from_csv, tidy

ROOT = Path(__file__).parents[3]
FRAME = tidy([{"model": "m", "measure": "accuracy", "value": 71.25}], ("model", "measure"))
TABLE = Table("table9", "Accuracy", FRAME, (View("Accuracy.", {"model": "Model"}, (Column("Right", "accuracy"),)),))
REPORT = Report(
    "A Benchmark",
    [TABLE],
    {"m": {"accuracy": 71.25}},
    {"figure.svg": b"<svg/>"},
    {"": "figure.svg", "table9": "other.svg"},
    "The end.",
)


def test_a_report_is_the_headline_the_tables_in_each_form_and_all_of_them_on_a_page() -> None:
    files = text_files("bench", REPORT)
    assert set(files) == {
        "metrics/bench.json",
        *(f"metrics/bench/{name}" for name in ("report.md", "figure.svg", "table9.csv", "table9.md", "table9.tex")),
    }
    assert json.loads(files["metrics/bench.json"]) == {"m": {"accuracy": 71.25}}
    assert from_csv(files["metrics/bench/table9.csv"].decode()).equals(FRAME)
    assert files["metrics/bench/table9.md"].decode() == to_markdown(TABLE)
    page = files["metrics/bench/report.md"].decode()
    assert to_markdown(TABLE) in page
    order = [
        "# A Benchmark",
        "![A Benchmark](figure.svg)",
        "## Accuracy",
        "![Accuracy](other.svg)",
        "| m ",
        "The end.\n",
    ]
    assert sorted(order, key=page.index) == order


def test_each_model_has_a_file_of_a_few_numbers_with_its_first_strategy() -> None:
    rows = [
        {
            "model": "pairs",
            "name": "A",
            "source": "ours",
            "strategy": strategy,
            "group": group,
            "measure": measure,
            "value": value,
        }
        for strategy, more in (("plain", 0), ("cot", 9))
        for group in ("", "a group")
        for measure, value in (("original", 80.5 + more), ("counterfactual", 60.125 + more), ("drop", 20.375))
    ]
    paired = Table("paired", "Pairs", tidy(rows, ("model", "name", "source", "strategy", "group", "measure")), ())
    of_another = {"plain": {"second": 2, "first": 1}, "cot": {"first": 9}}
    headline = {"pairs": {"first": 5}, "other": of_another, "text": {"plain": {"second": 3}}, "People": {"first": 7}}
    files = text_files(
        "bench", Report("A", [paired], headline), ("none", "other", "pairs", "text"), ("first", "second")
    )
    found = {path: json.loads(data) for path, data in files.items() if "/summary/" in path}
    assert found == {
        "metrics/bench/summary/none.json": {},
        "metrics/bench/summary/other.json": {"score": 1},
        "metrics/bench/summary/pairs.json": {"counterfactual": 60.12, "drop": 20.38},
        "metrics/bench/summary/text.json": {"score": 3},
    }


def test_a_number_that_json_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        text_files("bench", Report("A", [], {"m": {"accuracy": float("nan")}}))


@pytest.mark.parametrize(
    "path", sorted((ROOT / "metrics").rglob("*.md")), ids=lambda path: path.parent.name + path.stem
)
def test_every_printed_table_of_the_default_run_fits(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > WIDTH] == []
