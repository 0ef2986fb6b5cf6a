"""Figures 3 and 5 of C-VQA as drawings."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from whatif.benchmarks.cvqa_real.figures import answer_distribution, gap_bars
from whatif.statistics import GroupGap, Interval

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


@pytest.mark.parametrize("models", [[], ["one"], ["one", "two"]])
def test_gaps_of_any_number_of_models_are_drawn(models: list[str]) -> None:
    drawn = gap_bars(dict.fromkeys(models, GAP), {model: model.upper() for model in models})
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
    assert drawn == gap_bars(dict.fromkeys(models, GAP), {model: model.upper() for model in models})
