"""Text that can be written to any file or terminal: without halves of surrogate pairs, which broken replies contain."""

from __future__ import annotations

import json
import re
from typing import Any

_HALF = re.compile(r"\\u[dD][89a-fA-F]")  # an escape of JSON for half of a surrogate pair; most are parts of pairs


def well_formed(text: str) -> str:
    """The text with complete surrogate pairs joined and unpaired halves replaced by U+FFFD.

    A reply in JSON may contain such halves (an emoji that was cut in two). UTF-8 cannot encode them.
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def well_formed_values(value: Any) -> Any:
    """The value with every text in it `well_formed`, also in lists and as names and values of dictionaries."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, list | tuple):
        return [well_formed_values(one) for one in value]
    if isinstance(value, dict):
        return {well_formed_values(name): well_formed_values(one) for name, one in value.items()}
    return value


def well_formed_json(text: str) -> Any:
    """The value of a text of JSON, with every text in it `well_formed`. Raises what `json.loads` raises."""
    value = json.loads(text)
    return well_formed_values(value) if _HALF.search(text) else value


def escaped(text: str) -> str:
    """The text on one line, with unprintable characters written as `\\n` or `\\udcff`.

    Different texts stay different, unlike with `well_formed`. This is for file names, which need not be UTF-8.
    """
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
