"""The output of batches: lines as OpenAI documents them, and as other providers write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from whatif.engine.errors import WhatifError
from whatif.formats.prediction_fields import Prediction
from whatif.formats.prediction_files import read_predictions

# From OpenAI's guide to its Batch API.
DOCUMENTED = (
    '{"id": "batch_req_123", "custom_id": "request-2", "response": {"status_code": 200, "request_id": "req_123", '
    '"body": {"id": "chatcmpl-123", "object": "chat.completion", "created": 1711652795, "model": "gpt-3.5-turbo-0125", '
    '"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello."}, "logprobs": null, '
    '"finish_reason": "stop"}], '
    '"usage": {"prompt_tokens": 22, "completion_tokens": 2, "total_tokens": 24}, "system_fingerprint": "fp_123"}}, '
    '"error": null}'
)


def line(message: Any, finish: Any = "stop", **more: Any) -> dict[str, Any]:
    response = {"status_code": 200, "body": {"choices": [{"message": message, "finish_reason": finish}]}}
    return {"custom_id": "a", "response": response, "error": None, **more}


def read(tmp_path: Path, *lines: Any) -> list[Prediction]:
    path = tmp_path / "batch.jsonl"
    path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines), encoding="utf-8")
    return read_predictions(path)


def test_the_documented_output(tmp_path: Path) -> None:
    (found,) = read(tmp_path, DOCUMENTED)
    assert found == Prediction("line 1", "Hello.", question_id="request-2")


def test_parts_reasoning_and_a_cut_response(tmp_path: Path) -> None:
    parts = [
        {"type": "thinking", "thinking": "I see one."},
        {"type": "text", "text": "T"},
        {"type": "text", "text": "wo"},
    ]
    (found,) = read(tmp_path, line({"content": parts}, "length"))
    assert (found.response, found.reasoning, found.cut_off, found.failure) == ("Two", "I see one.", True, None)
    (found,) = read(tmp_path, line({"content": "Two", "reasoning_content": "I see one."}))
    assert (found.response, found.reasoning, found.cut_off) == ("Two", "I see one.", False)
    (found,) = read(tmp_path, line({"content": {"type": "text", "text": "3"}}))
    assert (found.response, found.failure) == ("3", None)
    details = [{"type": "reasoning.summary", "summary": "I see "}, {"type": "reasoning.text", "text": "one."}]
    for more in ({"reasoning_details": details}, {"reasoning_text": "I see one."}):
        (found,) = read(tmp_path, line({"content": "Two", **more}))
        assert (found.response, found.reasoning) == ("Two", "I see one.")
    (found,) = read(tmp_path, line({"content": None}))
    assert (found.response, found.is_null, found.failure) == ("", True, None)


@pytest.mark.parametrize("error", [{}, "", None])
@pytest.mark.parametrize("status", [200, "200", None])
def test_an_empty_error_beside_a_whole_reply_is_none(error: Any, status: Any, tmp_path: Path) -> None:
    reply = line({"content": "Two"}, error=error)
    reply["response"]["status_code"] = status
    (found,) = read(tmp_path, reply)
    assert (found.response, found.failure) == ("Two", None)


def responses(*content: Any, **more: Any) -> dict[str, Any]:
    """A line with a body of OpenAI's Responses, as its documentation has it."""
    output = [
        {"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": "I see one."}]},
        {"id": "msg_1", "type": "message", "status": "completed", "role": "assistant", "content": list(content)},
    ]
    body = {"id": "resp_1", "object": "response", "status": "completed", "error": None, "incomplete_details": None}
    return {"custom_id": "a", "response": {"status_code": 200, "body": {**body, "output": output, **more}}}


def test_the_body_of_openais_responses(tmp_path: Path) -> None:
    said = {"type": "output_text", "text": "Two", "annotations": []}
    (found,) = read(tmp_path, responses(said))
    assert found == Prediction("line 1", "Two", question_id="a", reasoning="I see one.")
    cut = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    (found,) = read(tmp_path, responses(said, **cut))
    assert (found.response, found.cut_off, found.failure) == ("Two", True, None)


SAID = {"content": "429"}
FAILED: list[tuple[dict[str, Any], str]] = [
    (line(SAID, error={"code": "batch_expired", "message": "This request expired."}), "This request expired."),
    ({"custom_id": "a", "response": None, "error": {"code": "batch_cancelled"}}, "batch_cancelled"),
    (
        {
            "custom_id": "a",
            "response": {"status_code": 429, "body": {"error": {"message": "slow down"}}},
            "error": None,
        },
        "status 429: slow down",
    ),
    (line(SAID, "error"), "the reply is not complete (finish reason: error)"),
    (responses(status="failed", error={"code": "server_error", "message": "overloaded"}), "overloaded"),
    (responses(status="failed"), "the reply is not complete (finish reason: failed)"),
    (line({"content": 429}), "no chat completion"),
    (line("429"), "no chat completion"),
    ({"custom_id": "a", "response": {"status_code": 200, "body": {"choices": []}}}, "no chat completion"),
    ({"custom_id": "a", "response": "429"}, "no chat completion"),
]


@pytest.mark.parametrize(("failed", "reason"), FAILED)
def test_a_request_that_failed_is_no_response(failed: dict[str, Any], reason: str, tmp_path: Path) -> None:
    (found,) = read(tmp_path, failed)
    assert (found.question_id, found.place, found.failure) == ("a", "line 1", reason)


@pytest.mark.parametrize(
    ("refused", "reason"),
    [
        (line(SAID, "content_filter"), "refused: finish reason content_filter"),
        (line({"content": "Bad gateway"}, "SAFETY"), "refused: finish reason SAFETY"),
        (line({"content": None, "refusal": "I cannot."}), "refused: I cannot."),
        (line({"content": [{"type": "refusal", "refusal": "I cannot."}]}), "refused: I cannot."),
        (responses({"type": "refusal", "refusal": "I cannot."}), "refused: I cannot."),
    ],
)
def test_what_was_withheld_is_no_answer_and_no_failure(refused: dict[str, Any], reason: str, tmp_path: Path) -> None:
    (found,) = read(tmp_path, refused)
    assert (found.failure, found.withheld) == (None, reason)


def test_a_request_needs_an_id_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match="line 1: custom_id is empty; every request needs the id of its question"):
        read(tmp_path, {**line(SAID), "custom_id": " "})
    with pytest.raises(WhatifError, match="line 2: a is already in line 1"):
        read(tmp_path, line(SAID), line(SAID))
