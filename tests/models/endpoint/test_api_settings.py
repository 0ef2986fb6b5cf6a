"""The effect of a system message and further request fields on requests and on the keys of stored answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.benchmarks.shared.test_evaluation import Endpoint, loopback
from whatif.engine.language.messages import ImagePart, one_turn, user_message
from whatif.engine.params.endpoints import ApiModel
from whatif.models import Question, load

__all__ = ["loopback"]  # a fixture

SET: dict[str, Any] = {"system": "You count dots.", "extra_body": {"top_p": 0.5, "provider": {"order": ["a", "b"]}}}


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint() as started:
        yield started


def settings(base_url: str = "http://127.0.0.1:1/v1", **more: Any) -> ApiModel:
    return ApiModel.model_validate({"adapter": "api", "model": "m", "base_url": base_url, "retries": 0, **more})


def sent(endpoint: Endpoint, **more: Any) -> dict[str, Any]:
    model = load("api", settings(endpoint.base_url, **more), 0)
    (answer,) = model.answer([Question("q", "g", "original", one_turn("How many?"))])
    assert answer.response == "yes, 3"
    ((_, body, _),) = endpoint.log
    return body


def test_both_are_sent(endpoint: Endpoint) -> None:
    asked = {"role": "user", "content": "How many?"}
    body = sent(endpoint, **SET)
    assert body["messages"] == [{"role": "system", "content": "You count dots."}, asked]
    assert (body["top_p"], body["provider"]) == (0.5, {"order": ["a", "b"]})
    assert (body["model"], body["max_tokens"], body["temperature"]) == ("m", 64, 0)


def test_without_them_nothing_else_is_sent(endpoint: Endpoint) -> None:
    body = sent(endpoint)
    assert set(body) == {"model", "messages", "max_tokens", "temperature"}
    assert [turn["role"] for turn in body["messages"]] == ["user"]


def test_answers_are_stored_under_what_is_set_and_nothing_more() -> None:
    bare = load("api", settings(), 0).identity
    assert bare is not None
    assert set(bare) == {"adapter", "version", "base_url", "model", "max_new_tokens", "temperature"}
    assert load("api", settings(**SET), 0).identity == {**bare, **SET}
    unlike = {"limit": 5, "benchmarks": ["scenes"], "name": "M", "concurrency": 2}
    assert load("api", settings(**unlike), 0).identity == bare


def test_a_model_that_takes_no_images_is_sent_the_texts_alone(endpoint: Endpoint) -> None:
    images = [ImagePart("i", "Cause"), ImagePart("j", "Effect")]
    asked = Question("q", "g", "original", (user_message("How many?", images),), encoded_images=_unreadable)
    for several_images in ("in place", "composite"):
        limits = {"takes_images": False, "several_images": several_images}
        (answer,) = load("api", settings(endpoint.base_url, **limits), 0).answer([asked])
        assert (answer.status, answer.image_form) == ("ok", None)
    for _, body, _ in endpoint.log:
        assert body["messages"] == [{"role": "user", "content": "How many?"}]


def _unreadable() -> list[bytes]:
    raise OSError("images are not read")


def test_its_answers_are_stored_apart_and_those_of_other_models_where_they_were() -> None:
    bare = load("api", settings(), 0).identity
    assert load("api", settings(takes_images=True), 0).identity == bare
    assert load("api", settings(takes_images=False), 0).identity == {**(bare or {}), "takes_images": False}
