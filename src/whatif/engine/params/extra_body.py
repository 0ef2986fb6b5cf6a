"""Validation of `extra_body`: additional request fields, without fields that other keys set and without secrets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Field, JsonValue

_OURS = ("model", "messages", "max_tokens", "max_completion_tokens", "temperature")
_ONE_WHOLE_REPLY = ("stream", "stream_options", "n")
_SECRET_KEY = re.compile(
    r"api_?key|secret|password|passwd|authorization|credential|(?:access|auth|bearer)_?token|^token$"
)
_SECRET_VALUE = re.compile(r"\s*(?:sk-\w{8}|bearer\s+\S)", re.IGNORECASE)


def _checked(body: dict[str, Any]) -> dict[str, Any]:
    for key in body:
        if key in _OURS:
            raise ValueError(f"`{key}` is not allowed in extra_body: other keys of this entry set it")
        if key in _ONE_WHOLE_REPLY:
            raise ValueError(f"`{key}` is not allowed in extra_body: each request must have one complete reply")
    return check_json(body)


def check_json(body: dict[str, Any]) -> dict[str, Any]:
    """The same values. Raises ValueError when one looks like a secret, or when JSON has no such number."""
    for key, value in _leaves(body):
        is_secret = _SECRET_KEY.search(key.lower().replace("-", "_"))
        if is_secret or (isinstance(value, str) and _SECRET_VALUE.match(value)):
            raise ValueError(
                f"`{key}` looks like a secret, and params.yaml is stored in many places; put the secret into an "
                "environment variable and set key_variable to the name of the variable"
            )
    try:
        json.dumps(body, allow_nan=False)
    except ValueError:
        raise ValueError("its numbers must be finite, because JSON has no others") from None
    return body


def _leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Every nested value with its nearest key; the key of a list is repeated for each element."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield str(name), None
            yield from _leaves(inner, str(name))
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, key)
    else:
        yield key, value


ExtraBody = Annotated[dict[str, JsonValue], Field(min_length=1), AfterValidator(_checked)]
