"""Contextual descriptions by a chat model: the messages to it, the format of a reply, and its checks (MuCR 3.1, A.4).

Words are compared by their stems, without function words. A description is refused when

- it has fewer or more words than the settings allow;
- it lacks a noun of its own caption, or a noun of what both descriptions share: both name the same things;
- the description of the cause has a word of the effect's caption that the cause's caption lacks: it would give the
  effect away.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from whatif.benchmarks.mucr.settings import NAME, Descriptions
from whatif.benchmarks.shared.json_replies import Read, read_object
from whatif.benchmarks.shared.prompt_files import SystemPrompt, read_system_prompt
from whatif.engine.language.messages import Message, Messages, user_message
from whatif.engine.language.tagging import Tagger, nouns, tagger

FILE = "description_prompt.yaml"  # of this package
SETTING = f"generate.{NAME}.descriptions.prompt_file"  # that replaces it
SHARED, CAUSE, EFFECT = "shared", "cause", "effect"
KEYS = (SHARED, CAUSE, EFFECT)  # of a reply
# Words that name neither a thing nor what happens to it.
_FUNCTION_WORDS = (
    "a an the this that these those some any each every all both either neither no not his her its their our my your "
    "he she it they him them we you i who whom whose which what there here one ones other another same such own "
    "and or but nor so yet as if than then while when where because since until although though after before during "
    "of to in on at by for from with without into onto out off over under up down through across along around about "
    "above below behind beside between among against near next toward towards within is are was were be been being am "
    "has have had having do does did done will would can could may might must shall should get gets got become becomes "
    "became very more most less much many few several quite just still now already again also too only even well "
    "s t"
)
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*|\d+")


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
    """Reads a reply, and checks it by the rules above."""
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


def stems_of(text: str) -> dict[str, str]:
    """Stem -> the first word with it, of all words that are no function words, in order."""
    found: dict[str, str] = {}
    for word in _WORD.findall(text.replace("\u2019", "'").lower()):
        for part in word.removesuffix("'s").split("-"):
            if part and part not in _function_words():
                found.setdefault(_stem(part), part)
    return found


def things_of(text: str) -> dict[str, str]:
    """Stem -> noun, of the nouns of a text. What the tagger calls a noun by mistake is compared like one."""
    found: dict[str, str] = {}
    for noun in nouns(text, _tagger()):
        found |= {stem: word for stem, word in stems_of(noun.noun).items() if stem not in found}
    return found


def word_count(text: str) -> int:
    """The number of words, as people count them."""
    return len(text.split())


def length_fault(name: str, text: str, shortest: int, longest: int) -> str | None:
    """Why a description is too short or too long; None if it is neither."""
    count = word_count(text)
    if count < shortest:
        return f'"{name}" has {count} words; write at least {shortest}'
    return f'"{name}" has {count} words; write at most {longest}' if count > longest else None


def missing_things(name: str, text: str, things: dict[str, str], where: str) -> str | None:
    """Which things are not named in a description; None if all are."""
    own = stems_of(text)
    lacking = [word for stem, word in things.items() if stem not in own]
    return f'"{name}" does not name {", ".join(lacking)}; use the nouns of {where} in it' if lacking else None


def given_away(cause_description: str, cause_caption: str, effect_caption: str) -> list[str]:
    """The words of a cause's description that are in the caption of the effect, and not in that of the cause."""
    known, new = stems_of(cause_caption), stems_of(effect_caption)
    return [word for stem, word in stems_of(cause_description).items() if stem in new and stem not in known]


@cache
def _function_words() -> frozenset[str]:
    return frozenset(_FUNCTION_WORDS.split())


@cache
def _tagger() -> Tagger:
    return tagger("pattern")  # the same everywhere, whatever else is installed


@cache
def _stem(word: str) -> str:
    from nltk.stem import PorterStemmer

    return str(PorterStemmer().stem(word))
