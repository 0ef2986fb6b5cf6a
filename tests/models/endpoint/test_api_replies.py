"""Unusual replies of careless, broken and misconfigured endpoints."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.faulty_proxy import Fault, FaultyProxy, Plan, always
from tests.models.endpoint.server import SECRET
from whatif.engine.errors import WhatifError
from whatif.engine.language.messages import one_turn
from whatif.engine.params.endpoints import ApiModel
from whatif.models import Answer, Question
from whatif.models.endpoint.api import ApiAnswers
from whatif.models.endpoint.connection import FIRST_WAIT
from whatif.models.responses.answer_json import as_json as answer_as_json
from whatif.models.responses.store import ResponseStore, request_key
from whatif.models.responses.stored import stored

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("key")]


def questions(number: int, **fields: Any) -> list[Question]:
    return [
        Question(f"question-{place}", "group", "original", one_turn(f"how many in {place}?"), **fields)
        for place in range(number)
    ]


def settings_of(base_url: str, **changes: Any) -> ApiModel:
    values = {"adapter": "api", "model": "m", "base_url": base_url, "key_variable": "TEST_API_KEY", "retries": 1}
    return ApiModel.model_validate(values | {"concurrency": 1} | changes)


def ask(
    plan: Plan | Fault, asked: Sequence[Question] | None = None, store: ResponseStore | None = None, **changes: Any
) -> tuple[list[Answer], list[float], int]:
    """Answers, the waits between tries, and the number of requests; there is no model behind the endpoint."""
    waits: list[float] = []
    with FaultyProxy("127.0.0.1:1", always(plan) if isinstance(plan, Fault) else plan) as proxy:
        model: Any = ApiAnswers(settings_of(proxy.base_url, **changes), 0, waits.append)
        if store is not None:
            # The key leaves out the port, which is another one each time.
            model.identity = {**model.identity, "base_url": "http://host/v1"}
            model = stored(model, store)
        return list(model.answer(questions(1) if asked is None else asked)), waits, len(proxy.log)


def reply(content: Any = "3", finish: Any = "stop", usage: Any = None, **message: Any) -> Fault:
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content, **message}}
    counts = {"prompt_tokens": 10, "completion_tokens": 2} if usage is None else usage
    return Fault("status", 200, body=json.dumps({"choices": [choice], "usage": counts}).encode())


def refusal(status: int, error: Any, **headers: str) -> Fault:
    names = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Fault("status", status, names, json.dumps(error).encode())


# The key


@pytest.mark.parametrize(
    "fault",
    [
        reply("", refusal=f"no, {SECRET}"),
        reply("", refusal={"why": f"no, {SECRET}"}),
        reply("", finish=f"stop {SECRET}"),
        reply(f"It is {SECRET}."),
        *(refusal(400, {"error": {"message": "x" * pad + SECRET}}) for pad in range(250, 300, 7)),
    ],
)
def test_a_key_that_is_sent_back_is_blotted_out_whole(fault: Fault, store: ResponseStore, tmp_path: Path) -> None:
    (answer,), _, _ = ask(fault, store=store)
    store.export(tmp_path / "out.jsonl")
    kept = (tmp_path / "out.jsonl").read_text()
    for length in range(6, len(SECRET)):
        assert SECRET[:length] not in repr(answer) and SECRET[:length] not in kept
    assert len(answer.reason or "") <= 350 and "\n" not in (answer.reason or "")


# Settings that make every question fail


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (
            refusal(404, {"error": {"message": "no such model"}}),
            r"has no model m \(status 404: no such model\); correct model",
        ),
        (
            refusal(402, {"error": {"message": "Insufficient Balance"}}),
            r"no credit left \(status 402: Insufficient Bal",
        ),
        (
            refusal(429, {"error": {"message": "daily quota"}}, Retry_After="86400"),
            "asks to wait 86400 s .*daily quota",
        ),
        (refusal(503, {"error": {"message": "closed"}}, Retry_After="inf"), "asks to wait inf s "),
    ],
)
def test_what_no_other_question_will_change_stops_the_run(fault: Fault, message: str) -> None:
    with pytest.raises(WhatifError, match=message):
        ask(fault, questions(50))


def test_a_setting_that_every_request_is_refused_for_stops_the_run() -> None:
    fault = refusal(400, {"error": {"message": "temperature is not supported"}})
    with pytest.raises(
        WhatifError, match=r"20 questions in a row were not answered.*temperature is not supported; fix"
    ):
        ask(fault, questions(20))
    answers, _, requests = ask(fault, questions(19))
    assert ([answer.status for answer in answers], requests) == (["error"] * 19, 19)


def test_pictures_that_cannot_be_read_neither_count_nor_hide_what_the_endpoint_does() -> None:
    broken = questions(30, encoded_images=lambda: [b"<svg>"])
    assert {answer.transient for answer in ask(reply(), broken)[0]} == {False}
    fault = refusal(400, {"error": {"message": "no"}})
    with pytest.raises(WhatifError, match="20 questions in a row"):
        ask(fault, [question for pair in zip(questions(30), broken, strict=True) for question in pair])


# Odd replies


FAILED = ("error", "ERROR", "insufficient_system_resource", "network_error", "abort", "timeout")


@pytest.mark.parametrize("finish", FAILED)
def test_a_reply_that_says_that_the_endpoint_failed_is_no_answer(finish: str, store: ResponseStore) -> None:
    (answer,), waits, requests = ask(reply("The answer is", finish), store=store)
    assert (answer.status, answer.transient, len(waits), requests) == ("error", True, 1, 2)
    assert f"the reply is not complete (finish reason: {finish})" in str(answer.reason)
    assert not store.summary().answers


@pytest.mark.parametrize("finish", ["a reason of next year", "a\nreason", "\u7f51\u7edc\u9519\u8bef"])
def test_an_unknown_reason_is_no_answer_and_says_what_to_do(finish: str, store: ResponseStore) -> None:
    (answer,), _, requests = ask(reply("The answer is", finish), store=store)
    assert (answer.status, answer.transient, requests) == ("error", True, 2)
    assert str(answer.reason).startswith(f"the finish reason {' '.join(finish.split())!r} is unknown")
    assert str(answer.reason).endswith("add it to the model's complete_finish_reasons (the last of 2 tries)")
    assert not store.summary().answers
    known = {"complete_finish_reasons": ["A reason of next year", "a reason", "\u7f51\u7edc\u9519\u8bef"]}
    (answer,), _, requests = ask(reply("The answer is 3", finish), store=store, **known)
    assert (answer.status, answer.finish, requests) == ("ok", "stop", 1)
    assert ask(reply(), store=store) == ([answer], [], 0), "the store knows that it is an answer"


def test_a_server_whose_reasons_are_all_unknown_ends_the_run_and_names_the_reason() -> None:
    sent: list[str] = []

    def plan(body: str, number: int) -> Fault:
        sent.append(body)
        return reply("3", "done and dusted")

    with pytest.raises(WhatifError, match=r"20 questions in a row .* because: the finish reason 'done and"):
        ask(plan, questions(50))
    assert len(sent) == 2 * 20, "two tries for each of twenty questions"


@pytest.mark.parametrize("place", ["top", "choice"])
@pytest.mark.parametrize("error", [{"code": 502, "message": f"upstream {SECRET} failed"}, "upstream failed"])
def test_an_error_beside_content_is_no_answer(place: str, error: Any, store: ResponseStore) -> None:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "3 or"}}
    body: dict[str, Any] = {"choices": [choice]}
    (body if place == "top" else choice)["error"] = error
    (answer,), _, requests = ask(Fault("status", 200, body=json.dumps(body).encode()), store=store)
    assert (answer.status, answer.transient, requests) == ("error", True, 2)
    assert "the reply contains an error: upstream" in str(answer.reason) and SECRET not in str(answer.reason)
    assert not store.summary().answers


@pytest.mark.parametrize("finish", ["content_filter", "SAFETY", "refusal", "guardrail_intervened"])
def test_a_filtered_response_is_a_refusal_and_asked_once(finish: str, store: ResponseStore) -> None:
    (answer,), waits, requests = ask(reply("There are 3 peo", finish), store=store)
    assert (answer.status, waits, requests) == ("none", [], 1)
    assert answer.reason == f"refused: finish reason {finish}"
    assert ask(reply(), store=store) == ([answer], [], 0)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"type": "text", "text": "There "}, {"type": "text", "text": "are 3"}], "There are 3"),
        ([{"type": "thinking", "thinking": "maybe 4"}, {"type": "text", "text": "3"}], "3"),
        ([{"type": "output_text", "text": "3"}, {"type": "image_url", "image_url": {"url": "x"}}], "3"),
        (["There", " are 3"], "There are 3"),
        ({"type": "text", "text": "3"}, "3"),
    ],
)
def test_content_in_parts_is_an_answer_paid_for_once(content: Any, text: str, store: ResponseStore) -> None:
    (answer,), waits, requests = ask(reply(content), store=store)
    assert (answer.status, answer.response, waits, requests) == ("ok", text, [], 1)


def test_a_refusal_in_a_part_is_a_refusal(store: ResponseStore) -> None:
    (answer,), _, requests = ask(reply([{"type": "refusal", "refusal": "I cannot."}]), store=store)
    assert (answer.status, answer.reason, requests) == ("none", "refused: I cannot.", 1)


@pytest.mark.parametrize("name", ["reasoning_details", "reasoning_text"])
def test_reasoning_beside_the_text_is_kept(name: str, store: ResponseStore) -> None:
    given = {"reasoning_details": [{"type": "reasoning.text", "text": "I see 4."}], "reasoning_text": "I see 4."}
    (answer,), _, _ = ask(reply("3", **{name: given[name]}), store=store)
    assert (answer.response, answer.reasoning) == ("3", "I see 4.")


@pytest.mark.parametrize("choices", [{"0": {"message": {"content": "3"}}}, {}, "3", 3])
def test_choices_that_are_no_list_are_tried_again(choices: Any) -> None:
    (answer,), _, requests = ask(Fault("status", 200, body=json.dumps({"choices": choices}).encode()))
    assert (answer.status, answer.transient, requests) == ("error", True, 2)
    assert "the reply is no chat completion" in str(answer.reason)


def test_a_failure_that_was_stored_as_an_answer_is_asked_again_once(store: ResponseStore) -> None:
    earlier = Answer(response="The answ", finish="error")
    with FaultyProxy("127.0.0.1:1", always(reply("3"))) as proxy:
        model: Any = ApiAnswers(settings_of(proxy.base_url), 0)
        asked: Any = stored(model, store)
        request = asked._request(questions(1)[0])
        store.put(request_key(request), request, answer_as_json(earlier))
        for _ in range(2):
            assert [answer.response for answer in asked.answer(questions(1))] == ["3"]
        assert len(proxy.log) == 1


@pytest.mark.parametrize(
    ("finish", "cut_off"),
    [
        *((word, True) for word in ("length", "MAX_TOKENS", "model_length", "FinishReason.MAX_TOKENS", "token_limit")),
        *((word, False) for word in (None, "stop", "STOP", "end_turn", "end_of_turn", "eos", "eos_token", "eosFound")),
        *((word, False) for word in ("stop_sequence", "COMPLETE", "tool-calls", "tool_use", "end")),
    ],
)
def test_a_response_that_was_cut_off_says_so_in_the_store_too(
    finish: str | None, cut_off: bool, store: ResponseStore
) -> None:
    (answer,), _, _ = ask(reply("There are 3", finish), store=store)
    assert (answer.status, answer.cut_off) == ("ok", cut_off)
    assert ask(reply(), store=store) == ([answer], [], 0)


@pytest.mark.parametrize("text", ["a\ud800 3", "\udc00", "\ud83d\ude00 3"])
def test_half_a_surrogate_pair_is_replaced_when_it_is_read(text: str, store: ResponseStore) -> None:
    (answer,), _, _ = ask(reply(text), store=store)
    assert answer.response == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert ask(reply(), store=store) == ([answer], [], 0)
    assert ask(reply("", refusal=text))[0][0].status == "none"


@pytest.mark.parametrize("count", [10**30, -5, True, "7", 1.5, None, [1]])
def test_a_count_of_tokens_that_is_none_is_not_taken(count: Any, store: ResponseStore) -> None:
    (answer,), _, _ = ask(reply(usage={"prompt_tokens": count, "completion_tokens": 1}), store=store)
    assert answer.prompt_tokens is None and answer.response_tokens == 1
    with pytest.raises(WhatifError, match="does not count tokens"):
        ask(reply(usage={"prompt_tokens": count, "completion_tokens": 1}), token_budget=5)


@pytest.mark.parametrize(
    "value",
    ["Wed, 21 Oct 99999999999999 07:28:00 GMT", "Wed, 21 Oct 2026 07:28:00 +9999999999999999", "5 seconds", "x" * 999],
)
def test_a_retry_after_that_means_nothing_is_passed_over(value: str) -> None:
    fault = refusal(429, {"error": {"message": "slow"}}, Retry_After=value, Date="Wed, 21 Oct 2026 07:28:00 GMT")
    (answer,), waits, _ = ask(fault)
    assert answer.transient and len(waits) == 1 and FIRST_WAIT <= waits[0] <= 2 * FIRST_WAIT


def test_json_that_is_too_deep_is_no_reply() -> None:
    (answer,), _, requests = ask(Fault("status", 200, body=b"[" * 100_000))
    assert (answer.status, answer.transient, requests) == ("error", True, 2)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ([{"error": {"code": 400, "message": "as of Gemini"}}], "status 400: as of Gemini"),
        ({"error": {"message": "plain"}}, "status 400: plain"),
        ({"error": "a text"}, "status 400: a text"),
        ({"detail": "of FastAPI"}, "status 400: {'detail': 'of FastAPI'}"),
        ([f"Bearer {SECRET}", 2], "status 400: ['Bearer (key)', 2]"),
        ({"error": None}, "status 400: no reason given"),
        ("", "status 400: no reason given"),
    ],
)
def test_the_words_of_an_error_are_kept_in_whatever_form_they_come(error: Any, reason: str) -> None:
    assert ask(refusal(400, error))[0] == [Answer(status="error", reason=reason)]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("qwen-7b", True),
        ("llava-1.5-7b", False),
        ("LLaVA-1.5-7b-2024-05-01", False),
        ("llava", False),
        (None, False),
        (42, True),
    ],
)
def test_replies_that_name_another_model_are_reported_once(
    name: Any, told: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "3"}}
    body = json.dumps({"choices": [choice], "model": name}).encode()
    answers, _, _ = ask(Fault("status", 200, body=body), questions(3), model="llava-1.5-7b")
    assert [answer.response for answer in answers] == ["3"] * 3
    line = f": was asked for the model llava-1.5-7b, but replies name {name}\n"
    assert capsys.readouterr().err.count(line) == told
