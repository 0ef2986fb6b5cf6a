"""The system prompts that ask for further counterfactual questions, and the messages of the user (CFMM 3.3, B)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whatif.benchmarks.shared.prompt_files import read_prompt_file
from whatif.engine.errors import WhatifError
from whatif.engine.language.messages import ImagePart, Message, Messages, user_message
from whatif.formats.cfmm_items import CATEGORIES

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
    values, path, digest = read_prompt_file(__package__, FILE, file, "generate.cfmm.expansion.prompt_file")
    return Prompts(_checked(values, path), digest)


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
