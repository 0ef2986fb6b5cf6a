"""What the message of a chat completion of an OpenAI-compatible endpoint says: its text and its reasoning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# `reasoning_content` (DeepSeek, vLLM), `reasoning` (OpenRouter, Ollama), `reasoning_details` (OpenRouter, parts),
# `reasoning_text` (Copilot and gateways), `thinking` (Ollama's own replies, VLMEvalKit's files).
REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_details", "reasoning_text", "thinking")
_TEXT_TYPES = ("text", "output_text")
_REASONING_TYPES = ("thinking", "reasoning", "reasoning_text")


def text_of(content: Any) -> str:
    """The text of a message, which may come in parts or as one part; parts that are no text are left out.

    Raises TypeError for content that is neither a text, a list nor an object, and for such a part.
    """
    if isinstance(content, str):
        return content
    parts = ({"text": part} if isinstance(part, str) else part for part in _parts(content))
    return "".join(_field_of_type(part, _TEXT_TYPES, "text") for part in parts)


def refusal_of(message: Any) -> str | None:
    """Why the model refuses, from the field `refusal` or from parts of this type; None if it does not.

    Raises TypeError as `text_of` does.
    """
    said, content = _field(message, "refusal"), _field(message, "content")
    parts = [] if isinstance(content, str) else [part for part in _parts(content) if not isinstance(part, str)]
    in_parts = "".join(_field_of_type(part, ("refusal",), "refusal") for part in parts)
    return (said if isinstance(said, str) else "") or in_parts or None


def reasoning_of(message: Any) -> str | None:
    """The reasoning that an endpoint gives beside the text of a message; None if there is none.

    It is in a field (`REASONING_FIELDS`), or in parts of the content of the type `thinking` or `reasoning` (Mistral).
    The first that is there counts: some endpoints give the same text twice. Raises TypeError as `text_of` does.
    """
    content, *given = (_field(message, name) for name in ("content", *REASONING_FIELDS))
    parts = [] if isinstance(content, str) else _parts(content)
    in_parts = [part for part in map(_fields, parts) if part.get("type") in _REASONING_TYPES]
    return next(filter(None, (_text_in(one).strip() for one in (*given, in_parts))), None)


def message_in(body: Any) -> tuple[Mapping[str, Any], str, Any]:
    """The message in the plain JSON of a reply, why it ended (empty if not given), and the error beside it.

    The reply is a chat completion, or one of OpenAI's Responses (`output`), whose items become one message.

    Raises TypeError, KeyError, IndexError or AttributeError for anything else.
    """
    if "choices" in body or "output" not in body:
        choice = body["choices"][0]
        return choice["message"], str(choice.get("finish_reason") or ""), body.get("error") or choice.get("error")
    items = list(map(_fields, body["output"]))
    said = [_parts(item["content"]) for item in items if item.get("type") == "message"]
    message = {
        "content": [part for parts in said for part in parts] or None,
        "reasoning": [item for item in items if item.get("type") == "reasoning"],
    }
    finish = _fields(body.get("incomplete_details")).get("reason") or body.get("status")
    return message, str(finish or ""), body.get("error")


def _parts(content: Any) -> list[Any]:
    """Content as parts, each a text or an object."""
    parts = [content] if isinstance(content, str | Mapping) else [] if content is None else content
    if not isinstance(parts, list) or not all(isinstance(part, str | Mapping) for part in parts):
        raise TypeError("a message, or a part of it, is neither a text nor an object")
    return parts


def _field_of_type(part: Mapping[str, Any], types: tuple[str, ...], name: str) -> str:
    """The text in a field of a part; empty for a part of another type."""
    value = part.get(name) if part.get("type", types[0]) in types else None
    return value if isinstance(value, str) else ""


def _field(message: Any, name: str) -> Any:
    return message.get(name) if isinstance(message, Mapping) else getattr(message, name, None)


def _fields(part: Any) -> Mapping[str, Any]:
    from pydantic import BaseModel

    return part if isinstance(part, Mapping) else dict(part) if isinstance(part, BaseModel) else {}


def _text_in(value: Any) -> str:
    """The text of a field, of a list of parts, or of a part, whose text may be in parts again."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(map(_text_in, value))
    names = ("thinking", "reasoning", "text", "content", "summary")
    return next(filter(None, (_text_in(_fields(value).get(name)) for name in names)), "") if value is not None else ""
