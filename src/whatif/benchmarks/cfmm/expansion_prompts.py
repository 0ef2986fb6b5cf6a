"""The system prompts that ask for further counterfactual questions, and the messages of the user (CFMM 3.3, B)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from whatif.errors import WhatifError
from whatif.files.inputs import read_bytes, user_path
from whatif.files.yaml_values import LARGEST, parse_yaml
from whatif.formats.cfmm_items import CATEGORIES
from whatif.language.messages import ImagePart, Message, Messages, user_message

FILE = "expansion_prompts.yaml"  # of this package


@dataclass(frozen=True)
class Prompts:
    """The system prompt of each category, and the SHA-256 of their file in hexadecimal."""

    by_category: Mapping[str, str]
    digest: str


def read_prompts(file: str | None) -> Prompts:
    """The prompts in a YAML file, category -> text; those of this package if `file` is None.

    Raises WhatifError when the file cannot be read, or is no such mapping with a text for each of the six categories.
    """
    if file is None:
        data, path = (resources.files(__package__) / FILE).read_bytes(), Path(FILE)
    else:
        path = user_path(file)
        try:
            data = read_bytes(path, LARGEST)
        except OSError as error:
            raise WhatifError(f"{path}: {error.strerror or error}; prompt_file must be a YAML file") from error
    try:
        values, _ = parse_yaml(data.decode("utf-8"), path)
    except UnicodeDecodeError as error:
        raise WhatifError(f"{path}: is not UTF-8 at byte {error.start:,}; save it as UTF-8") from error
    return Prompts(_checked(values, path), hashlib.sha256(data).hexdigest())


def _checked(values: Any, path: Path) -> dict[str, str]:
    known = ", ".join(CATEGORIES)
    if not isinstance(values, dict):
        raise WhatifError(f"{path}: must be a mapping from each category ({known}) to its system prompt")
    if unknown := [str(key) for key in values if key not in CATEGORIES]:
        raise WhatifError(f"{path}: {unknown[0]}: is no category; the categories are {known}")
    if lacking := [category for category in CATEGORIES if category not in values]:
        raise WhatifError(f"{path}: has no prompt for {', '.join(lacking)}; it needs {known}")
    for category, text in values.items():
        if not isinstance(text, str) or not text.strip():
            raise WhatifError(f"{path}: {category}: must be a text that is not empty")
    return values


def first_request(system: str, given: Mapping[str, str], image_ids: Sequence[str]) -> Messages:
    """The conversation that asks for new questions; `given` is the JSON object of the input."""
    images = [ImagePart(image_id) for image_id in image_ids]
    return (Message("system", (system.strip(),)), user_message(f"Input:\n{_json(given)}\nOutput:", images))


def with_request(messages: Messages, response: str, request: str) -> Messages:
    """The conversation with the model's response and a further request.

    An empty response cannot be a message of its own, so the request then ends the last message of the user.
    """
    if response.strip():
        return (*messages, Message("assistant", (response,)), user_message(request))
    *before, last = messages
    return (*before, Message("user", (*last.parts[:-1], f"{last.parts[-1]}\n\n{request}")))


def repair_request(faults: Sequence[str]) -> str:
    """The message that names what is wrong with a reply, and asks for another one."""
    listed = "\n".join(f"- {fault}" for fault in faults)
    return f"Your reply cannot be used:\n{listed}\nCorrect this. Reply with the whole JSON object and nothing else."


def options_request(asked: Mapping[str, tuple[str, str]]) -> str:
    """The message that asks for a wrong answer to each of some questions: key of the reply -> question and answer."""
    listed = "\n".join(f"- {key}: {question} (right answer: {answer})" for key, (question, answer) in asked.items())
    shape = _json(dict.fromkeys(asked, "..."))
    return (
        "Now write a wrong answer to each of these questions. It must be clearly wrong, of the same kind as the right "
        "answer, plausible to somebody who ignores the condition, and no longer than three words.\n"
        f"{listed}\nReply with one JSON object and nothing else:\n{shape}"
    )


def _json(values: Mapping[str, str]) -> str:
    return json.dumps(values, indent=2, ensure_ascii=False)
