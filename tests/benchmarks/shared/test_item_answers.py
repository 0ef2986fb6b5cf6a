"""Predictions as answers of items: their fields, costs and programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from whatif.benchmarks.shared.item_answers import NOTHING, ShownSystem, SystemReader, program_shown
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.params.prices import Prices
from whatif.results.reporting.items import ItemAnswer, without_reasoning

Row = dict[str, Any]


def prediction(question_id: str = "q", **changes: Any) -> Row:
    known = {"question_id": question_id, "model": "m", "strategy": "direct", "status": "ok", "correct": True}
    return {**dict.fromkeys(PREDICTIONS.schema.names), **known, **changes}


def answers(folder: Path, *rows: Row, prices: Prices | None = None, **told: Any) -> list[ItemAnswer]:
    """The answers of these predictions, whose questions have the options red and blue."""
    write_artifact(folder / "predictions.parquet", PREDICTIONS, rows)
    system = ShownSystem(("m", "direct"), "M, direct", prices)
    read = SystemReader(system, [folder / "predictions.parquet"], **{"verdicts": {}, **told})
    return [*read.answers({row["question_id"]: {"choices": ["red", "blue"]} for row in rows}).values()]


def test_an_answer_has_turns_samples_tokens_and_its_cost(tmp_path: Path) -> None:
    same, other = ({"response": text, "answer": answer, "status": "ok"} for text, answer in (("B", "B"), (None, None)))
    row = prediction(
        answer="B",
        response="So: B",
        earlier_turns=[{"response": ""}, {"response": "Notes"}],
        samples=[same, other],
        prompt_tokens=1_000_000,
        response_tokens=500_000,
    )
    fewer = {**row, "question_id": "r", "response_tokens": None}
    made, without = answers(tmp_path, row, fewer, prices=Prices(2.0, 4.0))
    assert (made.system, made.answer, made.correct, made.status) == ("M, direct", "blue (B)", True, "ok")
    assert (made.why, made.response, made.turns, made.samples) == (
        "1 of 2 responses give this answer",
        "So: B",
        (NOTHING, "Notes"),
        ("B", NOTHING),
    )
    assert (made.prompt_tokens, made.response_tokens, made.cost) == (1_000_000, 500_000, pytest.approx(4.0))
    assert without.cost is None and [one.cost for one in answers(tmp_path, row)] == [None]


def test_the_reason_of_a_question_without_an_answer_comes_first(tmp_path: Path) -> None:
    row = prediction(status="ambiguous", reason="names A and B", correct=False)
    verdict = {"answer": None, "reason": "no answer", "correct": False}
    (made,) = answers(tmp_path, row, verdicts={("q", "m", "direct"): verdict}, judge="J")
    assert (made.answer, made.status, made.why) == (None, "ambiguous", "names A and B; the judge J: no answer")
    assert (made.turns, made.samples, made.program) == ((), (), None)


def test_reasoning_is_shown_before_the_response(tmp_path: Path) -> None:
    rows = [prediction(name, response="B", reasoning=thought) for name, thought in (("q", "four"), ("r", None))]
    made, plain = answers(tmp_path, *rows)
    assert without_reasoning(made.response) == ("four", "B") and plain.response == "B"


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
