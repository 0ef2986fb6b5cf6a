"""Tables 2 and 13 of COCO-Counterfactuals."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from tests.frames import check, has, printed, value
from tests.frames import row as row_of
from whatif.benchmarks.coco_counterfactuals.evaluation_tables import recall_table
from whatif.engine.errors import WhatifError
from whatif.results.reporting.published_numbers import published
from whatif.results.reporting.table import Table

SETTINGS = SimpleNamespace(confidence=0.95)
NAMES = {"bt": "bridgetower-large-itm-mlm-itc", "mine": "Mine"}
PAIRS = [f"pair-{number:03d}" for number in range(120)]  # with a hyphen, as the side has
PHOTOGRAPHS = {pair: f"photograph {number // 3}" for number, pair in enumerate(PAIRS)}


def row(model: str, subset: str, direction: str, query_id: str, rank: int | None) -> dict[str, Any]:
    status = "error" if rank is None else "ok"
    place = {"model": model, "subset": subset, "direction": direction, "query_id": query_id}
    return {**place, "rank": rank, "candidates": 240, "status": status, "reason": None}


def ranks(model: str = "bt", originals: bool = True) -> Iterator[dict[str, Any]]:
    """A fifth of the counterfactual queries is first, two fifths of the originals; the last query is an error."""
    for direction in ("text-retrieval", "image-retrieval"):
        for number, pair in enumerate(PAIRS):
            for side in (0, 1):
                rank = 1 if number % 5 == 0 else 2 + 8 * side
                last = number == len(PAIRS) - 1 and side == 1
                yield row(model, "counterfactuals", direction, f"{pair}-{side}", None if last else rank)
            if originals:
                yield row(model, "originals", direction, pair, 1 if number % 5 < 2 else 11)


def table(rows: Any, names: Any = NAMES, number: str = "2") -> Table:
    return recall_table(number, rows, photographs=PHOTOGRAPHS, settings=SETTINGS, names=names)


def place(retrieved: str, k: int, subset: str = "counterfactuals", model: str = "bt") -> dict[str, str]:
    return {"model": model, "subset": subset, "retrieved": retrieved, "k": str(k)}


def test_recall_and_its_change_relative_to_the_originals() -> None:
    made = table(ranks())
    found = [row_of(made, measure="recall", **place("text", depth)) for depth in (1, 5, 10)]
    assert [one["value"] for one in found] == [20.0, 60.0, pytest.approx(100 * 239 / 240, abs=1e-4)]
    assert {one["n"] for one in found} == {240}
    assert found[0]["low"] < 20 < found[0]["high"]
    whole = {"model": "bt", "subset": "counterfactuals", "retrieved": "text", "k": ""}
    assert [value(made, measure=measure, **whole) for measure in ("candidates", "errors")] == [240, 1]
    change = row_of(made, measure="change", **place("text", 1))
    assert change["value"] == -50 and change["low"] <= -50 <= change["high"] < -30
    assert value(made, measure="change", **place("text", 5)) == 50
    assert value(made, measure="recall", **place("image", 10, "originals")) == 40
    assert not has(made, measure="change", **place("image", 10, "originals"))
    assert not has(made, model="mine")
    check(made)


def test_our_rows_follow_the_reported_ones_of_the_same_system() -> None:
    rows = printed(table([*ranks(), *ranks("mine")]))
    assert [(one["Model"], one["From"], one["Searched"]) for one in rows if one["Finds"] == "text"] == [
        ("bridgetower-large-itm-mlm-itc", "reported", "counterfactuals"),
        ("bridgetower-large-itm-mlm-itc", "ours", "counterfactuals"),
        ("bridgetower-large-itm-mlm-itc", "reported", "human-evaluated"),
        ("bridgetower-large-itm-mlm-itc", "ours", "originals"),
        ("flava-full", "reported", "counterfactuals"),
        ("flava-full", "reported", "human-evaluated"),
        ("Mine", "ours", "counterfactuals"),
        ("Mine", "ours", "originals"),
    ]


def test_recall_is_printed_before_its_change_and_reported_numbers_as_the_paper_has_them() -> None:
    made = table(ranks())
    recall, change, intervals, searched = (printed(made, view) for view in range(4))
    assert [recall[0][f"R@{depth}"] for depth in (1, 5, 10)] == ["21.72", "46.94", "58.65"]
    assert [change[0][f"R@{depth}"] for depth in (1, 5, 10)] == ["-51", "-35", "-29"]
    (ours,) = [one for one in recall if (one["From"], one["Searched"], one["Finds"]) == ("ours", "originals", "text")]
    assert [ours[f"R@{depth}"] for depth in (1, 5, 10)] == ["40.00", "40.00", "40.00"]
    found = row_of(made, measure="change", **place("text", 1))
    (ours,) = [
        one for one in intervals if (one["Searched"], one["Finds"], one["k"]) == ("counterfactuals", "text", "1")
    ]
    assert ours["Change"] == f"-50 ({round(found['low'])} to {round(found['high'])})"
    assert ours["Recall"].startswith("20.0 (")
    assert {(one["Queries"], one["Candidates"], one["Errors"]) for one in searched} == {
        ("240", "240", "1"),
        ("120", "240", "0"),
    }


def test_without_originals_there_is_no_change() -> None:
    made = table(ranks(originals=False))
    assert not has(made, measure="change", source="ours")
    assert value(made, measure="recall", **place("text", 1)) == 20
    check(made)


def test_a_change_relative_to_a_baseline_of_nothing_found_is_missing() -> None:
    made = table([{**one, "rank": 50} if one["subset"] == "originals" else one for one in ranks()])
    change = row_of(made, measure="change", **place("text", 1))
    assert change[["value", "high"]].isna().all() and change["low"] == -100
    assert {one["Change"] for one in printed(made, 2)} == {""}
    check(made)


def test_an_infinite_end_of_a_change_is_printed_as_such() -> None:
    rows = list(ranks())
    made = recall_table(
        "2", rows, photographs=dict.fromkeys(PAIRS, "one photograph"), settings=SETTINGS, names={"bt": "B"}
    )
    change = row_of(made, measure="change", **place("text", 1))
    assert change["value"] == -50 and change["low"] == -100 and change[["high"]].isna().all()
    assert printed(made, 2)[0]["Change"] == "-50 (-100 to ∞)"
    check(made)


def test_queries_of_a_photograph_go_together() -> None:
    alike = [
        row("mine", "counterfactuals", "text-retrieval", f"{pair}-{side}", 1 + 20 * (number // 3 % 2))
        for number, pair in enumerate(PAIRS)
        for side in (0, 1)
    ]
    names = {"mine": "Mine"}
    alone = recall_table("2", alike, photographs={}, settings=SETTINGS, names=names)
    of = {"measure": "recall", **place("text", 1, model="mine")}
    together, by_pair = row_of(table(alike, names), **of), row_of(alone, **of)
    assert together["value"] == by_pair["value"] == 50
    assert together["high"] - together["low"] > 1.4 * (by_pair["high"] - by_pair["low"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": "x"}, "model 'x' is not in params.yaml"),
        ({"subset": "all"}, "no subset 'all' with direction 'text-retrieval'"),
        ({"query_id": "pair-000"}, "item 'pair-000': is not an image of a pair"),
        ({}, "query 'pair-000-0' of counterfactuals is there twice"),
    ],
)
def test_strange_rows_are_refused(change: dict[str, str], message: str) -> None:
    rows = list(ranks())
    with pytest.raises(WhatifError, match=message):
        table([*rows, {**rows[0], **change}])


def test_the_printed_changes_imply_one_baseline_for_both_subsets() -> None:
    implied: dict[tuple[str, ...], list[tuple[float, float]]] = {}
    for number in ("2", "13"):
        for line in published("whatif.benchmarks.coco_counterfactuals", f"table{number}"):
            value, delta = float(line["value"]), float(line["printed_delta"])
            ends = sorted(value / (1 + (delta + half) / 100) for half in (-0.55, 0.55))
            implied.setdefault((line["system"], line["direction"], line["metric"]), []).append((ends[0], ends[1]))
    assert len(implied) == 18
    for (low, high), (other_low, other_high) in implied.values():
        assert max(low, other_low) <= min(high, other_high)


def test_table_13_is_of_clip() -> None:
    made = table([], {}, "13")
    assert [(one["Model"], one["From"], one["Searched"], one["Finds"]) for one in printed(made)] == [
        ("Clip", "reported", subset, retrieved)
        for subset in ("counterfactuals", "human-evaluated")
        for retrieved in ("text", "image")
    ]
    assert printed(made)[0]["R@1"] == "37.65" and printed(made, 1)[0]["R@1"] == "-21"
    check(made)


def test_unique_captions_are_in_the_table_and_items_in_one_of_their_own() -> None:
    unique = [{**one, "subset": f"{one['subset']}, unique captions", "rank": 1} for one in ranks()]
    rows = [*ranks(), *unique]
    how = {"photographs": PHOTOGRAPHS, "settings": SETTINGS, "names": NAMES}
    published_rule = recall_table("2", rows, rule="unique captions", **how)
    by_item = recall_table("2", rows, rule="by item", **how)
    assert (published_rule.name, by_item.name) == ("table2", "table2-by-item")
    assert value(published_rule, measure="recall", **place("text", 1)) == 100
    assert value(by_item, measure="recall", **place("text", 1)) == 20
    pd.testing.assert_frame_equal(by_item.frame, table(ranks()).frame)
    assert "Equal captions are one query" in published_rule.views[0].note
    assert "Every item's caption is a query" in by_item.views[0].note
    assert "query" not in table(ranks()).views[0].note
    check(published_rule)
    check(by_item)
