"""Predictions as answers of items: their fields, costs and programs."""

from __future__ import annotations

from typing import Any

import pytest

from whatif.benchmarks.shared.item_answers import NOTHING, item_answer, program_shown
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.params.prices import Prices
from whatif.results.reporting.items import without_reasoning

Row = dict[str, Any]


def prediction(question_id: str = "q", **changes: Any) -> Row:
    known = {"question_id": question_id, "model": "m", "strategy": "direct", "status": "ok", "correct": True}
    return {**dict.fromkeys(PREDICTIONS.schema.names), **known, **changes}


def test_an_answer_has_turns_samples_tokens_and_its_cost() -> None:
    row = prediction(
        response="So: B",
        earlier_turns=[{"response": ""}, {"response": "Notes"}],
        samples=[{"response": "B"}, {"response": None}],
        prompt_tokens=1_000_000,
        response_tokens=500_000,
    )
    made = item_answer("M, direct", row, "blue (B)", why="by rule", prices=Prices(2.0, 4.0))
    assert (made.system, made.answer, made.correct, made.status) == ("M, direct", "blue (B)", True, "ok")
    assert (made.why, made.response, made.turns, made.samples) == (
        "by rule",
        "So: B",
        (NOTHING, "Notes"),
        ("B", NOTHING),
    )
    assert (made.prompt_tokens, made.response_tokens, made.cost) == (1_000_000, 500_000, pytest.approx(4.0))
    assert item_answer("M", row, "B").cost is None
    assert item_answer("M", {**row, "response_tokens": None}, "B", prices=Prices(2.0, 4.0)).cost is None


def test_the_reason_of_a_question_without_an_answer_comes_first() -> None:
    row = prediction(status="ambiguous", reason="names A and B", correct=False)
    made = item_answer("M", row, None, why="the judge finds no answer")
    assert (made.answer, made.status, made.why) == (None, "ambiguous", "names A and B; the judge finds no answer")
    assert (made.turns, made.samples, made.program) == ((), (), None)


def test_reasoning_is_shown_before_the_response() -> None:
    made = item_answer("M", prediction(response="B", reasoning="four"), "blue (B)")
    assert without_reasoning(made.response) == ("four", "B")
    assert item_answer("M", prediction(response="B"), "blue (B)").response == "B"


def test_a_program_has_its_category_otherwise_how_its_run_failed() -> None:
    call = {"tool": "find", "arguments": "cup", "value": "2"}
    program = {"code": "x = 1", "outcome": "error", "reason": "no cup", "fallback": True, "calls": [call]}
    made = program_shown(program)
    assert made is not None
    assert (made.code, made.category, made.calls) == ("x = 1", "error: no cup; a fallback program", ("find cup: 2",))
    sorted_out = program_shown({**program, "fallback": False, "reason": None}, "ignores the presupposition")
    assert sorted_out is not None and sorted_out.category == "ignores the presupposition"
    right = program_shown({**program, "outcome": "ok", "reason": None, "fallback": False})
    assert right is not None and right.category == "" and program_shown(None) is None
