"""The content of a yes-or-no question, as words that can be compared with a statement."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from whatif.scoring.extraction.response_text import SUPPOSITION
from whatif.scoring.extraction.statement_words import IMAGE, IMAGE_NAME, NOT, SHOWS, VERB, Word, words_of, written_out

_ASKED = re.compile(
    r"\W*(?:(?:then|and|so) )?(?P<auxiliary>is|are|was|were|do|does|did|has|have|had|can|could|will|would)\b "
    r"(?P<rest>.*?)[\s?.!]*$"
)
_THING = re.compile(
    r"there (?:still )?(?:(?:have )?been? )?(?:still )?(?P<there>.*)|"
    r"(?:you|we|i|one) (?:be able to )?see\b ?(?P<seen>.*)|"
    rf"(?:the|this) {IMAGE_NAME} {SHOWS} (?P<shown>.*)"
)
_IS_THIS = re.compile(r"(?:this|that|these|those|it)\b")
_IS_A_THING = re.compile(r"(?:this|that|it)\b(?: still)?(?: be)? an? ")


@dataclass(frozen=True)
class Asked:
    """A question: whether a thing exists (`is_of_existence`), or whether something is true of a subject.

    `words` are the thing with its place, or the subject and its predicate, without auxiliaries.
    """

    words: Sequence[Word]
    is_of_existence: bool
    is_supposed: bool
    is_plural: bool  # `are there cars`: one is not enough
    is_of_this: bool  # `is this ...`
    names_a_kind: bool  # `is this a kitchen`
    has_verb: bool  # `does he have a hat`: his properties do not answer it
    auxiliary: str
    main: str
    text: str


@lru_cache(maxsize=4096)
def asked_of(question: str) -> Asked | None:
    """The content of a question, without its supposition; None if its form is not supported."""
    text = written_out(question)
    main = SUPPOSITION.sub("", text)
    found = _ASKED.match(main)
    if not found:
        return None
    rest = re.sub(r"^you (?:think|believe) (?:that )?", "", found["rest"])
    thing = _THING.fullmatch(rest)
    asked_thing = next(filter(None, thing.groups()), "") if thing else rest
    words = words_of(asked_thing)
    if any(word.base == NOT or word.written == "or" for word in words):
        return None
    ends_in_image = bool(words) and words[-1].base == IMAGE
    is_visible = bool(re.search(r"\b(?:visible|seen|shown|present)\b", rest) or re.match(r"(?:an?|any|some) ", rest))
    has_verb = found["auxiliary"] in ("do", "does", "did") and not any(word.base == VERB for word in words)
    words = [word for word in words if word.base not in (VERB, IMAGE, ",") and word.written != "some"]
    if not words:
        return None
    return Asked(
        words=words,
        is_of_existence=thing is not None or (ends_in_image and is_visible),
        is_supposed=main != text or found["auxiliary"] == "would",
        is_plural=found["auxiliary"] in ("are", "were") and not re.search(r"\bany\b", rest),
        is_of_this=_IS_THIS.match(rest) is not None,
        names_a_kind=_IS_A_THING.match(rest) is not None,
        has_verb=has_verb,
        auxiliary=found["auxiliary"],
        main=main,
        text=text,
    )
