"""What a tool wrote because a request failed is an error, and an answer about errors is an answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.formats.test_prediction_files import lines, written
from whatif.formats.prediction_files import read_predictions

FAILED = "[LMMS_EVAL_REQUEST_FAILED after 5 retries] Error code: 429"


@pytest.mark.parametrize(
    "fields",
    [
        {"resps": [[FAILED]], "filtered_resps": ["429"]},
        {"resps": FAILED, "filtered_resps": "429"},
        {"resps": [[["429"], [[FAILED]]]], "filtered_resps": ["429"]},  # of two tries, of which a filter chose
        {"resps": [[{"text": FAILED}]], "filtered_resps": ["429"]},
        {"resps": [[" [lmms_eval_budget_exceeded]"]], "filtered_resps": [[]]},
        {"resps": [[FAILED]]},
        {"filtered_resps": [FAILED]},
    ],
)
def test_a_filter_of_lmms_eval_cannot_hide_that_a_request_failed(fields: dict[str, Any], tmp_path: Path) -> None:
    sample = {"doc_id": 0, "doc": {"question_id": "a"}}
    good = {"doc_id": 1, "doc": {"question_id": "b"}, "resps": [["It is 429."]], "filtered_resps": ["429"]}
    failed, said = read_predictions(written(tmp_path / "s.jsonl", lines({**sample, **fields}, good)))
    assert failed.failure is not None and "[lmms_eval_" in failed.failure.lower()
    assert (said.failure, said.response) == (None, "429")


@pytest.mark.parametrize(
    "response",
    [
        "Error code: 500",
        "Error code: 429 - {'error': {'message': 'Rate limit reached for 3 requests'}}",
        "Error: CUDA out of memory. Tried to allocate 20.00 MiB",
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB",
        "[ERROR] 429 Resource has been exhausted",
        "502 Bad Gateway",
        "503 UNAVAILABLE. {'error': {'code': 503}}",
        "<html><head><title>504 Gateway Time-out</title></head></html>",
        "litellm.RateLimitError: RateLimitError: OpenAIException - Error code: 429",
        "RetryError[<Future at 0x7f3 state=finished raised RateLimitError>]",
        "**NETWORK ERROR DUE TO HIGH TRAFFIC. PLEASE REGENERATE OR REFRESH THIS PAGE.** (error_code: 1)",
        'Traceback (most recent call last):\n  File "a.py", line 3',
        "HTTPSConnectionPool(host='api.openai.com', port=443): Read timed out. (read timeout=3)",
        '{"error": {"message": "overloaded", "code": 3}}',
        '{"detail": "Too many requests: 3"}',
        "RuntimeError: CUDA error: device-side assert triggered at 3",
        "Rate limit reached for m in organization o on tokens per min: Limit 30000",
        "upstream connect error or disconnect/reset before headers. reset reason: 3",
        "[Errno 111] Connection refused",
        "error code: 1015",
        "null",
        "[no response]",
        "Request timed out.",
        "Connection error.",
        "$ERROR$",
        f'"{FAILED}"',
        f"['{FAILED}']",
        f"Answer: {FAILED}",
        f"<think>\n</think>\n{FAILED}",
    ],
)
def test_the_message_of_a_client_library_is_no_answer(response: str, tmp_path: Path) -> None:
    (found,) = read_predictions(written(tmp_path / "p.jsonl", lines({"question_id": "a", "response": response})))
    assert found.failure == " ".join(response.split())[:200]


@pytest.mark.parametrize(
    "response",
    [
        *("500", "429.", "Answer: 502", "404 Not Found", "500 people", "Error code: 404 is what the screen shows"),
        *("TypeError: unsupported operand", "Error: the picture shows 3 dogs", "Error bars: 3", "Error", "No response"),
        *("Null hypothesis", "Connection errors: 3", "Service unavailable in 3 regions", '{"error": "none", "n": 3}'),
        *("The answer is 502 Bad Gateway.", "<p>3</p>", "(A) Connection error in the router", "['3']", "API"),
        *(
            "The server is the woman on the left.",
            "Exception: 3 of them",
            "Rate limit: 50",
            "Read: 3",
            '{"message": "3"}',
        ),
    ],
)
def test_an_answer_about_errors_is_an_answer(response: str, tmp_path: Path) -> None:
    (found,) = read_predictions(written(tmp_path / "p.jsonl", lines({"question_id": "a", "response": response})))
    assert (found.response, found.failure) == (response, None)


@pytest.mark.parametrize(
    ("cells", "failure"),
    [
        ({"error": "429: slow\ndown"}, "error: 429: slow down"),
        ({"error": {"code": 429}}, "error: {'code': 429}"),
        ({"finish_reason": "error"}, "the reply is not complete (finish reason: error)"),
        *(
            ({"error": nothing, "finish_reason": "stop"}, None)
            for nothing in ("", None, "None", False, {}, float("nan"))
        ),
    ],
)
@pytest.mark.parametrize("named", [{"question_id": "a", "response": "429"}, {"index": 7, "prediction": "429"}])
def test_a_row_says_itself_that_its_request_failed(
    named: dict[str, Any], cells: dict[str, Any], failure: str | None, tmp_path: Path
) -> None:
    (found,) = read_predictions(written(tmp_path / "p.jsonl", lines({**named, **cells})))
    assert (found.response, found.failure, found.withheld, found.cut_off) == ("429", failure, None, False)


@pytest.mark.parametrize("named", [{"question_id": "a", "response": "4 p"}, {"index": 7, "prediction": "4 p"}])
def test_a_row_says_itself_that_its_response_was_withheld(named: dict[str, Any], tmp_path: Path) -> None:
    text = lines({**named, "finish_reason": "content_filter"})
    (found,) = read_predictions(written(tmp_path / "p.jsonl", text))
    assert (found.response, found.failure, found.withheld) == ("4 p", None, "refused: finish reason content_filter")


@pytest.mark.parametrize(
    ("header", "cells"),
    [
        ("question_id\tresponse\treasoning", "a\t3\tI see 4."),
        ("question_id\tresponse\treasoning_content", "a\t3\tI see 4."),
        ("index\tprediction\tthinking", "7\t3\tI see 4."),
        ("index\tquestion_id\tprediction\tthinking", "7\ta\t3\tI see 4."),
    ],
)
def test_a_column_of_reasoning_and_a_reply_at_its_limit(header: str, cells: str, tmp_path: Path) -> None:
    rows = f"{header}\tfinish_reason\n{cells}\tlength\n"
    (found,) = read_predictions(written(tmp_path / "p.tsv", rows))
    assert (found.response, found.reasoning, found.cut_off, found.failure) == ("3", "I see 4.", True, None)


@pytest.mark.parametrize(
    ("header", "first", "is_failure"),
    [
        ("index\tprediction", "1", True),
        ("question_id\tprediction", "a", True),
        ("index\tquestion_id\tprediction", "1\ta", True),
        ("question_id\tresponse", "a", False),
    ],
)
def test_none_is_no_response_in_the_columns_of_vlmevalkit(
    header: str, first: str, is_failure: bool, tmp_path: Path
) -> None:
    (found,) = read_predictions(written(tmp_path / "p.tsv", f"{header}\n{first}\tNone\n"))
    assert (found.failure is not None) == is_failure
    if is_failure:
        assert found.failure == "VLMEvalKit got no response (`None`)"
