"""Tokens, money and errors by model, as a report has them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.params.prices import Prices, money
from whatif.results.reporting.costs import COLUMNS, Spent, costs, error_kind, errors_text, spent_by_model
from whatif.results.reporting.rendering import grid

SCHEMA = pa.schema([PREDICTIONS.schema.field(name) for name in COLUMNS])


def prediction(model: str, prompt: int | None, response: int | None, reason: str | None = None) -> dict[str, Any]:
    status = "error" if reason else "ok"
    counts = {"prompt_tokens": prompt, "response_tokens": response}
    return {"model": model, "status": status, "reason": reason, **counts}


def pieces(*rows: dict[str, Any]) -> list[pa.Table]:
    """Predictions in pieces of three rows, as row groups are."""
    return [pa.Table.from_pylist(list(rows[start : start + 3]), schema=SCHEMA) for start in range(0, len(rows), 3)]


ROWS = (
    *(prediction("gpt", 1_000 + number, 10) for number in range(4)),
    prediction("gpt", None, None, "status 500: request 17"),
    prediction("gpt", None, None, "status 500: request 18"),
    prediction("gpt", None, None, "no reply within 60 s (the last of 7 tries)"),
    prediction("local", 7, 1),
    prediction("local", 7, None),
    prediction("silent", None, None),
    prediction("broken", None, None, "picture cannot be read: row 3 is damaged"),
)
NAMES = {"broken": "Broken", "gpt": "GPT", "local": "Local", "none": "Not asked", "silent": "Silent"}


def test_sums_do_not_depend_on_how_predictions_are_cut() -> None:
    found = spent_by_model(pieces(*ROWS))
    assert found == spent_by_model([pa.concat_tables(pieces(*ROWS))])
    errors = {"status 500": 2, "no reply within 60 s": 1}
    assert found["gpt"] == Spent(7, 4, 0, 4_006, 40, found["gpt"].errors) and found["gpt"].errors == errors
    assert (found["local"].counted, found["local"].uncounted) == (1, 1)
    assert found["silent"] == Spent(questions=1, uncounted=1)


def test_the_table_has_models_with_tokens_or_errors_and_money_where_there_are_prices() -> None:
    table = costs(spent_by_model(pieces(*ROWS)), NAMES, {"gpt": Prices(2.5, 10)})
    tokens, errors = (grid(view, table.frame).rows for view in table.views)
    assert tokens == (
        ("Broken", "1", "", "", "0", ""),
        ("GPT", "7", "4006", "40", "0", "0.01"),
        ("Local", "2", "14", "1", "1", ""),
    )
    assert errors == (
        ("Broken", "picture cannot be read", "1"),
        ("GPT", "status 500", "2"),
        ("GPT", "no reply within 60 s", "1"),
        ("Local", "none", "0"),
    )
    frame = table.frame.set_index(["model", "measure", "error"])
    assert frame.loc[("gpt", "cost", ""), "value"] == pytest.approx((4_006 * 2.5 + 40 * 10) / 1e6)
    assert frame.loc[("gpt", "prompt tokens", ""), "n"] == 4


def test_responses_that_did_not_leave_their_reasoning_are_counted_by_their_reason() -> None:
    cut, left = "cut off inside its reasoning at 2,112 tokens", "never left its reasoning: budget_tokens of 9 used up"
    rows = [{**prediction("gpt", 1, 2), "status": "none", "reason": reason} for reason in (cut, left, cut, "no letter")]
    table = costs(spent_by_model(pieces(*rows, prediction("other", 1, 2))), {"gpt": "GPT", "other": "Other"}, {})
    assert grid(table.views[2], table.frame).rows == (("GPT", cut, "2"), ("GPT", left, "1"))
    assert error_kind(cut) == "cut off inside its reasoning"
    assert error_kind(left) == "never left its reasoning"


def test_without_such_responses_the_table_is_as_before() -> None:
    table = costs(spent_by_model(pieces(prediction("gpt", 1, 2))), {"gpt": "GPT"}, {})
    assert len(table.views) == 2
    assert set(table.frame["measure"]) == {"questions", "uncounted", "prompt tokens", "response tokens", "errors"}


def test_errors_are_in_order_of_number_then_name() -> None:
    assert errors_text({"b": 1, "a": 1, "c": 2}) == "c: 2; a: 1; b: 1"
    assert errors_text({}) == "none"


@pytest.mark.parametrize(("cost", "text"), [(0, "0.00"), (0.01, "0.01"), (1234.567, "1234.57"), (0.00234, "0.0023")])
def test_money_is_legible_when_it_is_little(cost: float, text: str) -> None:
    assert money(cost) == text
