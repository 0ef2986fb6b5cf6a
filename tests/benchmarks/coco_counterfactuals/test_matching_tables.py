"""Figure 3 of COCO-Counterfactuals: its numbers and its drawing."""

from __future__ import annotations

import subprocess
import sys
from itertools import combinations
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.defaults import ROOT
from tests.frames import check, printed, row, value
from whatif.benchmarks.coco_counterfactuals import matching_tables as coco_counterfactuals_matching
from whatif.benchmarks.coco_counterfactuals.matching_tables import (
    MARGINS,
    MatchingMargins,
    margin_distributions,
    matching_margins,
)
from whatif.engine.errors import WhatifError
from whatif.results.reporting.svg import STYLE, new_figure, svg

pytestmark = pytest.mark.slow

SETTINGS = SimpleNamespace(confidence=0.95)


def match(number: int, margin: float, model: str = "m") -> dict[str, Any]:
    """IR of side 1 is `margin`, TR twice that."""
    scores = {"caption_0_image_0": 0.5, "caption_0_image_1": 1 - 2 * margin, "caption_1_image_0": 1 - margin}
    return {"pair_id": f"p{number:02d}", "model": model, **scores, "caption_1_image_1": 1.0, "status": "ok"}


def failed(number: int) -> dict[str, Any]:
    return {**dict.fromkeys(match(number, 0.0)), "pair_id": f"p{number:02d}", "model": "m", "status": "error"}


RANDOM = [match(number, 0.5 + number / 64) for number in range(40)]
COUNTERFACTUAL = [*(match(number, (number - 10) / 64) for number in range(40)), failed(40), failed(41)]


def made(random: Any = RANDOM, counterfactual: Any = COUNTERFACTUAL, photographs: Any = None) -> MatchingMargins:
    names = {"m": "M_1 $x$ <&>"}
    return matching_margins(random, counterfactual, photographs=photographs or {}, settings=SETTINGS, names=names)


def test_margins_are_those_of_the_paper_and_below_zero_is_wrong() -> None:
    found = made()
    assert list(dict.fromkeys(found.table.frame["margin"])) == list(MARGINS) == ["IR_r", "TR_r", "IR_c", "TR_c"]
    np.testing.assert_allclose(found.values["m"]["IR_c"], [(number - 10) / 64 for number in range(40)])
    np.testing.assert_allclose(found.values["m"]["TR_c"], [(number - 10) / 32 for number in range(40)])
    np.testing.assert_allclose(found.values["m"]["IR_r"], [0.5 + number / 64 for number in range(40)])
    of_c = {"model": "m", "margin": "IR_c"}
    assert [value(found.table, measure=measure, **of_c) for measure in ("pairs", "errors", "equal")] == [40, 2, 1]
    assert value(found.table, measure="median", **of_c) == pytest.approx(9.5 / 64, abs=1e-6)
    below = row(found.table, measure="below zero", **of_c)
    assert below["value"] == 25 and 10 < below["low"] < 25 < below["high"] < 45
    assert value(found.table, measure="below zero", model="m", margin="TR_r") == 0
    rows = printed(found.table)
    assert [(one["Model"], one["Margin"], one["Pairs"]) for one in rows] == [
        ("M_1 $x$ <&>", name, "40") for name in MARGINS
    ]
    assert (rows[2]["Median"], rows[2]["Equal"], rows[2]["Errors"]) == ("0.1484", "1", "2")
    check(found.table)


def test_cosines_are_also_in_logits_where_the_factor_is_known() -> None:
    names = {"m": "CLIP", "n": "Other"}
    rows = [*COUNTERFACTUAL, *(match(number, 0.25, "n") for number in range(4))]
    found = matching_margins([], rows, photographs={}, settings=SETTINGS, names=names, logits={"m": 100.0})
    of = {"model": "m", "margin": "IR_c"}
    assert value(found.table, measure="median in logits", **of) == pytest.approx(100 * 9.5 / 64, abs=1e-3)
    told = {(one["Model"], one["Margin"]): one["Median in logits"] for one in printed(found.table)}
    assert told["CLIP", "IR_c"] == "14.84" and told["Other", "IR_c"] == ""
    assert "cosines" in found.table.views[0].note and "cosines" not in made().table.views[0].note
    assert "Median in logits" not in printed(made().table)[0]
    check(found.table)


