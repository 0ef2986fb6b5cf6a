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
    r"(?: (?:in the (?:image|picture|photo|scene)|(?:in|on|at) (?:his|her|its|their)[a-z ]{1,30}))?[\s.,!]*"
)
_MAKES = re.compile(r"\b(?P<modal>would|will)(?P<negation> not)? (?:make|render|leave|keep) (?P<rest>the .+)$")
_SUBJECT = re.compile(r"\W*(?:would|will) (?P<subject>the [a-z' -]{1,60}?) (?:be|become|stay|remain) ")
_IT_ASKED = re.compile(r"\W*(?:is|was|would|will) it (?:be )?(?P<what>[a-z]{3,}) (?:to|that|for|if)\b")
_IT_SAID = re.compile(
    r"\W*(?:it|that|this) (?:is|was|would|will)(?P<negation> not)?(?: be)?(?: (?:very|quite|certainly|definitely|"
    r"indeed|well|highly|also|still|really))* (?P<what>[a-z]{3,})\b(?! or\b)"
)
_ENOUGH_ASKED = re.compile(r"\W*(?:is|are|would|will) there (?:still )?(?:be )?enough (?P<what>[a-z]+)")
_ENOUGH_SAID = re.compile(
    r"\W*(?:so |then |…,? ?)?there (?:is|are|would|will)(?P<negation> not)?"
    r"(?: be| still| definitely| clearly| just| exactly)* enough\b(?: (?P<what>[a-z]+))?"
)
_DOES = re.compile(
    r"\W*(?:does|do|did|would|will) (?:the|this|that|an?) [a-z' -]{1,60}? (?P<verb>[a-z]{3,}) "
    r"(?P<object>[a-z' -]{2,60}?)\W*"
)
_IS_DONE = re.compile(
    r"\W*(?P<object>[a-z' -]{2,60}?) (?:is|are|was|were|would be|will be)(?P<negation> not)? (?P<done>[a-z]{4,})\b"
)
_DONE = {
    "sold": "sell",
    "made": "make",
    "held": "hold",
    "shown": "show",
    "kept": "keep",
    "given": "give",
    "worn": "wear",
}
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
    if asked is None or found is None or asked.is_supposed:
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


def _is_supposed(text: str) -> bool:
    return re.search(r"\b(?:would|will)\b|'d\b|'ll\b", text) is not None


def as_it_is(statement: str, question: str) -> str | None:
    """The answer of `it is quite possible` to a question such as `Is it possible that ...?`"""
    asked, said = _IT_ASKED.match(written_out(question)), _IT_SAID.match(statement)
    if not asked or not said or asked["what"] != said["what"] or _is_supposed(question) != _is_supposed(statement):
        return None
    return "no" if said["negation"] else "yes"


def as_enough(statement: str, question: str) -> str | None:
    """The answer of `there is enough` to a question whether there is enough of something."""
    asked, said = _ENOUGH_ASKED.match(written_out(question)), _ENOUGH_SAID.match(statement)
    if not asked or not said or said["what"] not in (None, "for", "to", asked["what"]):
        return None
    return "no" if said["negation"] else "yes"


def as_passive(statement: str, question: str) -> str | None:
    """The answer of `parking is not allowed` to a question such as `Does the sign allow parking?`"""
    asked, said = _DOES.fullmatch(written_out(question)), _IS_DONE.match(statement)
    if not asked or not said or _is_supposed(question) != _is_supposed(statement):
        return None
    verb = _DONE.get(said["done"], re.sub(r"(?<=[^e])ed$|(?<=e)d$", "", said["done"]))
    is_verb = asked["verb"] in (verb, f"{verb}e")
    if not is_verb or bases(words_of(said["object"])) != bases(words_of(asked["object"])):
        return None
    return "no" if said["negation"] else "yes"
