"""Yes or no that a clause without these words implies, by what it claims, doubts or assures."""

from __future__ import annotations

import re
from functools import lru_cache

from whatif.scoring.extraction.propositions.decision import decided
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
_CONTRARY = {"yes": "no", "no": "yes"}


def claim_of(piece: str) -> str:
    """A clause without contractions and concessions."""
    return _CONCESSION.sub("", written_out(piece))


@lru_cache(maxsize=4096)
def implied_polarity(piece: str, question: str) -> str | None:
    """The answer implied by a statement without yes or no; None if it says something else than the question asks."""
    *denied, clause = _DENIED.split(_ASSURED.sub("", claim_of(piece)))
    verdict = statement_polarity(clause, question)
    if verdict is None:
        own = clause if denied else _ASSURED.sub("", _CONCESSION.sub("", piece))
        verdict = decided(own, question)
    return verdict if verdict is None or len(denied) % 2 == 0 else _CONTRARY[verdict]
