"""How p-values are kept and printed."""

from __future__ import annotations

import pytest

from tests.benchmarks.cvqa_real.made_tables import accuracy_table
from tests.benchmarks.cvqa_synthetic.answered import made as table_of
from tests.benchmarks.cvqa_synthetic.answered import puzzles
from tests.results.reporting.test_pair_measures import a_set
from whatif.benchmarks.cvqa_real.figures.figure5_svg import gap_bars
from whatif.results.reporting.numerals import p_value
from whatif.results.reporting.precision import SMALLEST_P, corrected, p_number
from whatif.results.reporting.rendering import grid, to_latex, to_markdown
from whatif.results.reporting.table import to_csv
from whatif.scoring.statistics import GroupGap, Interval

# 1,200 pairs that are right before and wrong after: 2 * 0.5^1200 is 1.2e-361, and no float.
QUESTIONS, LOST = a_set({"dots": ("A", "B")}, size=1_200)


def test_p_values_are_printed_to_two_digits() -> None:
    assert [p_value(p) for p in (1.0, 0.04321, 1.1e-4, 1.234e-299)] == ["1", "0.043", "0.00011", "1.2e-299"]


@pytest.mark.parametrize("p", [0.0, 5e-324, 1e-301, SMALLEST_P])
def test_one_that_is_too_small_is_printed_as_smaller_than_the_smallest(p: float) -> None:
    assert p_value(p) == "< 1e-300"
    assert p_number(p) == SMALLEST_P > 0


def test_p_values_in_metrics_have_four_digits() -> None:
    assert [p_number(p) for p in (1.0, 0.0432149, 1.23456e-200)] == [1.0, 0.04321, 1.235e-200]


def test_holms_correction_is_over_the_rows_that_count() -> None:
    rows = [{"p": 0.012345}, {"value": 1}, {"p": 0.02}, {"p": 0.5, "model": "chance"}]
    assert corrected(rows, lambda row: "model" not in row) == [
        {"p": 0.01235, "p_holm": 0.02469},
        {"value": 1},
        {"p": 0.02, "p_holm": 0.02469},
        {"p": 0.5, "model": "chance"},
    ]


def test_a_p_value_that_underflows_is_never_0() -> None:
    table = table_of("table7", puzzles(LOST, QUESTIONS, {"m": "Model"}))
    ours = table.frame[table.frame["source"] == "ours"]
    assert ours[ours["measure"] == "drop"]["p"].tolist() == [SMALLEST_P]
    made = grid(table.views[0], table.frame)
    [row] = [row for row in made.rows if row[:2] == ("Model", "ours")]
    assert row[made.header.index("McNemar p")] == "< 1e-300"
    assert r"\< 1e-300" in to_markdown(table)
    assert r"\textless{} 1e-300" in to_latex(table)
    assert ",1e-300" in to_csv(table.frame)


def test_holms_factor_makes_no_number_of_an_unknown_one() -> None:
    rows = [{**row, "group": "direct", "image_ids": [row["pair_id"]]} for row in QUESTIONS]
    made = accuracy_table(3, LOST, rows, {"m": "Model"})
    cells = grid(made.views[0], made.frame)
    [row] = [row for row in cells.rows if row[:3] == ("Model", "ours", "direct")]
    found = dict(zip(cells.header, row, strict=True))
    assert (found["p"], found["Holm p"]) == ("< 1e-300", "< 1e-300")
    assert f",{SMALLEST_P},{SMALLEST_P}" in to_csv(made.frame)


def test_figure_5_prints_it_too() -> None:
    interval = Interval(0.1, 0.0, 0.2)
    drawn = gap_bars({"m": GroupGap(interval, interval, interval, 0.0, (9, 9))}, {"m": "Model"}).decode()
    assert "p &lt; 1e-300" in drawn
