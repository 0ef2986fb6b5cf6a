"""A chat model's reply as one JSON object with given keys, and what is wrong with it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.language.reasoning import CUT_OFF, split_reasoning

_FENCED = re.compile(r"```\w*\s*\n(.*?)\n?\s*```", re.DOTALL)
_HALF = re.compile("[\ud800-\udfff]")
_LONGEST = 120  # characters of a value in a message
_MOST_FAULTS = 8  # of one reply that are named


@dataclass(frozen=True)
class Read:
    """A reply as it was read: its texts by key, or its faults, one line each. A reply with faults is not used."""

    texts: Mapping[str, str]
    faults: tuple[str, ...]


@cache
def schema_of(keys: Sequence[str]) -> str:
    """The JSON schema of an object that has these keys and no others, all with texts; canonical JSON text."""
    return canonical_json(
        {
            "type": "object",
            "properties": {key: {"type": "string"} for key in keys},
            "required": list(keys),
            "additionalProperties": False,
        }
    )


def read_object(response: str, keys: Sequence[str]) -> Read:
    """The texts of the only JSON object in a reply, without spaces around them, or what is wrong with its form.

    Reasoning, a code fence or text around the object is allowed. Its keys are exactly `keys`, and no text is empty.
    """
    _, response, cut_off = split_reasoning(response)
    if cut_off:
        return Read({}, (CUT_OFF,))
    if not response.strip():
        return Read({}, ("the reply is empty; write one JSON object",))
    try:
        found = _object(response)
    except (ValueError, RecursionError) as error:
        return Read({}, (str(error) or "the reply is not JSON",))
    faults = _form_faults(found, schema_of(tuple(keys)))
    if faults:
        return Read({}, tuple(faults))
    return Read({key: " ".join(found[key].split()) for key in keys}, ())


def _object(response: str) -> Any:
    """The JSON value of a reply: the whole reply, what is in its only code fence, or its only object.

    Raises ValueError, with what is wrong, when there is none or more than one.
    """
    fenced = _FENCED.findall(response)
    text = (fenced[0] if len(fenced) == 1 else response).strip()
    start = text.find("{")
    if start < 0:
        raise ValueError("the reply has no JSON object; write one")
    try:
        value, end = json.JSONDecoder(strict=False, object_pairs_hook=_once).raw_decode(text, start)
    except json.JSONDecodeError as error:
        what = error.msg.removesuffix(" at")
        raise ValueError(f"the reply is not JSON: {what} at line {error.lineno}, column {error.colno}") from error
    if "{" in text[end:]:
        raise ValueError("the reply has several JSON objects; write one")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f'the key "{next(name for name in names if names.count(name) > 1)}" occurs twice; keep one')
    return values


def _form_faults(value: Any, schema: str) -> list[str]:
    """Where a JSON value does not fit the schema, or has an empty text."""
    import jsonschema

    found = sorted(
        jsonschema.Draft202012Validator(json.loads(schema)).iter_errors(value),
        key=lambda error: (list(map(str, error.absolute_path)), error.message),
    )
    faults = []
    for error in found:
        place = "".join(f'"{part}": ' for part in error.absolute_path)
        faults.append(f"{place}{_cut(' '.join(error.message.split()))}")
    if not faults:
        faults = [f'"{key}" is empty; write a text' for key, text in value.items() if not text.strip()]
        faults += [f'"{key}" has half of a character' for key, text in value.items() if _HALF.search(text)]
    if len(faults) > _MOST_FAULTS:
        faults = [*faults[:_MOST_FAULTS], f"{len(faults) - _MOST_FAULTS:,} more"]
    return faults


def shown(text: str) -> str:
    """A text as a message about a reply shows it: in quotation marks, and cut off where it is long."""
    return json.dumps(_cut(text), ensure_ascii=False)


def _cut(text: str) -> str:
    whole = text.encode("utf-8", "backslashreplace").decode("utf-8")  # half of a surrogate pair is no text
    return whole if len(whole) <= _LONGEST else f"{whole[:_LONGEST]}..."