def test_pairs_of_a_photograph_go_together() -> None:
    rows = [match(number, 0.1 if number < 20 else -0.1) for number in range(40)]
    together = made([], rows, {f"p{number:02d}": f"{number // 5}" for number in range(40)})
    of = {"measure": "below zero", "margin": "IR_c"}
    apart, ends = row(made([], rows).table, **of), row(together.table, **of)
    assert ends["value"] == apart["value"] == 50
    assert ends["high"] - ends["low"] > 1.5 * (apart["high"] - apart["low"])


def test_nothing_scored_is_a_row_without_numbers() -> None:
    found = made([], [failed(1)])
    rows = printed(found.table)
    assert [one["Margin"] for one in rows] == ["IR_c", "TR_c"]
    assert list(rows[0].values()) == ["M_1 $x$ <&>", "IR_c", "0", "", "", "", "1"]
    ElementTree.fromstring(margin_distributions(found.values, {"m": "M"}))


def test_a_row_of_an_unknown_model_is_refused() -> None:
    with pytest.raises(WhatifError, match=r"model 'x' is not in params\.yaml"):
        made([match(0, 1.0, "x")])


def drawing() -> bytes:
    found = made()
    return margin_distributions({**found.values, "n": found.values["m"]}, {"m": "M_1 $x$ $\\bad$ <&>", "n": "N"})


@pytest.mark.process
def test_the_same_values_give_the_same_bytes_in_another_process() -> None:
    code = (
        "import sys; from tests.benchmarks.coco_counterfactuals.test_matching_tables import drawing; "
        "sys.stdout.buffer.write(drawing())"
    )
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, cwd=ROOT).stdout
    assert drawing() == there
    assert ElementTree.fromstring(there).tag.endswith("svg")
    other = made(counterfactual=RANDOM)
    assert margin_distributions(other.values, {"m": "M"}) != margin_distributions(made().values, {"m": "M"})


def test_nothing_is_cut_off_and_no_text_covers_another() -> None:
    """The size of the drawing follows its texts, which are wider than a panel where a model has a long name."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    names = {"m": "ViLT (B/32, fine-tuned on the retrieval task of MS-COCO)", "n": "Embedded CLIP"}
    values = {model: made().values["m"] for model in names}
    with mpl.rc_context(STYLE):
        figure = coco_counterfactuals_matching._draw(values, names)
        renderer = FigureCanvasAgg(figure).get_renderer()
        figure.draw(renderer)
        whole = figure.bbox
        texts = [text for text in figure.findobj(Text) if text.get_text() and text.get_visible()]
        boxes = {text.get_text(): text.get_window_extent(renderer) for text in texts if not is_tick(text.get_text())}
    assert all(box.x0 >= 0 and box.x1 <= whole.x1 and box.y0 >= 0 and box.y1 <= whole.y1 for box in boxes.values())
    assert not [one for one, other in combinations(boxes, 2) if boxes[one].overlaps(boxes[other])]


def is_tick(text: str) -> bool:
    return set(text) <= set("0123456789.−")


def test_a_drawing_is_as_wide_as_what_is_on_it() -> None:
    def draw() -> Any:
        figure = new_figure(2, 2)
        figure.subplots().set_xlabel("an axis label that is much wider than the axes below which it stands")
        return figure

    width = ElementTree.fromstring(svg(draw)).attrib["width"]
    assert float(width.removesuffix("pt")) > 250


@pytest.mark.parametrize("values", [{}, {"m": [0.0]}, {"m": [1e-9, 1e-9]}, {"m": [-3.0, 1e6]}])
def test_few_values_and_strange_ones_are_drawn(values: dict[str, list[float]]) -> None:
    of_model = {model: {name: np.array(of) for name in MARGINS} for model, of in values.items()}
    drawing = ElementTree.fromstring(margin_distributions(of_model, dict.fromkeys(of_model, "M")))
    assert drawing.tag.endswith("}svg") and float(drawing.attrib["width"].removesuffix("pt")) > 0
