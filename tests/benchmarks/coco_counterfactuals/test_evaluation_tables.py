"""Tables 2 and 13 of COCO-Counterfactuals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from whatif.benchmarks.coco_counterfactuals.evaluation_tables import RecallTable, changes_table, recall_table
from whatif.errors import WhatifError
from whatif.reporting.published_numbers import published

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


def table(rows: Any, names: Any = NAMES, number: str = "2") -> RecallTable:
    return recall_table(number, rows, photographs=PHOTOGRAPHS, settings=SETTINGS, names=names)


def test_recall_and_its_change_relative_to_the_originals() -> None:
    metrics = table(ranks()).metrics["bt"]
    found = metrics["counterfactuals"]["text-retrieval"]
    assert (found["queries"], found["candidates"], found["errors"]) == (240, 240, 1)
    assert [found[f"recall@{depth}"]["recall"] for depth in (1, 5, 10)] == [20.0, 60.0, pytest.approx(100 * 239 / 240)]
    assert found["recall@1"]["low"] < 20 < found["recall@1"]["high"]
    change = found["recall@1"]["change"]
    assert change["percent"] == -50 and change["low"] <= -50 <= change["high"] < -30
    assert found["recall@5"]["change"]["percent"] == 50
    assert metrics["originals"]["image-retrieval"]["recall@10"]["recall"] == 40
    assert "change" not in metrics["originals"]["image-retrieval"]["recall@10"]
    assert table(ranks()).metrics["mine"] == {}
    assert json.loads(json.dumps(metrics, allow_nan=False)) == metrics


def test_our_rows_stand_behind_the_printed_ones_of_the_same_system() -> None:
    shown = table([*ranks(), *ranks("mine")]).shown
    assert [line[:3] for line in shown.rows] == [
        ("bridgetower-large-itm-mlm-itc", "printed", "counterfactuals"),
        ("bridgetower-large-itm-mlm-itc", "ours", "counterfactuals"),
        ("bridgetower-large-itm-mlm-itc", "printed", "human-evaluated"),
        ("bridgetower-large-itm-mlm-itc", "ours", "originals"),
        ("flava-full", "printed", "counterfactuals"),
        ("flava-full", "printed", "human-evaluated"),
        ("Mine", "ours", "counterfactuals"),
        ("Mine", "ours", "originals"),
    ]
    printed, ours = (dict(zip(shown.header, line, strict=True)) for line in shown.rows[:2])
    assert (printed["Text retrieval R@1"], printed["Image retrieval R@10"]) == ("21.72 (-51%)", "49.95 (-30%)")
    assert (ours["Text retrieval R@1"], ours["Text retrieval R@5"]) == ("20.00 (-50%)", "60.00 (+50%)")
    assert (ours["Captions"], ours["Pictures"], ours["Errors"]) == ("240", "240", "2")
    assert dict(zip(shown.header, shown.rows[3], strict=True))["Text retrieval R@1"] == "40.00"


def test_without_originals_nothing_is_said_of_a_change() -> None:
    made = table(ranks(originals=False))
    assert "change" not in made.metrics["bt"]["counterfactuals"]["text-retrieval"]["recall@1"]
    assert changes_table(made.metrics, NAMES, SETTINGS).rows == ()
    assert dict(zip(made.shown.header, made.shown.rows[1], strict=True))["Text retrieval R@1"] == "20.00"


def test_a_baseline_of_nothing_found_is_named() -> None:
    rows = [{**one, "rank": 50} if one["subset"] == "originals" else one for one in ranks()]
    made = table(rows)
    assert made.metrics["bt"]["counterfactuals"]["text-retrieval"]["recall@1"]["change"]["percent"] is None
    assert changes_table(made.metrics, NAMES, SETTINGS).rows[0][2:] == ("baseline 0",) * 6


def test_changes_are_shown_with_their_intervals() -> None:
    made = table([*ranks(), *ranks("mine", originals=False)])
    shown = changes_table(made.metrics, NAMES, SETTINGS)
    [row] = shown.rows  # without originals there is no change, and originals have none
    assert row[:2] == ("bridgetower-large-itm-mlm-itc", "counterfactuals")
    change = made.metrics["bt"]["counterfactuals"]["text-retrieval"]["recall@1"]["change"]
    assert dict(zip(shown.header, row, strict=True))["Text retrieval R@1"] == (
        f"-50 ({round(change['low'])} to {round(change['high'])})"
    )
    assert "95% intervals" in shown.caption


def test_queries_of_a_photograph_go_together() -> None:
    alike = [
        row("mine", "counterfactuals", "text-retrieval", f"{pair}-{side}", 1 + 20 * (number // 3 % 2))
        for number, pair in enumerate(PAIRS)
        for side in (0, 1)
    ]
    names = {"mine": "Mine"}
    together = table(alike, names).metrics["mine"]["counterfactuals"]["text-retrieval"]["recall@1"]
    alone = recall_table("2", alike, photographs={}, settings=SETTINGS, names=names)
    by_pair = alone.metrics["mine"]["counterfactuals"]["text-retrieval"]["recall@1"]
    assert together["recall"] == by_pair["recall"] == 50
    assert together["high"] - together["low"] > 1.4 * (by_pair["high"] - by_pair["low"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": "x"}, "model 'x' is not in params.yaml"),
        ({"subset": "all"}, "no subset 'all' with direction 'text-retrieval'"),
        ({"query_id": "pair-000"}, "item 'pair-000': is no picture of a pair"),
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
        for line in published("coco-cf", number):
            value, delta = float(line["value"]), float(line["printed_delta"])
            ends = sorted(value / (1 + (delta + half) / 100) for half in (-0.55, 0.55))
            implied.setdefault((line["system"], line["direction"], line["metric"]), []).append((ends[0], ends[1]))
    assert len(implied) == 18
    for (low, high), (other_low, other_high) in implied.values():
        assert max(low, other_low) <= min(high, other_high)


def test_table_13_is_of_clip() -> None:
    shown = table([], {}, "13").shown
    assert [line[:3] for line in shown.rows] == [
        ("Clip", "printed", "counterfactuals"),
        ("Clip", "printed", "human-evaluated"),
    ]
    assert shown.rows[0][6] == "37.65 (-21%)" and np.array(shown.rows).shape == (2, len(shown.header))
