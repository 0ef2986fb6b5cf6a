"""Conversations in the form of OpenAI's interface."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from whatif.engine.artifacts.images import format_of
from whatif.engine.files.image_decoding import as_shown
from whatif.engine.language.messages import Messages, Part, images_in
from whatif.engine.params.endpoints import SystemRole

Sent: TypeAlias = list[dict[str, Any]]  # the field `messages` of a request


def as_sent(messages: Messages, pictures: Sequence[str], system_role: SystemRole = "system") -> Sent:
    """The conversation as OpenAI's interface has it; `pictures` are the URLs of all images, in order.

    A message of texts only is sent as one text if its role is not the user's, or if the conversation has no images:
    many servers, and the templates of models without images, take nothing else there. A system message is sent in the
    role `system_role`; with `user`, its text precedes the first text of the user.

    Raises ValueError when there are more or fewer images in the conversation than URLs.
    """
    urls = iter(pictures)
    sent: Sent = []
    texts_only = not images_in(messages)
    for message in _without_system(messages) if system_role == "user" else messages:
        role = system_role if message.role == "system" else message.role
        if texts_only or (message.role != "user" and not message.images):
            sent.append({"role": role, "content": message.text})
            continue
        content: list[dict[str, Any]] = []
        for part in message.parts:
            if isinstance(part, str):
                content.append({"type": "text", "text": part})
            elif (url := next(urls, None)) is not None:
                content.append({"type": "image_url", "image_url": {"url": url}})
            else:
                raise ValueError(f"the conversation has more than {len(pictures)} images")
        sent.append({"role": role, "content": content})
    if next(urls, None) is not None:
        raise ValueError(f"the conversation has fewer than {len(pictures)} images")
    return sent


def data_url(data: bytes) -> str:
    """An image as a data URL that names the type of its bytes: PNG, JPEG, GIF or WebP.

    Raises UnreadableImageError when the image cannot be decoded.
    """
    shown = as_shown(data)
    return f"data:image/{format_of(shown)};base64,{base64.b64encode(shown).decode()}"


def _without_system(messages: Messages) -> Messages:
    """The conversation with the text of its system message before the first text of the user."""
    if not messages or messages[0].role != "system":
        return messages
    system, rest = messages[0], list(messages[1:])
    place = next((place for place, message in enumerate(rest) if message.role == "user"), None)
    if place is None:
        return (replace(system, role="user"), *rest)
    parts: list[Part] = list(rest[place].parts)
    first = next((number for number, part in enumerate(parts) if isinstance(part, str)), None)
    if first is None:
        parts.insert(0, system.text)
    else:
        parts[first] = f"{system.text}\n\n{parts[first]}"
    rest[place] = replace(rest[place], parts=tuple(parts))
    return tuple(rest)
