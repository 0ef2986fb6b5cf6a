"""Figures 3 and 5 of C-VQA as drawings."""

from __future__ import annotations

import html
import math
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure

from whatif.benchmarks.cvqa_real.figures import figure5_svg
from whatif.benchmarks.cvqa_real.figures.figure3_svg import answer_distribution
from whatif.benchmarks.cvqa_real.figures.figure5_svg import gap_bars
from whatif.scoring.statistics import GroupGap, Interval

pytestmark = pytest.mark.slow

COUNTS = {
    "direct": {"original": {1: 3, 2: 1, 40: 1}, "counterfactual": {0: 5}},
    "indirect": {"original": {}, "counterfactual": {2: 2}},
}
GAP = GroupGap(Interval(0.1, 0.0, 0.2), Interval(-0.1, -0.3, 0.1), Interval(0.2, -0.1, 0.5), 0.04, (510, 207))


def test_the_same_numbers_give_the_same_drawing_and_others_another() -> None:
    drawn = answer_distribution(COUNTS)
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
    assert drawn == answer_distribution(COUNTS)
    assert drawn != answer_distribution({**COUNTS, "indirect": {"original": {1: 1}, "counterfactual": {2: 2}}})


def drawn_words(drawing: bytes) -> list[str]:
    """The texts of a drawing, which are outlines with their text in a comment."""
    return [html.unescape(text) for text in re.findall(r"<!-- (.*?) -->", drawing.decode())]


def test_larger_answers_share_a_bar_if_they_are_few() -> None:
    few = {"direct": {"original": {1: 95, 11: 5}, "counterfactual": {}}}
    words = drawn_words(answer_distribution(few))
    assert [word for word in words if word.isdigit() and int(word) <= 10][:11] == [str(number) for number in range(11)]
    assert ">10" in words


@pytest.mark.parametrize(
    ("answers", "ranges"),
    [
        ({1: 90, 11: 6}, ("0-1", "20-21", ">21")),
        ({3: 5, 50: 5}, ("0-4", "50-54", ">54")),
        ({0: 1, 7_000_000: 9}, ("0-999999", "7000000-7999999", ">10999999")),
    ],
)
def test_many_large_answers_make_each_bar_a_range(answers: dict[int, int], ranges: tuple[str, ...]) -> None:
    words = drawn_words(answer_distribution({"direct": {"original": answers, "counterfactual": {}}}))
    assert set(ranges) <= {word.replace("−", "-") for word in words}


@pytest.mark.parametrize("empty", [{"original": {}, "counterfactual": {}}, {"original": {1: 0}, "counterfactual": {}}])
def test_a_group_without_questions_says_so(empty: dict[str, dict[int, int]]) -> None:
    words = drawn_words(answer_distribution({"direct": COUNTS["direct"], "indirect": empty}))
    assert words.count("no questions") == 1
    assert drawn_words(answer_distribution(dict.fromkeys(("direct", "indirect"), empty))).count("no questions") == 2


def test_without_a_gap_the_figure_says_why() -> None:
    why = "The images are drawn scenes, which show no people."
    assert drawn_words(gap_bars({}, {}, why)) == [why]
    assert why not in drawn_words(gap_bars({"m": GAP}, {"m": "M"}, why))


def test_the_name_of_a_model_is_no_formula() -> None:
    assert "m $\\no$" in drawn_words(gap_bars({"m": GAP}, {"m": "m $\\no$"}))


@pytest.mark.parametrize("models", [[], ["one"], ["one", "two"]])
def test_gaps_of_any_number_of_models_are_drawn(models: list[str]) -> None:
    drawn = gap_bars(dict.fromkeys(models, GAP), {model: model.upper() for model in models})
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
    assert drawn == gap_bars(dict.fromkeys(models, GAP), {model: model.upper() for model in models})


def test_the_legend_hides_no_interval_and_every_model_has_room(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Figure] = []
    monkeypatch.setattr(figure5_svg, "svg", lambda draw: drawn.append(draw()))
    only_men = replace(GAP, second=Interval(math.nan, -1.0, 1.0))
    gap_bars({"a": only_men, "b": only_men}, {"a": "A", "b": "B"})
    (figure,) = drawn
    figure.draw_without_rendering()
    (axes,), (legend,) = figure.axes, figure.legends
    assert legend.get_window_extent().y0 >= axes.get_window_extent().y1
    assert axes.get_ylim()[0] > 1.3 and axes.get_ylim()[1] < -0.3  # places 0 and 1, and half of their bars
