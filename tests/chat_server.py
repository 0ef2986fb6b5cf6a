"""A chat server on loopback that replies as a test says."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.faulty_proxy import Fault, FaultyProxy, _send

Message = dict[str, Any]


class ChatServer(FaultyProxy):
    """Replies what `reply` makes of what a conversation asks (`asked_in`) and the number of its request, from 0.

    A number instead of a text is sent as the status of an error.
    """

    def __init__(self, reply: Callable[[Any, int], str | int], finish: str = "stop") -> None:
        super().__init__("127.0.0.1:1")
        self.reply = reply
        self.finish = finish
        self.conversations: list[list[Message]] = []

    def entry(self, **changes: Any) -> dict[str, Any]:
        """The entry of this server's model in `models`."""
        return {
            "adapter": "api",
            "model": "writer",
            "base_url": self.base_url,
            "retries": 0,
            "concurrency": 1,
            "benchmarks": [],
        } | changes

    def asked_in(self, messages: Sequence[Message]) -> Any:
        """The JSON object in the first message of the user."""
        text = text_of(next(message for message in messages if message["role"] == "user"))
        return json.loads(text[text.index("{") : text.rindex("}") + 1])

    def _reply(self, request: BaseHTTPRequestHandler, body: bytes, fault: Fault | None) -> None:
        messages = json.loads(body)["messages"]
        self.conversations.append(messages)
        said = self.reply(self.asked_in(messages), sum(message["role"] == "user" for message in messages) - 1)
        if isinstance(said, int):
            _send(request, said, b"{}")
            return
        choice = {"index": 0, "finish_reason": self.finish, "message": {"role": "assistant", "content": said}}
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        _send(request, 200, json.dumps({"choices": [choice], "usage": usage}).encode())


def text_of(message: Message) -> str:
    """The text of a message; the last part of one with images."""
    content = message["content"]
    return str(content if isinstance(content, str) else content[-1]["text"])
