"""Prompt forms: how the authors of a model word a question. Each form is a YAML file in this folder.

    question:                 # a text for all kinds of answers, or one for each kind
      open: |-                # number, boolean and text, unless one of them has its own text
        {question}
        Answer the question using a single word or phrase.
      choice: |-              # a multiple-choice question includes its options
        {question}
        Answer with the option's letter from the given choices directly.
    wrap: "Question: {question} Short answer:"  # optional: the text around every prompt, whatever the strategy

`question` replaces the words of a strategy that is `replaceable`, such as `direct`; kinds without a text keep the words
of the strategy. `wrap` is around the last message of the user. A comment in the file says where its wording is
documented.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from whatif.engine.language.messages import Message, Messages
from whatif.engine.language.named_files import names_in, read_named
from whatif.engine.language.prompts.form import PLACE, Form

FOLDER: Traversable = resources.files(__name__)
FILE = "whatif.engine.language:prompts/{}.yaml"  # a form's file, as steps name the package files that they read


def forms() -> list[str]:
    """The available names, sorted."""
    return names_in(FOLDER)


@cache
def read(name: str) -> Form:
    """The contents of a form's file. Raises WhatifError, naming the entry, when there is none or it is wrong."""
    return read_named(Form, FOLDER, "prompt form", name)


def is_text(setting: str) -> bool:
    """Whether the setting `prompt` is a text around the question, not the name of a form."""
    return PLACE in setting


def form_named(setting: str | None) -> str | None:
    """The name of the form in the setting `prompt`; None if it is a text or not set."""
    return None if setting is None or is_text(setting) else setting


def wrapper(setting: str | None) -> str:
    """The text around every prompt by the setting `prompt`; a form without one, or none set, leaves the prompt alone.

    Raises WhatifError for an unknown form.
    """
    if setting is None:
        return PLACE
    return setting if is_text(setting) else read(setting).wrap or PLACE


def same_wording(first: str, second: str) -> bool:
    """Whether two values of the setting `prompt` word everything alike. Raises WhatifError for an unknown form."""
    questions = [None if is_text(one) else read(one).question for one in (first, second)]
    return questions[0] == questions[1] and wrapper(first) == wrapper(second)


def wrapped(messages: Messages, around: str) -> Messages:
    """The conversation with the text `around` the texts of the last message of the user; its images stay in place."""
    last = max((place for place, message in enumerate(messages) if message.role == "user"), default=None)
    if around == PLACE or last is None:
        return messages
    before, _, after = around.partition(PLACE)
    parts = list(messages[last].parts)
    texts = [place for place, part in enumerate(parts) if isinstance(part, str)]
    if not texts:
        return messages
    parts[texts[0]] = f"{before}{parts[texts[0]]}"
    parts[texts[-1]] = f"{parts[texts[-1]]}{after}"
    changed: Message = replace(messages[last], parts=tuple(parts))
    return (*messages[:last], changed, *messages[last + 1 :])
