"""Reasoning behind an endpoint: what is sent, what is counted, and what is said of endpoints that do something else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from tests.benchmarks.shared.test_evaluation import loopback
from tests.faulty_proxy import Fault, FaultyProxy
from tests.models.endpoint.odd_engine_settings import odd
from whatif.engine.errors import WhatifError
from whatif.engine.language.messages import one_turn
from whatif.engine.params.endpoints import ApiModel
from whatif.models import Answer, Question, load
from whatif.models.responses.store import ResponseStore
from whatif.models.responses.stored import StoredModel

__all__ = ["loopback"]  # a fixture

THINKS: dict[str, Any] = {"effort": "high", "budget_tokens": 2048, "template_kwargs": {"enable_thinking": True}}


class Reasoner(FaultyProxy):
    """Replies with the message, the finish reason and the tokens of reasoning that a test sets."""

    def __init__(self) -> None:
        super().__init__("127.0.0.1:1", self.reply)
        self.message: dict[str, Any] = {"content": "yes, 3"}
        self.finish, self.thoughts, self.error = "stop", list[int | None](), ""

    def reply(self, asked: str, number: int) -> Fault:
        if self.error:
            return Fault("status", 400, body=json.dumps({"error": {"message": self.error}}).encode())
        thoughts = self.thoughts.pop(0) if self.thoughts else None
        usage: dict[str, Any] = {"prompt_tokens": 9, "completion_tokens": 2100}
        if thoughts is not None:
            usage["completion_tokens_details"] = {"reasoning_tokens": thoughts}
        choice = {"index": 0, "finish_reason": self.finish, "message": {"role": "assistant", **self.message}}
        return Fault("status", 200, body=json.dumps({"choices": [choice], "usage": usage}).encode())


@pytest.fixture
def endpoint() -> Iterator[Reasoner]:
    with Reasoner() as started:
        yield started


def settings(base_url: str = "http://127.0.0.1:1/v1", **more: Any) -> ApiModel:
    values = {"adapter": "api", "model": "m", "base_url": base_url, "retries": 0, "concurrency": 1}
    return ApiModel.model_validate(values | more)


def asked(endpoint: Reasoner, count: int = 1, **more: Any) -> list[Answer]:
    questions = [Question(f"q{number}", "g", "original", one_turn(f"How many? {number}")) for number in range(count)]
    return list(load("api", settings(endpoint.base_url, **more), 0).answer(questions))


def test_effort_variables_and_room_are_sent(endpoint: Reasoner) -> None:
    asked(endpoint, reasoning=THINKS, extra_body={"top_k": 5}, token_limit="max_completion_tokens")
    ((_, body, _),) = endpoint.log
    assert (body["reasoning_effort"], body["chat_template_kwargs"]) == ("high", {"enable_thinking": True})
    assert (body["max_completion_tokens"], body["top_k"]) == (2048 + 64, 5)


def test_a_budget_alone_is_room_and_nothing_else(endpoint: Reasoner) -> None:
    asked(endpoint, reasoning={"budget_tokens": 100}, max_new_tokens=10)
    ((_, body, _),) = endpoint.log
    assert set(body) == {"model", "messages", "max_tokens", "temperature"}
    assert body["max_tokens"] == 110


def test_answers_are_stored_under_what_is_set() -> None:
    bare = load("api", settings(), 0).identity
    assert load("api", settings(reasoning=THINKS), 0).identity == {**(bare or {}), "reasoning": THINKS}
    none = load("api", settings(reasoning={"effort": "none"}), 0).identity
    assert none == {**(bare or {}), "reasoning": {"effort": "none"}}


def test_a_budget_is_in_no_key_of_a_ranking(store: ResponseStore) -> None:
    question = Question("q", "g", "original", one_turn("How many?"), ("A", "B"))

    def key(**more: Any) -> str:
        model = load("api", settings(multiple_choice="rank-letter", **more), 0)
        ((found, _),) = StoredModel(model, model.identity or {}, store).known([question])
        return found

    assert key(reasoning={"budget_tokens": 100}) == key()
    assert key(reasoning={"effort": "none"}) != key()


@pytest.mark.parametrize("message", [{"content": "", "reasoning_content": "four"}, {"content": None}])
def test_a_limit_inside_the_reasoning_is_a_reason_of_its_own(endpoint: Reasoner, message: dict[str, Any]) -> None:
    endpoint.message, endpoint.finish, endpoint.thoughts = message, "length", [2100]
    (answer,) = asked(endpoint, reasoning=THINKS)
    assert (answer.status, answer.reason) == ("none", "cut off inside its reasoning at 2,100 tokens")
    assert (answer.response_tokens, answer.reasoning_tokens) == (2100, 2100)


def test_a_limit_inside_marked_reasoning_too(endpoint: Reasoner) -> None:
    endpoint.message, endpoint.finish = {"content": "<think>four, or"}, "length"
    (answer,) = asked(endpoint)
    said = answer.without_reasoning()
    assert (said.status, said.reason) == ("none", "cut off inside its reasoning at 2,100 tokens")
    assert (said.reasoning, answer.reasoning_tokens) == ("four, or", None)


def test_an_answer_that_was_cut_off_is_not_cut_off_in_its_reasoning(endpoint: Reasoner) -> None:
    endpoint.message, endpoint.finish = {"content": "The number", "reasoning_content": "four"}, "length"
    (answer,) = asked(endpoint, reasoning=THINKS)
    assert (answer.status, answer.reason, answer.cut_off) == ("ok", None, True)


def test_an_endpoint_that_ignores_the_budget_is_named_once(
    endpoint: Reasoner, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.thoughts = [2048, 2049, None, 9000]
    asked(endpoint, 4, reasoning=THINKS)
    assert capsys.readouterr().err.splitlines() == [
        "whatif: m: 2 of 4 replies have more tokens of reasoning than budget_tokens (2,048), at most 9,000: the "
        "endpoint does not keep to it; give it the budget in its own words (extra_body), or raise it"
    ]


def test_without_a_budget_nothing_is_said(endpoint: Reasoner, capsys: pytest.CaptureFixture[str]) -> None:
    endpoint.thoughts = [9000]
    (answer,) = asked(endpoint, reasoning={"effort": "low"}, max_new_tokens=16_384)
    assert (answer.reasoning_tokens, capsys.readouterr().err) == (9000, "")


@pytest.mark.parametrize(
    ("name", "value"), [("reasoning_effort", '"high"'), ("chat_template_kwargs", '{"enable_thinking": true}')]
)
def test_a_field_that_the_endpoint_rejects_ends_the_run(endpoint: Reasoner, name: str, value: str) -> None:
    endpoint.error = f"Unsupported parameter: '{name}'"
    with pytest.raises(WhatifError) as error:
        asked(endpoint, 3, reasoning=THINKS)
    assert str(error.value) == (
        f"{endpoint.base_url}: rejects {name} {value} (status 400: Unsupported parameter: '{name}'); correct "
        "`reasoning` in the model's entry, or remove it"
    )
    assert len(endpoint.log) == 1


def test_another_rejection_is_that_of_a_question(endpoint: Reasoner) -> None:
    endpoint.error = "the prompt is too long"
    (answer,) = asked(endpoint, reasoning=THINKS)
    assert (answer.status, answer.reason) == ("error", "status 400: the prompt is too long")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"reasoning": {}}, "set effort, budget_tokens or template_kwargs, or remove `reasoning`"),
        ({"reasoning": {"effort": "high"}}, "reasoning is on, and its tokens count towards max_new_tokens (64), so "),
        (
            {"reasoning": {"template_kwargs": {"enable_thinking": True}}, "max_new_tokens": 1023},
            "write `max_new_tokens: 1024` or more, or leave it and set reasoning.budget_tokens, for example ",
        ),
        ({"reasoning": {"effort": "none", "budget_tokens": 9}}, "reasoning is switched off, so budget_tokens has no u"),
        (
            {"reasoning": {"template_kwargs": {"add_generation_prompt": False}}},
            "`add_generation_prompt` is not allowed in template_kwargs: whatif or the tokeniser sets it",
        ),
        ({"reasoning": {"template_kwargs": {"api_key": "k"}}}, "`api_key` looks like a secret"),
        ({"reasoning": {"template_kwargs": {"a b": 1}}}, "`a b` is no name of a variable of a chat template"),
        (
            {"reasoning": {"effort": "none", "template_kwargs": {"reasoning_effort": "low"}}},
            "the effort is given twice; remove reasoning_effort from template_kwargs",
        ),
        (
            {"reasoning": {"effort": "none"}, "extra_body": {"reasoning_effort": "none"}},
            "`reasoning_effort` is sent for reasoning and is in extra_body; remove it from extra_body",
        ),
    ],
)
def test_settings_that_cannot_be_are_refused(more: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as error:
        settings(**more)
    assert message in str(error.value)


def test_served_has_the_same_settings() -> None:
    command = "none"
    bare = odd(command).identity
    assert odd(command, reasoning=THINKS).identity == {**bare, "reasoning": THINKS}
