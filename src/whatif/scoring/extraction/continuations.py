"""Removes the text in which a model continues the dialogue: a further question, or the next turn of the user."""

from __future__ import annotations

import itertools
import re

_BEGINS = (
    r"(?:^\W*(?i:(?:follow[- ]?up |next |new |another |second )?(?:question|query|prompt|instruction|"
    r"q)(?: ?\d{1,2})? ?:|"
    r"(?:user|human|customer|questioner|student) ?:|(?:human|user|instruction|question|input)\W*$|"
    r"\|?im_(?:start|end)\b|\[/?inst\])|(?<=[.!?\s])(?:USER|HUMAN|User|Human|Question|QUESTION|Q) ?:)"
)
_TURN = re.compile(_BEGINS, re.MULTILINE)
_ASKED = re.compile(rf"{_BEGINS}[^\n?]*\??", re.MULTILINE)
# `Q: ... A: ...`, in which A is no letter of an option.
_ANSWERED = re.compile(r"\A\W{0,6}(?:q|question|user) ?:[^\n]*\n\W{0,6}(?:a|answer|assistant) ?:", re.IGNORECASE)
_MANY = 8  # turns without a word between them
_LABELS = re.compile(r"\b(?:assistant|question|answer|response|options|choices|image|user|human|bot|ai|q|a)\b", re.I)


def without_continuation(text: str) -> str:
    """A text up to the first turn that is not its author's; of a text that begins with a question, its answer."""
    for turn in itertools.islice(_TURN.finditer(text), _MANY):
        before = text[: turn.start()]
        if re.search(r"\w", _LABELS.sub("", _ASKED.sub("", before))):
            return _ANSWERED.sub("answer:", before, count=1)
    return _ANSWERED.sub("answer:", text, count=1)
