"""Forest plots: rows, their order, and drawings that fit and are the same for the same numbers."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from tests.results.reporting.test_paired import OTHER, outcomes
from whatif.results.reporting.forest_plot import Effect, _draw, drop_effects, drops_figure, forest_plot, in_rows
from whatif.results.reporting.paired import COUNTERFACTUAL, ORIGINAL, PairedSystem, PairedText, paired, reported_rows
from whatif.results.reporting.paired_answers import ALL
from whatif.results.reporting.table import Table

pytestmark = pytest.mark.slow

EFFECTS = [
    Effect("small", 1.0, -4.0, 6.0, "direct"),
    Effect("large", 30.0, 20.0, 40.0, "direct"),
    Effect("gained", -5.0, -9.0, -1.0, "boolean"),
    Effect("reported", 12.5, section="direct", reported=True),
]


def a_table() -> Table:
    drop, none = [(1, 1)] * 6 + [(1, 2)] * 4, [(1, 2)] * 10
    systems = [
        PairedSystem("a", "Falls $x$", {ALL: outcomes([OTHER] * 10, drop), "g": outcomes([OTHER] * 10, none)}, "cot"),
        PairedSystem("b", "Stays", {ALL: outcomes([OTHER] * 10, none)}, "direct"),
    ]
    told = reported_rows("Theirs", {ORIGINAL: 50.0, COUNTERFACTUAL: 60.0}, strategy="direct")
    return paired(systems, 0.95, PairedText("A set", "95%"), told)


def test_each_section_has_a_heading_and_its_largest_drop_on_top() -> None:
    rows = [row if isinstance(row, str) else row.label for row in in_rows(EFFECTS)]
    assert rows == ["direct", "large", "reported", "small", "boolean", "gained"]
    assert in_rows([]) == []
    assert [row.label for row in in_rows([Effect("a", 1.0), Effect("b", 2.0)]) if isinstance(row, Effect)] == ["b", "a"]


def test_rows_are_the_drops_of_the_table() -> None:
    found = drop_effects(a_table().frame, [ALL, "g", "no such group"])
    assert [(one.label, one.section, one.value, one.reported) for one in found] == [
        ("Theirs, direct", "", -10.0, True),
        ("Falls $x$, cot", "", 60.0, False),
        ("Stays, direct", "", 0.0, False),
        ("Falls $x$, cot", "g", 0.0, False),
    ]
    assert found[0].text == "-10.0" and found[0].low is None
    assert found[1].text.startswith("60.0 (")


@pytest.mark.parametrize("effects", [[], EFFECTS, [Effect("only", 0.0)]])
def test_the_same_effects_give_the_same_drawing(effects: list[Effect]) -> None:
    drawn = forest_plot(effects, "Title", "points")
    assert drawn == forest_plot(effects, "Title", "points")
    assert drawn.startswith(b"<?xml") and len(drawn) < 100_000


def test_a_figure_of_a_table_without_systems_is_drawn() -> None:
    empty = paired([], 0.95, PairedText("A set", "95%"))
    assert drops_figure(empty.frame, "A set").startswith(b"<?xml")


def test_groups_are_sections_where_a_paper_reports_them() -> None:
    of_all, by_group = a_table().frame, a_table().frame
    by_group.loc[by_group["source"] == "reported", "group"] = "g"
    drawn = {group: forest_plot(drop_effects(by_group, [group]), "A set", "points") for group in (ALL, "g")}
    assert drawn[ALL] != drawn["g"]
    axis = "original minus counterfactual accuracy (percentage points)"
    assert drops_figure(of_all, "A set") == forest_plot(drop_effects(of_all, [ALL]), "A set", axis)
    assert drops_figure(by_group, "A set") == forest_plot(drop_effects(by_group, ["g"]), "A set", axis)


def test_labels_do_not_overlap_and_zero_and_all_intervals_are_inside() -> None:
    generator = np.random.default_rng(3)
    many = [
        Effect(f"A model with a long name (Vicuna-{place}B), one-shot-cot", drop, drop - 8, drop + 8, f"s{place % 3}")
        for place, drop in enumerate(generator.uniform(-30, 90, 60).tolist())
    ]
    figure = _draw(in_rows(many), "Title", "points")
    figure.draw_without_rendering()
    axes: Any = figure.axes[0]
    for side in (axes, axes.child_axes[0]):
        boxes = [label.get_window_extent() for label in side.get_yticklabels() if label.get_text()]
        assert len(boxes) >= 60
        assert not any(one.overlaps(other) for one, other in itertools.pairwise(boxes))
    low, high = axes.get_xlim()
    assert low < min(one.value - 8 for one in many) and high > max(one.value + 8 for one in many)
    assert low < 0 < high
