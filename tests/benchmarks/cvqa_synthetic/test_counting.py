"""The probe of C-VQA 4.2: answers that are the number of all flowers or dots."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from tests.benchmarks.cvqa_synthetic.answered import made, puzzles
from tests.results.reporting.test_pair_measures import prediction, question
from whatif.benchmarks.cvqa_synthetic.report import NUMBERS_OF_ALL, number_of_all
from whatif.results.reporting.rendering import grid
from whatif.results.reporting.table import Table
from whatif.scoring.statistics import wilson

NAMES = {"counts": "Counts everything", "right": "Right", "silent": "Silent"}


def numbers(everything: dict[str, int]) -> pa.Table:
    return pa.table([[*everything], [*everything.values()]], schema=NUMBERS_OF_ALL)


def counted() -> Table:
    """Ten pairs with the options 1 to 4, where A is right: all are 1 in two of them, 3 in six, 9 in two.

    A model that counts everything gives the option with that number, or else the last one.
    """
    questions: list[dict[str, Any]] = []
    predictions: list[dict[str, Any]] = []
    everything: dict[str, int] = {}
    for pair in range(10):
        number = 1 if pair < 2 else 3 if pair < 8 else 9
        for variant in ("original", "counterfactual"):
            asked = question(pair, variant, "dots" if pair < 9 else "flowers")
            everything[asked["pair_id"]] = number
            questions.append(asked)
            counts = "ABCD"[number - 1] if number < 5 else "D"
            predictions += [
                prediction(asked, counts, model="counts"),
                prediction(asked, "A", model="right"),
                prediction(asked, None, "none", model="silent"),
            ]
    del everything["p007"]  # a pair whose scene is unknown
    return made("counted", puzzles(predictions, questions, NAMES, everything=numbers(everything), known="It is known."))


def value(table: Table, measure: str, template: str = "all", model: str = "") -> pd.Series[Any]:
    frame = table.frame
    where = {"measure": measure, "template": template, "model": model, "variant": "original"}
    (row,) = frame[(frame[list(where)] == pd.Series(where)).all(axis=1)].to_dict("records")
    return pd.Series(row)


def test_how_often_the_number_is_an_option_and_right() -> None:
    table = counted()
    counts = {measure: value(table, measure)["value"] for measure in ("questions", "listed", "right option")}
    assert counts == {"questions": 9, "listed": 7, "right option": 2}
    assert value(table, "wrong option", "dots")["value"] == 5
    assert value(table, "listed", "flowers")["value"] == 0


def test_a_model_that_counts_everything_is_told_from_one_that_is_right() -> None:
    table = counted()
    share = wilson(5, 5, 0.95)
    row = value(table, "chosen where wrong", model="counts")
    assert (row["value"], row["n"], row["low"]) == (100, 5, pytest.approx(100 * share.low, abs=1e-4))
    assert value(table, "accuracy where wrong", model="counts")["value"] == 0
    assert value(table, "chosen", model="counts")["n"] == 7
    assert value(table, "chosen where wrong", model="right")["value"] == 0
    assert value(table, "accuracy where wrong", model="right")["value"] == 100
    assert value(table, "chosen", model="right")["value"] == pytest.approx(100 * 2 / 7, abs=1e-4)
    assert value(table, "chosen where wrong", model="silent")["value"] == 0
    assert value(table, "accuracy where wrong", model="silent")["value"] == 0


def test_a_row_without_questions_is_left_out_of_the_printed_table() -> None:
    table = counted()
    printed = [grid(view, table.frame) for view in table.views]
    assert [row[0] for row in printed[0].rows] == ["dots", "dots", "flowers", "flowers", "all", "all"]
    for shares in printed[1:]:
        assert {row[1] for row in shares.rows} == {"dots", "all"}
    assert [tuple(shares.rows[0][:2]) for shares in printed[1:]] == [("Counts everything", "dots")] * 2
    assert [shares.rows[0][2].split(" ")[0] for shares in printed[1:]] == ["100.0", "0.0"]
    assert table.views[0].note == "It is known."


def test_questions_that_a_model_was_not_asked_do_not_count() -> None:
    questions = [question(pair, variant) for pair in range(4) for variant in ("original", "counterfactual")]
    everything = {asked["pair_id"]: 2 for asked in questions}
    predictions = [prediction(asked, "B") for asked in questions[:4]]
    table = made("counted", puzzles(predictions, questions, {"m": "M"}, everything=numbers(everything)))
    assert value(table, "questions", "dots")["value"] == 4
    assert value(table, "chosen where wrong", "dots", "m")["n"] == 2
    assert set(table.frame["template"]) == {"dots"}, "the only template is all of them"


def test_the_number_of_all_is_counted_in_the_stored_scene() -> None:
    assert number_of_all({"flowers": [{}, {}, {}], "circles": []}) == 3
    assert number_of_all({"flowers": [], "circles": [{"dots": [1, 2]}, {"dots": []}, {"dots": [3]}]}) == 3
    assert number_of_all({"flowers": [], "circles": []}) == 0
