"""Prompting strategies as data."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from whatif.errors import WhatifError
from whatif.language.strategies import prompt, read, strategies
from whatif.language.strategies.strategy import Strategy


def test_the_strategies_of_c_vqa_are_there() -> None:
    assert {"direct", "cot"} <= set(strategies())


@pytest.mark.parametrize("strategy", strategies())
@pytest.mark.parametrize("kind", ["number", "boolean", "choice"])
def test_every_strategy_holds_the_question_once_as_it_is(strategy: str, kind: str) -> None:
    question = "How many {cats} & <dogs> would there be if {question}?"
    assert prompt(strategy, question, kind).count(question) == 1


def test_chain_of_thought_has_its_trigger_phrase_and_direct_has_not() -> None:
    assert "Let's think step by step" in prompt("cot", "How many?", "number")
    assert "step by step" not in prompt("direct", "How many?", "number")


def test_thoughts_have_room_and_a_short_answer_has_what_the_model_has() -> None:
    assert [read(name).turns[0].max_new_tokens for name in ("cot", "direct")] == [512, None]


def test_what_is_not_known_is_named() -> None:
    with pytest.raises(WhatifError, match="strategy icl2: is unknown; choose one of ccot, cot, direct"):
        prompt("icl2", "How many?", "number")
    with pytest.raises(WhatifError, match="strategy direct: has no prompt for answer kind essay"):
        prompt("direct", "How many?", "essay")


def test_strategies_with_shots_need_the_examples_of_a_benchmark() -> None:
    assert {"one-shot", "one-shot-cot"} <= set(strategies())
    assert not {"one-shot", "one-shot-cot"} & set(strategies(shots=False))
    assert {"direct", "cot", "plain"} <= set(strategies(shots=False))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"shots": 1}, "turn 1: has no `example`"),
        ({"turns": [{"user": "{question}", "example": "{answer}"}]}, "turn 1: has an `example`, but `shots` is 0"),
        (
            {"shots": 1, "turns": [{"user": "{question}", "example": "{answer}", "continues": False}]},
            "turn 1: a strategy with `shots` is one conversation",
        ),
        (
            {"shots": 1, "turns": [{"user": "{question}", "example": "{reason}"}]},
            "turn 1: names {reason}, which is unknown; it can name {answer}, {rationale}",
        ),
    ],
)
def test_a_wrong_strategy_with_shots_is_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Strategy.model_validate({"turns": [{"user": "{question}"}], **changed})


def test_a_question_is_in_the_text_after_which_options_are_ranked() -> None:
    with pytest.raises(ValidationError, match=r"turn 1: `user` must contain {question}; `append` is omitted"):
        Strategy.model_validate({"turns": [{"user": "Look.", "append": "{question}"}]})


def test_braces_of_json_and_latex_are_text() -> None:
    for text in ('Reply {"answer": 3}.', "Put it into \\boxed{answer}.", "Write {} or {3}."):
        assert Strategy.model_validate({"turns": [{"user": "{question}", "append": text}]}).turns[0].append == text


@pytest.mark.parametrize(
    ("user", "message"),
    [
        ({"letter": "{question}"}, "'letter' is no kind of answer; there are number, boolean, choice, text"),
        (["{question}"], r"must be a text, or a text for each kind of answer \(number, boolean, choice, text\)"),
    ],
)
def test_the_words_of_a_turn_are_a_text_or_one_for_each_kind(user: Any, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Strategy.model_validate({"turns": [{"user": user}]})
