"""Questions that want JSON: what is asked for, and responses that are not JSON of their schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.faulty_proxy import Fault, FaultyProxy, always
from tests.models.endpoint.server import completion, settings_of
from whatif.engine.artifacts import canonical_json
from whatif.engine.errors import WhatifError
from whatif.engine.language.messages import one_turn
from whatif.models import Answer, Question
from whatif.models.endpoint.api import ApiAnswers
from whatif.models.endpoint.json_replies import json_fault
from whatif.models.responses.store import ResponseStore
from whatif.models.responses.stored import stored

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("key")]

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"answer": {"enum": ["A", "B"]}, "count": {"type": "integer", "minimum": 0}},
    "required": ["answer"],
    "additionalProperties": False,
}


def question(schema: Any = SCHEMA, **fields: Any) -> Question:
    return Question("q", "g", "original", one_turn("Answer in JSON."), json_schema=canonical_json(schema), **fields)


def ask(
    reply: str, store: ResponseStore, asked: Question | None = None, **changes: Any
) -> tuple[Answer, list[dict[str, Any]]]:
    with FaultyProxy("127.0.0.1:1", always(Fault("status", 200, body=completion(reply)))) as proxy:
        model: Any = ApiAnswers(settings_of(proxy.base_url, Path("m"), **changes), 0, lambda seconds: None)
        model.identity = {**model.identity, "base_url": "http://host/v1"}  # without the port
        (answer,) = stored(model, store).answer([asked or question()])
        return answer, [sent for _, sent, _ in proxy.log]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (
            "schema",
            {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}},
        ),
        ("object", {"type": "json_object"}),
        ("none", None),
    ],
)
def test_an_endpoint_is_asked_in_the_way_that_it_knows(mode: str, expected: Any, store: ResponseStore) -> None:
    answer, (sent,) = ask('{"answer": "A"}', store, json_mode=mode)
    assert (answer.status, answer.response) == ("ok", '{"answer": "A"}')
    assert sent.get("response_format") == expected
    assert set(sent) - {"response_format"} == {"model", "messages", "max_tokens", "temperature"}
    assert ask("", store, json_mode=mode) == (answer, []), "it is stored"
    other = "object" if mode == "none" else "none"
    assert len(ask("", store, json_mode=other)[1]) == 1, "asked in another way, it is another request"


def test_a_question_without_a_schema_is_asked_as_before(store: ResponseStore) -> None:
    plain = Question("q", "g", "original", one_turn("Answer in JSON."))
    answer, (sent,) = ask("no JSON", store, plain, json_mode="object")
    assert answer.status == "ok" and "response_format" not in sent
    assert ask("", store, plain) == (answer, []), "json_mode does not matter for it"


def test_the_format_of_a_question_replaces_that_of_the_entry(store: ResponseStore) -> None:
    body = {"response_format": {"type": "text"}, "top_p": 0.5}
    _, (sent,) = ask('{"answer": "A"}', store, extra_body=body)
    assert (sent["response_format"]["type"], sent["top_p"]) == ("json_schema", 0.5)
    _, (sent,) = ask('{"answer": "A"}', store, extra_body=body, json_mode="none")
    assert sent["response_format"] == {"type": "text"}


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("The answer is A.", "the response is not JSON: Expecting value: line 1 column 1 (char 0)"),
        ('{"answer": "A"', "the response is not JSON: Expecting ',' delimiter"),
        ('```json\n{"answer": "A"}\n```', "the response is not JSON: "),
        ('{"answer": "A"} {"answer": "B"}', "the response is not JSON: Extra data"),
        ('{"answer": "A", "count": NaN}', "the response is not JSON: NaN is not JSON"),
        ("[" * 100_000, "the response is not JSON: "),
        ('{"count": 3}', "the response does not fit the JSON schema: 'answer' is a required property"),
        ('{"answer": "C"}', "the response does not fit the JSON schema: 'C' is not one of ['A', 'B']"),
        ('{"answer": "A", "count": -1}', "the response does not fit the JSON schema: -1 is less than the minimum of 0"),
        ('{"answer": "A", "why": "x"}', "the response does not fit the JSON schema: Additional properties are not"),
        ("3", "the response does not fit the JSON schema: 3 is not of type 'object'"),
        (json.dumps({"answer": "x" * 9999}), "the response does not fit the JSON schema: 'xxx"),
    ],
)
@pytest.mark.parametrize("mode", ["schema", "none"])
def test_a_response_that_is_not_json_of_the_schema_is_none(
    reply: str, reason: str, mode: str, store: ResponseStore
) -> None:
    answer, _ = ask(reply, store, json_mode=mode)
    assert (answer.status, answer.response) == ("none", reply)
    assert str(answer.reason).startswith(reason)
    assert len(str(answer.reason)) < 300 and "\n" not in str(answer.reason)
    assert ask("", store, json_mode=mode) == (answer, []), "it was paid for"


def test_an_empty_response_keeps_its_reason(store: ResponseStore) -> None:
    assert ask("", store)[0].reason == "empty response (finish reason: length)"


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "number of dots"}, "json_schema: is not a JSON schema ("),
        ({"$ref": "http://127.0.0.1:1/other.json"}, "json_schema: refers to something that it does not contain ("),
    ],
)
def test_a_schema_that_is_none_is_named(schema: Any, message: str, store: ResponseStore) -> None:
    with pytest.raises(WhatifError) as error:
        ask('{"answer": "A"}', store, question(schema))
    assert str(error.value).startswith(message) and "\n" not in str(error.value)
    assert sum(store.summary().answers.values()) == 0


@pytest.mark.parametrize("text", ["3", " 3\n", "3.0"])
def test_json_may_have_white_space_around_it(text: str) -> None:
    assert json_fault(text, '{"type":"integer"}') is None


def test_options_are_ranked_all_the_same(store: ResponseStore) -> None:
    with pytest.raises(WhatifError, match="gives no log-probabilities"):
        ask('{"answer": "A"}', store, question(options=("A", "B")), multiple_choice="rank-letter")
