"""Conversations as data, and what the finish reasons of servers and providers mean."""

from __future__ import annotations

import pytest

from whatif.engine.language.finish_reasons import Ending, ending, is_answer
from whatif.engine.language.messages import (
    ImagePart,
    Message,
    as_json,
    images_in,
    is_one_turn,
    last_prompt,
    one_turn,
    with_system,
    without_images,
)

EXAMPLE = (
    Message("user", (ImagePart("a"), "How many?")),
    Message("assistant", ("Two.",)),
    Message("user", ("Look at", ImagePart("b", "left"), "and", ImagePart("c", "right"), "How many now?")),
)


def test_the_usual_conversation_is_one_message_with_its_images_first() -> None:
    asked = one_turn("How many?", ["a", "b"])
    assert asked == (Message("user", (ImagePart("a"), ImagePart("b"), "How many?")),)
    assert is_one_turn(asked) and is_one_turn(one_turn("How many?"))


def test_no_other_conversation_is_taken_for_the_usual_one() -> None:
    """Its key would leave out what makes it another request."""
    image = ImagePart("a")
    others = [
        (),
        EXAMPLE,
        with_system(one_turn("How many?"), "Count."),
        (Message("assistant", ("How many?",)),),
        (Message("user", ("How many?", image)),),
        (Message("user", ("How", "many?")),),
        (Message("user", (ImagePart("a", "left"), "How many?")),),
        (Message("user", (image,)),),
    ]
    assert not any(map(is_one_turn, others))


def test_the_prompt_is_the_last_text_of_the_user_and_images_are_in_order() -> None:
    assert last_prompt(EXAMPLE) == "Look at\nand\nHow many now?" and last_prompt(()) == ""
    assert [image.image_id for image in images_in(EXAMPLE)] == ["a", "b", "c"]
    assert images_in(without_images(EXAMPLE)) == () and last_prompt(without_images(EXAMPLE)) == last_prompt(EXAMPLE)


def test_a_models_own_system_message_precedes_that_of_a_strategy() -> None:
    assert with_system(EXAMPLE, None) == EXAMPLE
    once = with_system(EXAMPLE, "Count.")
    assert once == (Message("system", ("Count.",)), *EXAMPLE)
    assert with_system(once, "Look.")[0] == Message("system", ("Look.\n\nCount.",))


def test_keys_name_roles_images_and_labels() -> None:
    assert as_json(EXAMPLE)[0] == {"role": "user", "parts": [{"image": "a"}, "How many?"]}
    assert as_json(EXAMPLE)[2]["parts"][1] == {"image": "b", "label": "left"}


@pytest.mark.parametrize(
    ("words", "meaning"),
    [
        ("stop STOP FinishReason.STOP FINISH_REASON_STOP eos eos_token stop_sequence STOP_SEQUENCE", "whole"),
        ("end_turn endTurn end_of_turn COMPLETE tool_calls tool-calls TOOL_CALL tool_use eosFound", "whole"),
        ("length max_tokens MAX_TOKENS maxTokens FinishReason.MAX_TOKENS model_length token_limit", "limit"),
        ("model_context_window_exceeded maxPredictedTokensReached max_output_tokens ERROR_LIMIT", "limit"),
        ("content_filter content-filter SAFETY RECITATION refusal sensitive guardrail_intervened", "withheld"),
        ("error ERROR abort network_error insufficient_system_resource timeout cancelled OTHER", "failed"),
        ("stopped_early 42 网络错误 unspecified finish_reason_of_tomorrow", None),
    ],
)
def test_a_word_means_the_same_however_it_is_spelled(words: str, meaning: Ending | None) -> None:
    assert {word: ending(word) for word in words.split()} == dict.fromkeys(words.split(), meaning)
    assert {is_answer(word) for word in words.split()} == {meaning in ("whole", "limit", "withheld")}


def test_an_endpoint_that_gives_no_reason_has_not_failed() -> None:
    assert {ending(None), ending(""), ending("None"), ending("null")} == {"whole"}
