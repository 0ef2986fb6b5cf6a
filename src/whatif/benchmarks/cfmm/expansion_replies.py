"""The format of a chat model's reply with new questions, and what is wrong with a reply (CFMM B)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from whatif.artifacts.reader import canonical_json
from whatif.benchmarks.cfmm.if_clauses import if_clause
from whatif.benchmarks.cfmm.schemas import EXPANDED
from whatif.benchmarks.cfmm.wording import one_line, plain, same

CATEGORY, BASIC_QUESTION, BASIC_ANSWER = "category", "basic question", "basic answer"
QUESTION, ANSWER, OPTION = "counterfactual question", "counterfactual answer", "wrong answer"
INPUT_KEYS = (CATEGORY, BASIC_QUESTION, BASIC_ANSWER, QUESTION, ANSWER)
PLACES = tuple(range(1, len(EXPANDED) + 1))
OUTPUT_KEYS = (*INPUT_KEYS, *(f"{key}{place}" for place in PLACES for key in (QUESTION, ANSWER)))
_FENCED = re.compile(r"```\w*\s*\n(.*?)\n?\s*```", re.DOTALL)
_HALF = re.compile("[\ud800-\udfff]")
_LONGEST = 120  # characters of a value in a message
_LONGEST_OPTION = 3  # words
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


def read_questions(response: str, given: Mapping[str, str]) -> Read:
    """Reads a reply to the input `given`, and checks that

    - it is one JSON object with the paper's keys and texts that are not empty; a code fence or text around it is
      allowed;
    - the category, the basic question and its answer are those that were given, but for spaces;
    - the three questions differ from each other and from the given ones, and each has an if clause.
    """
    read = _read(response, OUTPUT_KEYS)
    if read.faults:
        return read
    faults = [
        f'"{key}" must be repeated unchanged: {_shown(given[key])}, not {_shown(read.texts[key])}'
        for key in (CATEGORY, BASIC_QUESTION, BASIC_ANSWER)
        if one_line(read.texts[key]) != one_line(given[key])
    ]
    asked = {plain(given[key]): f'"{key}"' for key in (BASIC_QUESTION, QUESTION)}
    for place in PLACES:
        key = f"{QUESTION}{place}"
        question = read.texts[key]
        if (earlier := asked.setdefault(plain(question), f'"{key}"')) != f'"{key}"':
            faults.append(f'"{key}" asks the same as {earlier}; ask another question')
        elif if_clause(question) is None:
            faults.append(f'"{key}" has no if clause; state a condition: {_shown(question)}')
    return Read(read.texts, tuple(faults))


def read_options(response: str, asked: Mapping[str, tuple[str, str]]) -> Read:
    """Reads a reply with a wrong answer for each key of `asked`, whose values are question and right answer.

    A wrong answer has at most three words and is not the right one.
    """
    read = _read(response, tuple(asked))
    if read.faults:
        return read
    faults = []
    for key, (_, answer) in asked.items():
        text = read.texts[key]
        if same(text, answer):
            faults.append(f'"{key}" is the right answer: {_shown(text)}; write a wrong one')
        elif len(text.split()) > _LONGEST_OPTION:
            faults.append(f'"{key}" has {len(text.split()):,} words; use at most {_LONGEST_OPTION}: {_shown(text)}')
    return Read(read.texts, tuple(faults))


def _read(response: str, keys: Sequence[str]) -> Read:
    """The texts of the only JSON object in a reply, without spaces around them, or what is wrong with its form."""
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


def _shown(text: str) -> str:
    return json.dumps(_cut(text), ensure_ascii=False)


def _cut(text: str) -> str:
    whole = text.encode("utf-8", "backslashreplace").decode("utf-8")  # half of a surrogate pair is no text
    return whole if len(whole) <= _LONGEST else f"{whole[:_LONGEST]}..."
