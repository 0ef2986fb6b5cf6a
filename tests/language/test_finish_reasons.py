"""What the finish reasons of servers and providers mean."""

from __future__ import annotations

import pytest

from whatif.language.finish_reasons import Ending, ending, is_answer


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
