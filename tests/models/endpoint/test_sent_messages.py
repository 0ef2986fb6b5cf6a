"""Conversations as they are sent: images among texts, composites, the role of a system message, limits of tokens."""

from __future__ import annotations

import base64
import hashlib
import io
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.faulty_proxy import FaultyProxy
from tests.models.endpoint.server import TOKENS, settings_of
from tests.served_model import encoded_picture
from whatif.engine.files.image_decoding import decode
from whatif.engine.language.messages import ImagePart, Message, Messages, one_turn
from whatif.engine.params.checkpoints import HuggingFaceChat
from whatif.engine.params.endpoints import SystemRole
from whatif.models import Answer, Question, load
from whatif.models.composites import with_composite
from whatif.models.endpoint.api import ApiAnswers
from whatif.models.endpoint.sent_messages import as_sent

pytestmark = pytest.mark.usefixtures("key")

DOTS, PAIR = ImagePart("1"), (ImagePart("2", "before"), ImagePart("3", "after"))
CONVERSATION: Messages = (
    Message("system", ("select the correct answer",)),
    Message("user", ("picture", DOTS, "how many dots?")),
    Message("assistant", ("16",)),
    Message("user", (PAIR[0], "and", PAIR[1], "how many dots are there if all were removed?")),
)
URLS = ["data:1", "data:2", "data:3"]


def image(url: str) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url}}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def test_images_stay_among_the_texts() -> None:
    assert as_sent(CONVERSATION, URLS) == [
        {"role": "system", "content": "select the correct answer"},
        {"role": "user", "content": [text("picture"), image("data:1"), text("how many dots?")]},
        {"role": "assistant", "content": "16"},
        {
            "role": "user",
            "content": [
                image("data:2"),
                text("and"),
                image("data:3"),
                text("how many dots are there if all were removed?"),
            ],
        },
    ]


@pytest.mark.parametrize("urls", [URLS[:2], [*URLS, "data:4"]])
def test_images_are_neither_lost_nor_exchanged(urls: Sequence[str]) -> None:
    with pytest.raises(ValueError, match=f"the conversation has (more|fewer) than {len(urls)} images"):
        as_sent(CONVERSATION, urls)


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ((Message("user", (DOTS, "how many?")),), [image("data:1"), text("Count.\n\nhow many?")]),
        ((Message("user", ("a", DOTS, "b")),), [text("Count.\n\na"), image("data:1"), text("b")]),
        ((Message("user", (DOTS,)),), [text("Count."), image("data:1")]),
        ((Message("assistant", ("Ask.",)), Message("user", (DOTS, "x"))), [image("data:1"), text("Count.\n\nx")]),
    ],
)
def test_without_a_role_for_it_a_system_message_precedes_the_first_text_of_the_user(
    messages: Messages, expected: Any
) -> None:
    sent = as_sent((Message("system", ("Count.",)), *messages), URLS[:1], "user")
    assert sent[-1] == {"role": "user", "content": expected}
    assert [one["role"] for one in sent] == [message.role for message in messages]
    assert as_sent(messages, URLS[:1], "user") == as_sent(messages, URLS[:1])


def test_a_system_message_alone_is_sent_as_the_users() -> None:
    assert as_sent((Message("system", ("Count.",)),), [], "user") == [{"role": "user", "content": "Count."}]


def test_texts_alone_are_sent_as_one_text_because_templates_without_images_take_nothing_else() -> None:
    turns = (
        Message("user", ("How many?", "Count the dots.")),
        Message("assistant", ("3",)),
        Message("user", ("Sure?",)),
    )
    assert [one["content"] for one in as_sent(turns, [])] == ["How many?\nCount the dots.", "3", "Sure?"]


def test_the_role_of_a_system_message_is_part_of_the_key_if_it_is_not_system() -> None:
    roles: list[SystemRole] = ["system", "developer", "user"]
    asked = [as_sent(CONVERSATION, URLS, role)[0]["role"] for role in roles]
    assert asked == roles
    identities = [ApiAnswers(settings_of("http://host/v1", Path("m"), system_role=role), 0).identity for role in roles]
    assert [one.get("system_role") for one in identities] == [None, "developer", "user"]


# A real server


def question(number: int, messages: Messages = CONVERSATION, **fields: Any) -> Question:
    """The conversation with pictures of its own, another one for each number."""
    count = sum(len(message.images) for message in messages)
    data = [encoded_picture(10 * number + place) for place in range(count)]
    ids = iter(hashlib.sha256(one).hexdigest() for one in data)
    named = tuple(
        replace(
            message,
            parts=tuple(
                replace(part, image_id=next(ids)) if isinstance(part, ImagePart) else part for part in message.parts
            ),
        )
        for message in messages
    )
    images = {"images": lambda: [decode(one) for one in data], "encoded_images": lambda: data}
    return Question(f"q{number}", "g", "original", named, **images, **fields)


