"""Conversations: messages with a role, each a list of texts and images in any order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

Role: TypeAlias = Literal["system", "user", "assistant"]


@dataclass(frozen=True)
class ImagePart:
    """An image in a message. `label` names it on a composite of several images; the benchmark chooses it."""

    image_id: str
    label: str | None = None


Part: TypeAlias = str | ImagePart


@dataclass(frozen=True)
class Message:
    """What one side said: texts and images in order."""

    role: Role
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """Its texts, one below the other."""
        return "\n".join(part for part in self.parts if isinstance(part, str))

    @property
    def images(self) -> tuple[ImagePart, ...]:
        """Its images, in order."""
        return tuple(part for part in self.parts if isinstance(part, ImagePart))


Messages: TypeAlias = tuple[Message, ...]


def one_turn(prompt: str, image_ids: Iterable[str] = ()) -> Messages:
    """The usual conversation: one message of the user, first the images, then the text."""
    return (user_message(prompt, [ImagePart(image_id) for image_id in image_ids]),)


def user_message(prompt: str, images: Sequence[ImagePart] = ()) -> Message:
    """A message of the user: first the images, then the text."""
    return Message("user", (*images, prompt))


def images_in(messages: Iterable[Message]) -> tuple[ImagePart, ...]:
    """All images of a conversation, in order."""
    return tuple(image for message in messages for image in message.images)


def last_prompt(messages: Iterable[Message]) -> str:
    """The text of the last message of the user; empty if there is none."""
    texts = [message.text for message in messages if message.role == "user"]
    return texts[-1] if texts else ""


def with_system(messages: Messages, system: str | None) -> Messages:
    """The conversation with a system message before it, joined to its own one if it has one."""
    if system is None:
        return messages
    if messages and messages[0].role == "system":
        return (Message("system", (f"{system}\n\n{messages[0].text}",)), *messages[1:])
    return (Message("system", (system,)), *messages)


def is_one_turn(messages: Messages) -> bool:
    """Whether a conversation is as `one_turn` makes it, so that its prompt and its images say everything."""
    if len(messages) != 1 or messages[0].role != "user":
        return False
    *images, prompt = messages[0].parts or ("",)
    return isinstance(prompt, str) and all(isinstance(part, ImagePart) and part.label is None for part in images)


def as_json(messages: Messages) -> list[dict[str, Any]]:
    """A conversation as plain JSON values, for the keys of stored answers."""
    return [{"role": message.role, "parts": [_part(part) for part in message.parts]} for message in messages]


def _part(part: Part) -> str | dict[str, str]:
    if isinstance(part, str):
        return part
    return {"image": part.image_id} | ({} if part.label is None else {"label": part.label})


def without_images(messages: Messages) -> Messages:
    """The same conversation, the texts only."""
    return tuple(
        replace(message, parts=tuple(part for part in message.parts if isinstance(part, str))) for message in messages
    )
