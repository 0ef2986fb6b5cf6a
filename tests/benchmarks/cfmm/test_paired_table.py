"""The table of pairs of CFMM: each counterfactual question with the basic question of its item."""

from __future__ import annotations

import pytest

from tests.benchmarks.cfmm.answered import Row, answers, item, table
from tests.frames import row, value
from whatif.benchmarks.cfmm.item_answers import Asked, ItemAnswers
from whatif.benchmarks.cfmm.measures import measures
from whatif.benchmarks.cfmm.paired_table import paired_questions
from whatif.benchmarks.cfmm.reported import reported
from whatif.benchmarks.cfmm.settings import AggregateCfmm
from whatif.benchmarks.cfmm.tables import Results
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

SETTINGS = AggregateCfmm(confidence=0.95, audit_folds=2, resamples=100, rule="mean", shown_items=1)
SYSTEM = ("m", "direct")


def questions() -> list[Row]:
    """Two items of five questions; in the first, one counterfactual question changes nothing, and one offers `two`."""
    found = item("one") + item("other", "color")
    found[1]["choices"] = ["Two", "four"]
    found[2]["choices"] = ["three", "two"]
    return found


def made(signs: str) -> Table:
    asked = questions()
    ids = sorted(asked, key=lambda one: str(one["question_id"]))
    by_id = dict(zip([one["question_id"] for one in asked], signs.replace(" ", ""), strict=True))
    given = ItemAnswers(
        table(answers(ids, "".join(by_id[one["question_id"]] for one in ids))), Asked.of(asked), [SYSTEM]
    )
    found = Results({SYSTEM: measures(given, SETTINGS, 1)[0]}, {"m": "Model"}, given.questions, "95%")
    return paired_questions(given, found, SETTINGS, reported())


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
