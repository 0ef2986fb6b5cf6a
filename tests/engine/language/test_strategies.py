"""Prompting strategies as data."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from whatif.engine.errors import WhatifError
from whatif.engine.language.messages import ImagePart, Messages
from whatif.engine.language.strategies import conversation, prompt, read, strategies
from whatif.engine.language.strategies.strategy import Strategy


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


STEPS = {"ccot": 2, "mmcot": 2, "vccot": 3, "multi-turn": 3}
QUESTION = "Which image shows the effect of {the cause}? Select the correct answer:A:Image A  B:Image B"
IMAGES = (ImagePart("cause"), ImagePart("effects"))
SAID = ('{"panels": [{"objects": ["a {cup}"]}]}', "Character: the {answer_1} is the same.")


def steps(strategy: str, *, ranked: bool = False) -> list[Messages]:
    """The conversation of each step, given what the model said in those before."""
    return [
        conversation(strategy, QUESTION, "choice", IMAGES, SAID[:number], ranked=ranked)
        for number in range(STEPS[strategy])
    ]


@pytest.mark.parametrize("strategy", STEPS)
def test_each_has_its_number_of_steps_and_no_wording_of_a_benchmark(strategy: str) -> None:
    described = read(strategy)
    assert len(described.turns) == STEPS[strategy]
    words = " ".join(text for turn in described.turns for text in turn.texts).lower()
    assert "mucr" not in words and "effect" not in words and "siamese" not in words


@pytest.mark.parametrize("strategy", STEPS)
def test_the_model_is_asked_for_the_answer_in_the_last_step_alone(strategy: str) -> None:
    *earlier, last = [one[-1].text for one in steps(strategy)]
    assert last.endswith("one letter.")
    assert not any("one letter" in text for text in earlier)
    assert all("Do not answer" in text or "Do not choose" in text for text in earlier)


@pytest.mark.parametrize("strategy", STEPS)
def test_where_options_are_ranked_nothing_is_said_about_letters(strategy: str) -> None:
    assert "one letter" not in steps(strategy, ranked=True)[-1][-1].text


@pytest.mark.parametrize("strategy", ["ccot", "mmcot", "vccot"])
def test_each_step_is_a_new_conversation_with_the_images_and_what_was_said_before(strategy: str) -> None:
    for number, messages in enumerate(steps(strategy)):
        (message,) = messages
        assert message.images == IMAGES
        assert message.text.count(QUESTION) == 1
        said = SAID[number - 1] if number else ""
        assert said in message.text, "the notes stand as they are, with their braces"


def test_visual_cues_go_from_captions_to_character_and_background_to_reasons() -> None:
    captions, details, reasons = (one[-1].text for one in steps("vccot"))
    assert "dense caption of every image" in captions
    assert "Character:" in details and "Background:" in details and SAID[0] in details
    assert SAID[0] in reasons and SAID[1] in reasons and "Reason step by step" in reasons


def test_in_several_turns_the_images_are_shown_once_and_the_options_follow_the_start() -> None:
    last = steps("multi-turn")[-1]
    assert [message.role for message in last] == ["user", "assistant"] * 2 + ["user"]
    assert [message.images for message in last if message.role == "user"] == [IMAGES, (), ()]
    assert [message.text for message in last if message.role == "assistant"] == list(SAID)
    assert QUESTION in last[0].text and "only what the question starts from" in last[0].text
    assert "every other image, panel and option" in last[2].text


@pytest.mark.parametrize("strategy", ["ccot", "vccot", "multi-turn"])
def test_without_images_the_wording_names_what_to_describe_instead(strategy: str) -> None:
    assert "if there is no image" in conversation(strategy, QUESTION, "choice")[0].text.lower()


@pytest.mark.parametrize("strategy", STEPS)
def test_notes_have_room_and_a_short_answer_has_what_the_model_has(strategy: str) -> None:
    *earlier, last = read(strategy).turns
    assert all(turn.max_new_tokens is not None and turn.max_new_tokens >= 256 for turn in earlier)
    assert (last.max_new_tokens is None) == (strategy != "vccot"), "only there the last response has reasons"
