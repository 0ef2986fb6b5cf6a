"""The prompt for contextual descriptions, the messages to the model, and the format of its reply (MuCR 3.1, A.4)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from whatif.benchmarks.mucr.description_checks import given_away, length_fault, missing_things, stems_of, things_of
from whatif.benchmarks.mucr.settings import NAME, Descriptions
from whatif.benchmarks.shared.json_replies import Read, read_object
from whatif.benchmarks.shared.prompt_files import SystemPrompt, read_system_prompt
from whatif.engine.language.messages import Message, Messages, user_message

FILE = "description_prompt.yaml"  # of this package
SETTING = f"generate.{NAME}.descriptions.prompt_file"  # that replaces it
SHARED, CAUSE, EFFECT = "shared", "cause", "effect"
KEYS = (SHARED, CAUSE, EFFECT)  # of a reply


@dataclass(frozen=True)
class Captions:
    """The core captions of a pair."""

    item_id: str  # of the pair
    category: str
    cause: str
    effect: str


def read_prompt(file: str | None) -> SystemPrompt:
    """The prompt in the file of the setting; that of this package if `file` is None.

    Raises WhatifError as `read_system_prompt`.
    """
    return read_system_prompt(__package__, FILE, file, SETTING)


def first_request(prompt: SystemPrompt, captions: Captions, settings: Descriptions) -> Messages:
    """The conversation that asks for the descriptions of a pair."""
    given = json.dumps({CAUSE: captions.cause, EFFECT: captions.effect}, indent=2, ensure_ascii=False)
    length = f"Each description has {settings.shortest} to {settings.longest} words."
    return (Message("system", (prompt.system,)), user_message(f"Input:\n{given}\n{length}\nOutput:"))


def read_descriptions(response: str, captions: Captions, settings: Descriptions) -> Read:
    """Reads a reply, and checks it by the rules of `description_checks`."""
    read = read_object(response, KEYS)
    return read if read.faults else Read(read.texts, tuple(_faults(read.texts, captions, settings)))


def _faults(texts: Mapping[str, str], captions: Captions, settings: Descriptions) -> list[str]:
    found: list[str | None] = []
    shared = things_of(texts[SHARED])
    for name, caption in ((CAUSE, captions.cause), (EFFECT, captions.effect)):
        text = texts[name]
        found.append(length_fault(name, text, settings.shortest, settings.longest))
        found.append(missing_things(name, text, things_of(caption), f'the caption of the {name}, "{caption}",'))
        found.append(missing_things(name, text, shared, f'"{SHARED}"'))
    if told := given_away(texts[CAUSE], captions.cause, captions.effect):
        everywhere = f', also of "{SHARED}"' if stems_of(texts[SHARED]).keys() & stems_of(" ".join(told)).keys() else ""
        found.append(f'"{CAUSE}" gives the effect away: leave {", ".join(told)} out of it{everywhere}')
    if texts[CAUSE].casefold() == texts[EFFECT].casefold():
        found.append(f'"{EFFECT}" is the same as "{CAUSE}"; describe what has changed')
    return [fault for fault in found if fault is not None]
