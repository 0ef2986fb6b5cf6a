"""Removes what a response repeats of its question, which is no part of the answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from whatif.engine.language.options import printed_question

_WORD = re.compile(r"\w+")


def without_echo(text: str, question: str, choices: Sequence[str] | None) -> str:
    """A text without a repetition of the question, word by word, with or without its options."""
    words = f" {' '.join(_WORD.findall(text.lower()))} "
    for said in (printed_question(question, choices), question) if choices else (question,):
        repeated = _WORD.findall(said.lower())
        if len(repeated) > 1 and f" {' '.join(repeated)} " in words:
            written = r"[^\w✓✗]{1,9}".join(map(re.escape, repeated))
            text = re.sub(rf"\b{written}\b\W?", "\n", text, flags=re.IGNORECASE)
    return text.strip()
