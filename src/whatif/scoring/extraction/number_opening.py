"""Whether the first sentence of a response that was cut off may be its answer."""

from __future__ import annotations

import re

from whatif.scoring.extraction.number_asked import asked_by
from whatif.scoring.extraction.number_evidence import names_verbs

_OF_NOW = re.compile(r"\b(?:there (?:are|is)|currently|now|at the moment|(?:i|we) (?:can )?(?:see|count|have))\b")
_SUPPOSES = re.compile(r"\b(?:would|will|if|remain\w*|left|leaves?)\b|'d\b|'ll\b|=")
_BRIEF = 8  # words of a sentence that may be an answer without the words of the question


def may_answer(sentence: str, question: str) -> bool:
    """Whether a sentence is short, or is about the supposed world, or has the verb that a question asks about."""
    asked, said = asked_by(question), sentence.lower()
    is_brief = len(said.split()) <= _BRIEF
    if asked.counterfactual:
        return _OF_NOW.search(said) is None and (is_brief or _SUPPOSES.search(said) is not None)
    return is_brief or names_verbs(said, asked.restriction)
