"""What the message of a chat completion of an OpenAI-compatible endpoint says: its text and its reasoning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def text_of(content: Any) -> str:
    """The text of a message, which may come in parts; parts that are no text are left out.

    Raises TypeError for anything else.
    """
    if content is None or isinstance(content, str):
        return content or ""
    texts = [part if isinstance(part, str) else part.get("text") for part in content if _is_text(part)]
    return "".join(texts)


def _is_text(part: Any) -> bool:
    if isinstance(part, Mapping):
        return part.get("type", "text") in ("text", "output_text") and isinstance(part.get("text"), str)
    if not isinstance(part, str):
        raise TypeError("a part of a message is neither a text nor an object")
    return True


def reasoning_of(message: Any) -> str | None:
    """The reasoning that an endpoint gives beside the text of a message; None if there is none.

    `reasoning_content` (DeepSeek, vLLM), `reasoning` (OpenRouter, Ollama), and parts of the content of the type
    `thinking` or `reasoning` (Mistral). The first that is there counts: some endpoints give the same text twice.
    """
    content, *given = (_field(message, name) for name in ("content", "reasoning_content", "reasoning"))
    parts = content if isinstance(content, list) else []
    in_parts = [part for part in map(_fields, parts) if part.get("type") in ("thinking", "reasoning")]
    return next(filter(None, (_text_in(one).strip() for one in (*given, in_parts))), None)


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
    names = ("thinking", "reasoning", "text", "content")
    return next(filter(None, (_text_in(_fields(value).get(name)) for name in names)), "") if value is not None else ""
