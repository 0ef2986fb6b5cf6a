"""What is in Snakemake's report."""

from __future__ import annotations

from whatif import benchmarks
from whatif.engine.workflow.report_entries import report_entry


def test_tables_figures_and_one_page_of_each_benchmark_are_in_the_report() -> None:
    (step,) = [step for step in benchmarks.benchmark("cfmm").steps if step.publishes]
    found = {path: entry for path in step.text_files if (entry := report_entry(path, step))}
    assert set(found) == {
        path for path in step.text_files if path.endswith((".csv", ".svg")) or path.endswith("/report.md")
    }
    entry = found["metrics/cfmm/table3.csv"]
    assert (entry.category, entry.subcategory, entry.labels) == ("cfmm", "Tables", {"name": "table3"})
    assert all(entry.caption.is_file() for entry in found.values())


def test_artifacts_are_not_in_the_report() -> None:
    for step in benchmarks.benchmark("cfmm").steps:
        assert all(report_entry(path, step) is None for path in step.paths.values())
