"""A server on loopback whose model writes programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tests.chat_server import ChatServer, Message, text_of

PROGRAM = "def execute_command(image):\n    return len(ImagePatch(image).find('dog'))\n"


class CodeServer(ChatServer):
    """Replies what `reply` makes of the whole prompt."""

    def __init__(self, reply: Callable[[str], str | int], finish: str = "stop") -> None:
        super().__init__(lambda asked, number: reply(asked), finish)

    def asked_in(self, messages: Sequence[Message]) -> Any:
        """The text of the prompt."""
        return text_of(messages[-1])
