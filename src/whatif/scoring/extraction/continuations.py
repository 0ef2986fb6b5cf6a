"""Removes the text in which a model continues the dialogue: a further question, or the next turn of the user."""

from __future__ import annotations

import re

_TURN = re.compile(
    r"^\W*(?i:(?:follow[- ]?up |next |new |another |second )?(?:question|query|prompt|instruction|q)(?: ?\d{1,2})? ?:|"
    r"(?:user|human|customer|questioner|student) ?:|(?:human|user|instruction|question|input)\W*$|"
    r"\|?im_(?:start|end)\b|\[/?inst\])[^\n]*|(?<=[.!?\s])(?:USER|HUMAN|User|Human|Question|QUESTION|Q) ?:[^\n]*",
    re.MULTILINE,
)
_LABELS = re.compile(r"\b(?:assistant|question|answer|response|options|choices|image|user|human|bot|ai|q|a)\b", re.I)


def without_continuation(text: str) -> str:
    """A text up to the first turn that is not its author's; a text that only begins with one stays."""
    for turn in _TURN.finditer(text):
        before = text[: turn.start()]
        if re.search(r"\w", _LABELS.sub("", _TURN.sub("", before))):
            return before
    return text
