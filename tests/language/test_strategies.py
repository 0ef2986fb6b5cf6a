"""Prompting strategies as data."""

from __future__ import annotations

import pytest

from whatif.errors import WhatifError
from whatif.language.strategies import max_new_tokens, prompt, strategies


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
    assert (max_new_tokens("cot", 64), max_new_tokens("cot", 1024), max_new_tokens("direct", 64)) == (512, 1024, 64)


def test_what_is_not_known_is_named() -> None:
    with pytest.raises(WhatifError, match="strategy icl2: is unknown; choose one of cot, direct"):
        prompt("icl2", "How many?", "number")
    with pytest.raises(WhatifError, match="strategy direct: has no prompt for answer kind essay"):
        prompt("direct", "How many?", "essay")
