"""Tidy frames: one number a cell, the same from CSV as before."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from whatif.results.comparison.numbers import table_changes
from whatif.results.comparison.runs import Run
from whatif.results.reporting.table import Column, Table, View, from_csv, tidy, to_csv

ROWS = [
    {"model": "a,b", "measure": "accuracy", "value": 12.3457, "low": 0.1, "high": math.inf, "n": 3, "p": 1e-300},
    {"model": 'say "None"', "measure": "NA", "value": 45},
    {"measure": "accuracy", "value": None, "n": 0},
]


def test_a_frame_reads_back_from_csv_as_it_was() -> None:
    frame = tidy(ROWS, ("model", "measure"))
    again = from_csv(to_csv(frame))
    pd.testing.assert_frame_equal(frame, again)
    assert again["p"][0] == 1e-300 and math.isinf(again["high"][0])
    assert again["model"].tolist() == ["a,b", 'say "None"', ""], "text is never missing"
    assert again["value"].isna().tolist() == [False, False, True]


def test_whole_numbers_stay_whole() -> None:
    frame = tidy([{"measure": "in", "value": 3}, {"measure": "out", "value": None}], ("measure",), ("value",))
    assert to_csv(frame) == "measure,value\nin,3\nout,\n"
    pd.testing.assert_frame_equal(from_csv(to_csv(frame)), frame)
    empty = tidy([], ("measure",), ("value", "n"))
    assert to_csv(empty) == "measure,value,n\n" and len(from_csv(to_csv(empty))) == 0


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"measure": "a"}, {"measure": "a", "value": 2}], "two rows of a table are of {'measure': 'a'}"),
        ([{"measure": "a", "colour": "red"}], "has the field colour; known are measure, value"),
    ],
)
def test_what_is_not_tidy_is_refused(rows: list[dict[str, object]], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        tidy(rows, ("measure",), ("value",))
    assert message in str(caught.value)


def test_a_view_of_a_column_that_is_not_there_is_refused() -> None:
    frame = tidy([], ("measure",))
    for view in (View("", {"model": "Model"}, ()), View("", {}, (Column("A", "a", {"variant": "original"}),))):
        with pytest.raises(
            ValueError, match=r"table t: a view prints the column (model|variant), which the frame lacks"
        ):
            Table("t", "T", frame, (view,))


ONES = (("both_right", 50), ("pair_accuracy", 60))


def test_measures_of_an_earlier_version_are_read_under_their_names_of_today() -> None:
    frame = from_csv("model,measure,value\nm,both_right,50\nm,ignored,25\nm,drop,3\n")
    assert frame["measure"].tolist() == ["pair_accuracy", "ignored_presupposition", "drop"]
    runs = [
        Run(name, {}, {"metrics/b/t.csv": f"model,measure,value\nm,{name},{value}\n".encode()}) for name, value in ONES
    ]
    (change,) = table_changes(*runs)
    assert [(one.a, one.b) for one in change.changed] == [(50.0, 60.0)]
