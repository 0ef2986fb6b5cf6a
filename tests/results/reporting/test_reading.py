"""The table of how answers were read: shares of each model's responses, and the error of reading."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa

from whatif.results.reporting.reading import MEASURED, reading, readings_by_model


def test_responses_are_counted_by_what_read_them() -> None:
    rows = [
        ("a", True, "ok", "strict"),
        ("a", True, "ok", "agreement"),
        ("a", True, "ambiguous", None),
        ("a", True, "none", None),
        ("a", True, "error", None),  # not read
        ("b", False, "ok", None),  # ranked
        ("c", True, "ok", "other language"),
    ]
    columns = [pa.array(column) for column in zip(*rows, strict=True)]
    predictions = pa.table(columns, names=["model", "response", "status", "read_by"])
    assert readings_by_model([predictions, predictions.slice(0, 1)]) == {
        "a": {"strict": 2, "agreement": 1, "ambiguous": 1, "none": 1},
        "c": {"other language": 1},
    }


def test_shares_are_of_the_responses_and_seldom_readings_have_a_column_only_where_they_occur() -> None:
    found = {"a": Counter(strict=3, none=1), "b": Counter(judge=1, none=0)}
    names = {"a": "A", "b": "B", "ranks": "Ranks"}
    frame = reading(found, names).frame
    of_models = frame[frame["model"] != ""].set_index(["model", "measure"])["value"].to_dict()
    assert of_models["a", "strict"] == 75 and of_models["a", "none"] == 25 and of_models["b", "judge"] == 100
    assert "ranks" not in set(frame["model"]) and ("a", "other language") not in of_models
    headings = [[column.heading for column in view.columns] for view in reading({"a": found["a"]}, names).views]
    assert headings == [
        ["Responses", "Strict", "Agreement", "Ambiguous", "None"],
        ["Responses", "Right", "Missed", "Wrong"],
    ]
    assert set(frame[frame["kind"] != ""]["kind"]) == set(MEASURED)
