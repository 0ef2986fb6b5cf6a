"""The plot of original against counterfactual accuracy."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from tests.defaults import ROOT
from whatif.results.reporting import plots
from whatif.results.reporting.plots import Point, accuracy_scatter
from whatif.results.reporting.svg import STYLE

pytestmark = pytest.mark.slow

ROWS = [
    Point("InstructBLIP", "InstructBLIP (Vicuna-7B)", "reported", 26.9, 25.7),
    Point("random", "random", "ours", 24.7, 25.4, 23.2, 26.3, 23.9, 27.0),
    Point("tiny", "tiny_llava <0> & $x$", "ours", 71.2, 33.9, 69.5, 72.8, 32.2, 35.6),
]


@pytest.mark.process
def test_the_same_rows_give_the_same_bytes_in_another_process() -> None:
    here = accuracy_scatter(ROWS, 25.0, "C-VQA-Synthetic")
    code = (
        f"import sys; from {__name__} import ROWS, accuracy_scatter; "
        "sys.stdout.buffer.write(accuracy_scatter(ROWS, 25.0, 'C-VQA-Synthetic'))"
    )
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, cwd=ROOT).stdout
    assert here == there
    assert accuracy_scatter(ROWS[::-1], 25.0, "C-VQA-Synthetic") != here


def test_it_is_an_svg_without_a_date_and_without_fonts() -> None:
    text = accuracy_scatter(ROWS, 25.0, "C-VQA-Synthetic").decode()
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "dc:date" not in text
    assert root.find(".//{http://www.w3.org/2000/svg}text") is None


def test_the_settings_of_others_are_left_alone() -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    accuracy_scatter(ROWS, 25.0, "C-VQA-Synthetic")
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("rows", [[], ROWS[:1], [Point("m", "m", "ours", 100, 0, 99, 100, 0, 1)]])
def test_few_points_and_points_at_the_edge(rows: list[Point]) -> None:
    assert ElementTree.fromstring(accuracy_scatter(rows, 25.0, "edge")).tag.endswith("}svg")
    points = [line for line in plots._draw(rows, 25.0, "edge").axes[0].lines if line.get_marker() == "o"]
    assert len(points) == len([row for row in rows if row.source == "ours"])


def drawn_names(rows: list[Point]) -> tuple[list[str], list[Any]]:
    """The names in the column beside the plot, and the boxes of their texts."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    with mpl.rc_context(STYLE):
        figure = plots._draw(rows, 25.0, "names")
        figure.draw_without_rendering()  # places the names
        renderer = FigureCanvasAgg(figure).get_renderer()
        names = figure.axes[0].texts
        return [name.get_text() for name in names], [Text.get_window_extent(name, renderer) for name in names]


@pytest.mark.parametrize("number", [1, 9, 60])
def test_every_point_is_named_and_no_name_covers_another(number: int) -> None:
    """Also where many points are at the same position, or more names than the usual height holds."""
    rows = [Point(f"m{n}", f"model {n}", "ours", 40 + 3 * (n % 3), 40 + (n // 9)) for n in range(number)]
    names, boxes = drawn_names(rows)
    assert sorted(names) == sorted(row.name for row in rows)
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_wide_intervals_stay_behind_points() -> None:
    """With a few pairs the bars cross the whole plot; they are paler than the points, and drawn before them."""
    import matplotlib as mpl

    rows = [Point(f"m{n}", f"model {n}", "ours", 40 + n, 40, 15, 70, 10, 75) for n in range(0, 20, 5)]
    with mpl.rc_context(STYLE):
        axes = plots._draw(rows, None, "few pairs").axes[0]
        points = [line for line in axes.lines if line.get_marker() == "o"]
        bars = [bar for container in axes.containers for bar in container.get_children() if bar is not None]
    assert len(points) == len(rows) and len(bars) == 2 * len(rows)
    assert all(bar.get_zorder() < point.get_zorder() for bar in bars for point in points)
    assert all((bar.get_alpha() or 1) <= 0.5 for bar in bars)


def _texts(layer: dict[str, Any]) -> list[dict[str, Any]]:
    """What the labels of a plot show, in layers within layers too."""
    own = [layer["encoding"]["text"]] if "text" in layer.get("encoding", {}) else []
    return own + [text for inner in layer.get("layer", []) for text in _texts(inner)]


def test_dvc_plots_names_every_model() -> None:
    from dvc_render import VegaRenderer

    described = yaml.safe_load((ROOT / "dvc.yaml").read_text("utf-8"))["plots"]
    (path, options), *others = described[0].items()
    assert not others and (ROOT / ".dvc" / "plots" / f"{options['template']}.json").is_file()
    points = [{**{key: str(value) for key, value in asdict(row).items()}, "rev": "workspace"} for row in ROWS]
    renderer = VegaRenderer(points, path, template_dir=str(ROOT / ".dvc" / "plots"), **options)
    drawn = renderer.get_filled_template()
    texts = [text["field"] for text in _texts(drawn)]
    assert set(texts) == {"name"}
    assert [point["name"] for point in drawn["data"]["values"]] == [row.name for row in ROWS]
    assert drawn["title"]["text"] == options["title"]
    assert "<DVC_METRIC" not in json.dumps(drawn)
