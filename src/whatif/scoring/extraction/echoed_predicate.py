"""Extracts yes or no from a statement that says of a modal question's predicate that it would be so, or would not.

`It would fit perfectly.` answers `Would the lid fit on the pot if it was bigger?` by the question's own verb. The
statement may leave out the place that the question names, and add adverbs, but no other content.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from whatif.scoring.extraction.response_text import SUPPOSITION
from whatif.scoring.extraction.statement_words import ADDED, PREPOSITIONS, PRONOUNS, VERB, Word, words_of, written_out

_QUESTION = re.compile(r"\W*(?P<auxiliary>would|could|can|will|should|must) (?P<rest>.*?)[\s?.!]*$")
_WITH = re.compile(r"\b(?:with|without)\b.*$")
_SAID = re.compile(
    r"^\W*(?:(?:so|therefore|thus|hence|then|of course|and|but|yes|no|in that case|consequently|clearly|obviously|i "
    r"think|"
    r"i believe|i (?:would )?(?:say|guess|expect|assume)|this means|that means)\b(?: that\b)?,? ){0,2}(?:(?:with|"
    r"without) [a-z ]{1,20}?,? (?=the |it |they |he "
    r"|she ))?…?,? ?(?P<subject>[a-z0-9' ,-]{1,80}?)"
    r"\b(?P<auxiliary>would|could|can|will|should|must)(?P<negation> not)? "
    r"(?:(?:indeed|still|also|definitely|probably|certainly|easily|likely|surely|then|(?P<denied>not)|most likely|"
    r"very likely|most probably|almost certainly|undoubtedly|comfortably|just about|just|actually|really|even|never) )*"
    r"(?P<predicate>[^.;:!?]{1,120})"
)
_STAYS = re.compile(r"\b(?:remain|stay)\b")
_OBJECTS = frozenset(("it", "them", "him", "her"))
_FREE = _OBJECTS | {
    "too",
    "anyway",
    "there",
    "easily",
    "well",
    "fine",
    "just",
    "instead",
    "then",
    "again",
    "right",
    "down",
    "away",
    "way",
}
_BE = "bebe"  # which the words of a statement would otherwise mark as an auxiliary
_FITTING = {
    "would": ("would", "will"),
    "will": ("will", "would"),
    "could": ("could", "can", "would"),
    "can": ("can", "could"),
    "should": ("should",),
    "must": ("must",),
}
_PARTLY = {"partly", "partially", "nearly", "hardly", "barely", "slightly", "possibly", "mostly", "usually"}
_UNSURE = re.compile(r"\b(?:if|might|may|or|unless|perhaps|maybe|both)\b")
_DENIAL = re.compile(r"\b(?:not|no)\b")
_LINKS = frozenset((_BE, "have", "get"))


@lru_cache(maxsize=4096)
def echoed_polarity(piece: str, question: str) -> str | None:
    """`yes` or `no` if a clause says that the predicate of a modal question would hold or not; None otherwise."""
    asked_text = written_out(question)
    if not _STAYS.search(asked_text):
        piece = _STAYS.sub("be", piece)
    main = _QUESTION.match(SUPPOSITION.sub("", asked_text))
    said = _SAID.match(written_out(piece))
    if not main or not said or _UNSURE.search(said[0]) or _DENIAL.search(said["predicate"]):
        return None
    if said["auxiliary"] not in _FITTING[main["auxiliary"]]:
        return None
    asked, predicate = _words(_WITH.sub("", main["rest"])), _words(_WITH.sub("", said["predicate"]))
    subject = [word for word in _words(said["subject"].partition(",")[0]) if word.written not in ("that", "this")]
    place = next(
        (place for place, word in enumerate(asked) if place and predicate and word.base == predicate[0].base), 0
    )
    if not place or not _is_subject(subject, asked[:place]):
        return None
    known = {word.base for word in _words(asked_text)}
    kept = {word.base for word in predicate}
    missing = [word for word in asked[place + 1 :] if word.base not in kept]
    if {word.written for word in predicate[1:]} & _OBJECTS:
        missing = []
    added = [word for word in predicate[1:] if word.base not in known and not _is_free(word, known)]
    added = [word for word in added if word.written not in PREPOSITIONS]
    # `inside` for `inside the hexagon`, and `there would be a seat` without its place
    ends_before = bool(missing) and (
        (predicate[-1].written in PREPOSITIONS and asked[-1 - len(missing)] == predicate[-1])
        or (asked[0].written == "there" and missing[0].written in PREPOSITIONS)
    )
    if added or (missing and predicate[0].base in _LINKS and not ends_before):
        return None
    if said["negation"] or said["denied"] or "never" in said[0].split():
        return "no"
    names_other_place = missing and not ends_before and any(word.written in PREPOSITIONS for word in predicate[1:])
    is_place = not missing or ends_before or len(predicate) == 1 or asked[place + 1].written in PREPOSITIONS
    return "yes" if is_place and not names_other_place else None


def _is_subject(said: Sequence[Word], asked: Sequence[Word]) -> bool:
    """Whether a subject is a pronoun, or that of the question, perhaps with fewer words."""
    if not said or (len(said) == 1 and said[0].written in PRONOUNS):
        return True
    is_part = {word.base for word in said} <= {word.base for word in asked}
    return is_part and said[-1].base in (asked[-1].base, asked[0].base)


def _words(text: str) -> list[Word]:
    """Content words, with `be` as a word of its own."""
    text = re.sub(r"\bbe\b", _BE, re.sub(r"\bbe able to\b", "", text))
    words = words_of(re.sub(r"\b(visible|seen)\b(?! in)", r"\1x", text))  # no marks of the image here
    return [word for word in words if word.base != VERB and re.match(r"[a-z0-9]", word.written)]


def _is_free(word: Word, known: set[str]) -> bool:
    """Whether a word adds no content: an adverb, or a form of a word of the question (`fog` for `foggy`)."""
    if word.written in _PARTLY:
        return False
    if len(word.base) > 2 and any(other.startswith(word.base) for other in known):
        return True
    return word.written in _FREE or word.written in ADDED or word.written.endswith("ly")
