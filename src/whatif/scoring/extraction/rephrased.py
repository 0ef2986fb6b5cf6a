"""Rephrases questions and statements that say the same in another construction.

`Does the car have a roof rack?` asks whether there is one on it; `no umbrella is visible` answers whether somebody
holds one; `cutting the hedge would make the statue visible` says that it would be visible.
"""

from __future__ import annotations

import re

from whatif.scoring.extraction.asked_statement import asked_of
from whatif.scoring.extraction.entailment import bases
from whatif.scoring.extraction.statement_words import words_of, written_out

_HAS = re.compile(
    r"\W*(?:does|do|did|would|will) (?P<owner>(?:the|this|that|these|those|his|her|any of the) [^,?]{1,60}?) "
    r"(?:have|contain|include) (?P<thing>(?:an?|any|some) [^?]{1,60}?)(?P<place> (?:in|on|at) [^?]{1,40})?\W*"
)
_NO_THING = re.compile(
    r"\W*(?:(?:so|therefore|thus|hence|then|and|but),? )?(?:there (?:is|are) |(?:i|we) (?:can )?see )?(?:no|not any) "
    r"(?P<thing>[a-z -]{2,60}?)(?: (?:is|are|can be) (?:visible|seen|shown|present|there|depicted))?"
    r"(?: in the (?:image|picture|photo|scene))?[\s.,!]*"
)
_MAKES = re.compile(r"\b(?P<modal>would|will)(?P<negation> not)? (?:make|render|leave|keep) (?P<rest>the .+)$")
_SUBJECT = re.compile(r"\W*(?:would|will) (?P<subject>the [a-z' -]{1,60}?) (?:be|become|stay|remain) ")
_PREPOSITIONS = ("on", "in", "at")


def as_existence(question: str) -> list[str]:
    """Questions whether a thing is there that ask the same as one whether something has it; nothing for others."""
    found = _HAS.fullmatch(written_out(question))
    if not found:
        return []
    return [f"is there {found['thing']} {preposition} {found['owner']}?" for preposition in _PREPOSITIONS]


def denies_object(statement: str, question: str) -> bool:
    """Whether a statement says that there is none of the things that a question ends with: `so no bread rolls`."""
    asked, found = asked_of(question), _NO_THING.fullmatch(statement)
    if asked is None or found is None:
        return False
    words = bases(words_of(found["thing"]))
    is_definite = re.search(rf"\b(?:the|his|her|their|its) {re.escape(found['thing'])}", question.lower())
    return bool(words) and not is_definite and words == bases(asked.words)[-len(words) :]


def as_result(statement: str, question: str) -> str | None:
    """`The statue would be visible` for `cutting the hedge would make the statue visible`."""
    makes, asked = _MAKES.search(statement), _SUBJECT.match(written_out(question))
    if not makes or not asked or not makes["rest"].startswith(f"{asked['subject']} "):
        return None
    result = makes["rest"].removeprefix(asked["subject"]).strip()
    return f"{asked['subject']} {makes['modal']}{makes['negation'] or ''} be {result}"
