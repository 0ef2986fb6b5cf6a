"""Yes or no that a clause without these words implies, by what it claims, doubts or assures."""

from __future__ import annotations

import re
from functools import lru_cache

from whatif.scoring.extraction.echoed_predicate import echoed_polarity
from whatif.scoring.extraction.quantifiers import of_quantity
from whatif.scoring.extraction.rephrased import (
    as_enough,
    as_existence,
    as_it_is,
    as_passive,
    as_result,
    denies_object,
)
from whatif.scoring.extraction.response_text import SUPPOSED
from whatif.scoring.extraction.statement import statement_polarity
from whatif.scoring.extraction.statement_words import written_out

_DENIED = re.compile(
    r"\bthere is no (?:way|chance)(?: that)?\b|\bit is impossible that\b|"
    r"\bi (?:strongly |really |very much )?doubt(?: that)?\b|"
    r"\b(?:i|we) do not (?:think|believe)\b|\b(?:it|that) is (?:not (?:true|correct|"
    r"the case)|false|incorrect) that\b"
)
_ASSURED = re.compile(
    rf"^\W*(?:but(?= {SUPPOSED})|no (?:problem|worries)\b|(?:there is )?no (?:doubt|question)\b(?: that\b)?|"
    r"(?:it|that) is (?:(?:very|highly|quite|most|rather|fairly) )?(?:true|correct|clear|certain|likely|probable|"
    r"safe to (?:say|assume)) that\b|there is a (?:(?:very|fairly|quite) )?(?:good|high|strong|fair) (?:chance|"
    r"probability|likelihood|possibility) that\b|[^.;!?\n]{0,200}\b(?:which|this|that|these)(?: \w+)? "
    r"(?:(?:strongly|clearly) )?"
    r"(?:suggest|indicate|mean|show|implie|imply|confirm)s? that\b)\W*"
)
_CONCESSION = re.compile(
    r",? \b(?:although|though|even though|even if|while|whereas|despite|albeit)\b[^.;!?]*[.!?]*\s*$"
)
# `It would be too wide to fit.`
_TOO = re.compile(
    r"\b(?P<verb>would|will|could|is|are|was|were)(?: be)?(?: (?:far|much|a bit|a little|simply|just))? too [a-z]+ "
    r"(?:for (?:it|him|her|them|us|the [a-z]+) )?to (?=[a-z])"
)
_ENOUGH = re.compile(
    r"\b(?P<verb>would|will|could)(?P<negation>(?: not)?)(?: be)? [a-z]+ enough "
    r"(?:for (?:it|him|her|them|us|the [a-z]+) )?to (?=[a-z])"
)
_SIDES = re.compile(
    r"(?<! is)(?<! are)(?<! be) (?:on|to|at) the (?:far )?(?:left|right)(?:[- ]hand)?(?: side)?(?! of\b)"
)
_RELATIVE = re.compile(r"(?<=[a-z] )(?:that|which|who) (?=(?!is\b|was\b|has\b|does\b)[a-z]{3,}s\b)")
_CONTRARY = {"yes": "no", "no": "yes"}


def _rephrased(clause: str, question: str) -> str | None:
    """The answer of a statement in another construction than the question's."""
    if denies_object(clause, question):
        return "no"
    if said := as_it_is(clause, question) or as_enough(clause, question) or as_passive(clause, question):
        return said
    if result := as_result(clause, question):
        return echoed_polarity(result, question)
    verdicts = {statement_polarity(clause, other) for other in as_existence(question)} - {None}
    return verdicts.pop() if len(verdicts) == 1 else None


def claim_of(piece: str, question: str) -> str:
    """A clause without contractions and concessions; `too wide to fit` is `not fit`."""
    claim = _CONCESSION.sub("", written_out(piece))
    claim = _RELATIVE.sub("", claim)
    if not _SIDES.search(question.lower()):
        claim = _SIDES.sub("", claim)
    claim = claim if " too " in question else _TOO.sub(r"\g<verb> not ", claim)
    return claim if " enough" in question else _ENOUGH.sub(r"\g<verb>\g<negation> ", claim)


@lru_cache(maxsize=4096)
def implied_polarity(piece: str, question: str) -> str | None:
    """The answer implied by a statement without yes or no; None if it says something else than the question asks."""
    *denied, clause = _DENIED.split(_ASSURED.sub("", claim_of(piece, question)))
    verdict = statement_polarity(clause, question) or (echoed_polarity(clause, question) if denied else None)
    if verdict is None:
        verdict = of_quantity(clause, question, statement_polarity) or _rephrased(clause, question)
    return verdict if verdict is None or len(denied) % 2 == 0 else _CONTRARY[verdict]