def said(answers: Sequence[Answer]) -> list[str]:
    """The responses, without the white space around them that the local adapter removes."""
    return [str(answer.response).strip() for answer in answers]


def both(
    served: tuple[str, Path], questions: Sequence[Question], changes: dict[str, Any] | None = None, **local: Any
) -> tuple[list[Answer], list[Answer], FaultyProxy]:
    """The answers of the endpoint with these settings, those of the same checkpoint here, and what was sent."""
    with FaultyProxy(served[0]) as proxy:
        model = ApiAnswers(settings_of(proxy.base_url, served[1], concurrency=1, **(changes or {})), 0)
        answers = list(model.answer(questions))
    settings = HuggingFaceChat(adapter="hf-chat", checkpoint=str(served[1]), max_new_tokens=TOKENS, **local)
    return answers, list(load("hf-chat", settings, 0).answer(questions)), proxy


@pytest.mark.process
@pytest.mark.parametrize("role", ["system", "user"])
def test_a_conversation_with_an_example_and_images_gets_the_answer_of_the_same_checkpoint_here(
    served: tuple[str, Path], role: str
) -> None:
    questions = [question(number) for number in range(6)]
    system = "are there flowers"
    if role == "user":
        asked = [replace(one, messages=_joined(system, one.messages)) for one in questions]
        _, here, _ = both(served, asked)
        answers, _, proxy = both(served, questions, {"system": system, "system_role": "user"})
    else:
        answers, here, proxy = both(served, questions, {"system": system}, system=system)
    assert said(answers) == said(here)
    assert len({answer.response for answer in answers}) > 3, "they depend on the images"
    assert [answer.prompt_tokens for answer in answers] == [answer.prompt_tokens for answer in here]
    assert {(answer.image_form, answer.finish, answer.cut_off) for answer in answers} == {("in place", "length", True)}
    roles = [one["role"] for one in proxy.log[0][1]["messages"]]
    assert roles == ([] if role == "user" else ["system"]) + ["user", "assistant", "user"]


def _joined(system: str, messages: Messages) -> Messages:
    whole = f"{system}\n\n{messages[0].text}"
    first = messages[1]
    return (replace(first, parts=(f"{whole}\n\n{first.parts[0]}", *first.parts[1:])), *messages[2:])


def _backwards(one: Question) -> Sequence[bytes]:
    return one.encoded_images()[::-1]


@pytest.mark.process
def test_the_order_of_the_images_matters(served: tuple[str, Path]) -> None:
    asked = [question(number) for number in range(4)]
    turned = [replace(one, encoded_images=partial(_backwards, one)) for one in asked]
    (answers, _, _), (others, _, _) = both(served, asked), both(served, turned)
    assert said(answers) != said(others)


@pytest.mark.process
def test_several_images_are_sent_as_one_composite(served: tuple[str, Path]) -> None:
    questions = [
        question(0),
        question(1, (Message("user", (*PAIR, "how many dots?")),)),
        question(2, one_turn("dots?")),
    ]
    answers, here, proxy = both(served, questions, {"several_images": "composite"}, several_images="composite")
    assert said(answers) == said(here)
    assert [answer.image_form for answer in answers] == ["composite", "composite", None]
    for (_, sent, _), one in zip(proxy.log, questions, strict=True):
        urls = [
            part["image_url"]["url"]
            for message in sent["messages"]
            for part in message["content"]
            if isinstance(part, dict) and part["type"] == "image_url"
        ]
        expected = with_composite(one)
        shown = [base64.b64decode(url.removeprefix("data:image/png;base64,")) for url in urls]
        assert shown == list(expected.encoded_images())
        for data, drawn in zip(shown, expected.images(), strict=True):
            assert Image.open(io.BytesIO(data)).convert("RGB").tobytes() == drawn.convert("RGB").tobytes()
    words = [part.get("text") for part in proxy.log[0][1]["messages"][1]["content"]]
    assert words == ["picture", None, "[Image 1]", "how many dots?"]


@pytest.mark.process
def test_a_question_raises_the_limit_of_tokens(served: tuple[str, Path]) -> None:
    questions = [
        question(number, one_turn("dots?", ["0"]), max_new_tokens=limit) for number, limit in ((0, 20), (1, 2))
    ]
    answers, here, proxy = both(served, [*questions, question(2, one_turn("dots?", ["0"]))])
    assert [sent["max_tokens"] for _, sent, _ in proxy.log] == [20, TOKENS, TOKENS]
    assert [answer.response_tokens for answer in answers] == [20, TOKENS, TOKENS]
    assert said(answers) == said(here)
