"""The funnel, drops and letters that every benchmark draws from its tables."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from tests.defaults import ROOT
from whatif.results.reporting import funnel_plot
from whatif.results.reporting.funnel import FunnelStage, funnel
from whatif.results.reporting.letters_plot import letters_plot
from whatif.results.reporting.report import Report, printed_rows, text_files
from whatif.results.reporting.svg import STYLE
from whatif.results.reporting.table import Table, tidy
from whatif.results.reporting.table_modules import table_files

STAGES = [
    FunnelStage("extract", "images", 40, 40),
    FunnelStage("filter", "pairs", 200, 150, {"blurred": 30, "same $noun$": 15, "short": 5}),
    FunnelStage("evaluate m", "questions", 0, 0),
]
PLACE = ("model", "name", "source", "strategy", "group", "measure")


def drop(name: str, value: float | None, **more: Any) -> dict[str, Any]:
    given = {"low": value and value - 2, "high": value and value + 2, "source": "ours"} | more
    return {"model": name, "name": name, "measure": "drop", "value": value, **given}


def paired(*rows: dict[str, Any]) -> Table:
    return Table("paired", "Paired", tidy(rows, PLACE), ())


def labels(figure: Any, axis: int = 0) -> list[str]:
    return [label.get_text() for label in figure.axes[axis].get_yticklabels()]


def test_a_report_draws_and_names_the_figures_of_its_tables() -> None:
    report = Report("Ours", [funnel(STAGES), paired(drop("a", 3.0))], {})
    files = text_files("ours", report)
    assert {path for path in files if path.endswith(".svg")} == {"metrics/ours/funnel.svg", "metrics/ours/paired.svg"}
    assert "![Funnel](funnel.svg)" in files["metrics/ours/report.md"].decode()
    assert [row["figure"] for row in printed_rows(report)] == ["funnel.svg", "paired.svg"]
    declared = {f"metrics/ours/{name}" for name in table_files([table.name for table in report.tables])}
    assert declared == set(files) - {"metrics/ours.json", "metrics/ours/report.md"}


def test_another_table_has_no_figure() -> None:
    other = Table("other", "Other", tidy([{"measure": "in", "value": 1}], ("measure",)), ())
    assert [row["figure"] for row in printed_rows(Report("Ours", [other], {}))] == [""]
    assert table_files(["other"]) == ("other.csv", "other.md", "other.tex")


def test_the_funnel_shows_what_came_in_and_why_the_rest_was_rejected() -> None:
    import matplotlib as mpl

    stages = funnel_plot.stages_of(funnel(STAGES).frame)
    assert [(stage.name, stage.came_in, stage.went_on) for stage in stages] == [
        ("extract", 40, 40),
        ("filter", 200, 150),
        ("evaluate m", 0, 0),
    ]
    with mpl.rc_context(STYLE):
        figure = funnel_plot._draw(stages[:2], "Ours")
    bars: Any = figure.axes[0].patches  # those of what went on, then those of what was rejected
    assert [bar.get_width() for bar in bars] == [100.0, 75.0, 0.0, 25.0]
    assert labels(figure) == ["extract", "filter"]
    beside = [funnel_plot._written(stage) for stage in stages[:2]]
    assert beside == ["40 of 40 images", "150 of 200 pairs; blurred 30, same $noun$ 15, 1 more reasons"]
    assert ElementTree.fromstring(funnel_plot.funnel_plot(stages, "Ours")).tag.endswith("}svg")


def test_letters_have_a_panel_for_each_variant() -> None:
    rows = [
        {"name": name, "source": "ours", "variant": variant, "measure": "share", "answer": letter, "value": 50.0}
        for name in ("m", "other")
        for variant in ("original", "counterfactual")
        for letter in "AB"
    ]
    frame = tidy(rows, ("name", "source", "variant", "measure", "answer"))
    assert letters_plot(frame) == letters_plot(frame.copy())
    assert letters_plot(frame) != letters_plot(frame[frame["name"] == "m"])
    assert ElementTree.fromstring(letters_plot(frame.iloc[:0])).tag.endswith("}svg")


def declared() -> list[tuple[str, dict[str, str]]]:
    plots = yaml.safe_load((ROOT / "dvc.yaml").read_text("utf-8"))["plots"]
    found = [next(iter(plot.items())) for plot in plots]
    return [(path, options) for path, options in found if options["template"] in ("drops", "funnel", "letters")]


@pytest.mark.parametrize(("path", "options"), declared())
def test_dvc_plots_has_the_standard_figures_of_both_revisions(path: str, options: dict[str, str]) -> None:
    from dvc_render import VegaRenderer

    rows = list(csv.DictReader((ROOT / path).read_text("utf-8").splitlines()))
    points = [{**row, "rev": revision} for revision in ("HEAD", "workspace") for row in rows]
    renderer = VegaRenderer(points, path, template_dir=str(ROOT / ".dvc" / "plots"), **options)
    drawn = renderer.get_filled_template()
    text = json.dumps(drawn)
    assert "<DVC_" not in text and len(drawn["data"]["values"]) == len(points)
    assert drawn["title"]["text"] == f"{Path(path).parent.name}: {options['title'].partition(': ')[2]}"
    assert options["y"] in rows[0] and options["x"] in rows[0]


@pytest.mark.parametrize("template", ["drops", "groups"])
def test_revisions_in_dvc_plots_differ_in_shape_and_colour(template: str) -> None:
    drawn = json.loads((ROOT / ".dvc" / "plots" / f"{template}.json").read_text("utf-8"))
    layers = drawn["layer"] if "layer" in drawn else drawn["spec"]["layer"]
    [points] = [layer for layer in layers if layer["mark"]["type"] == "point"]
    assert points["encoding"]["shape"]["field"] == points["encoding"]["color"]["field"] == "rev"
    # A symbol would be drawn at the end of an interval if it had a shape.
    assert all("shape" not in layer["encoding"] for layer in layers if layer is not points)
