"""The table of pairs of CFMM: each counterfactual question with the basic question of its item."""

from __future__ import annotations

import pytest

from tests.benchmarks.cfmm.answered import Row, answers, declared, item, results
from tests.frames import row, value
from whatif.results.reporting.paired import (
    BY_CHANCE,
    CONSISTENCY,
    COUNTERFACTUAL,
    EXTRACTION_RATE,
    IGNORED,
    ORIGINAL,
    PAIR_ACCURACY,
)
from whatif.results.reporting.table import DROP, Table


def questions() -> list[Row]:
    """Two items of five questions; in the first, one counterfactual question changes nothing, and one offers `two`."""
    found = item("one") + item("other", "color")
    found[1]["choices"] = ["Two", "four"]
    found[2]["choices"] = ["three", "two"]
    return found


def made(signs: str) -> Table:
    asked = questions()
    return declared("paired", results(asked, answers(asked, signs.replace(" ", ""))))


def of_us(found: Table, measure: str, group: str = "") -> tuple[float, int]:
    one = row(found, model="m", group=group, measure=measure)
    return one["value"], one["n"]


def test_a_basic_question_is_in_a_pair_with_each_of_its_counterfactual_ones() -> None:
    found = made("+ + - - . - + + + +")
    assert of_us(found, ORIGINAL) == (50.0, 8)
    assert of_us(found, COUNTERFACTUAL) == (62.5, 8)
    assert of_us(found, DROP) == (-12.5, 8)
    assert of_us(found, PAIR_ACCURACY) == (12.5, 8)
    assert of_us(found, PAIR_ACCURACY, "count") == (25.0, 4)
    # Of the first item: `two` for `two` is right, `two` for `three` is ignored, `four` for `three` is not.
    assert of_us(found, CONSISTENCY, "count") == (50.0, 4)
    assert of_us(found, IGNORED, "count") == (50.0, 2)
    assert of_us(found, BY_CHANCE, "count") == (50.0, 2)
    assert of_us(found, EXTRACTION_RATE, "count") == (87.5, 8)
    assert of_us(found, CONSISTENCY, "color") == (100.0, 4)
    assert row(found, model="m", group="color", measure=IGNORED)["n"] == 0


def test_reported_accuracies_are_those_of_table_2() -> None:
    found = made("+ + + + + + + + + +")
    place = {"name": "Qwen-VL", "source": "reported", "strategy": "direct", "group": "count"}
    assert value(found, **place, measure=ORIGINAL) == 86.78
    assert value(found, **place, measure=PAIR_ACCURACY) == 42.24
    assert value(found, **place, measure=DROP) == pytest.approx(86.78 - 50.65)
