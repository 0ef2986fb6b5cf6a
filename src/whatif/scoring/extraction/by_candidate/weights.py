"""What each piece of evidence for a mention of an answer weighs, and what total an answer needs.

The weights were set by hand. A total is the best mention, plus `REPEATED` for each of up to `MOST_REPEATED` others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from whatif.scoring.extraction.by_candidate.words import WORDS
from whatif.scoring.extraction.extracted import Extracted, ambiguous, none

# What the best total needs, and by how much it must lead, by what is looked for.
NEEDED: Mapping[str, tuple[float, float]] = {"option": (2.5, 0.9), "number": (3.6, 1.6), "yes or no": (4.0, 0.9)}
REPEATED, MOST_REPEATED = 0.3, 3

WEIGHTS: Mapping[str, float] = {
    "start": 5,  # nothing but punctuation before it
    "first sentence": 1,
    "last sentence": 2,
    "boxed": 7,
    "answer cue": 6,
    "conclusion": 1.5,
    "verb": 1,  # `is 3`, `= 3`
    "in question": -2.5,
    "negated": -5,
    "compared with": -3,
    "conditional": -2,
    "retracted": -8,
    "joined": -8,
    "other candidates": -1.5,
    "listed": -4,
    "parenthesised": 2,
    "verdict": 3,  # `is right`
    "led to": 2,
    "text": 2,
    "figure only": -1,
    "number": 1,
    "unit asked": 2,
    "asked before": 1.5,
    "supposed": -8,
    "actual": -4,  # in another mood than the question
    "equals": 3,
    "operand": -4,
    "result": 1,
    "mood asked": 1.5,
    "detail": -1.5,
    "pronoun": -2,
    "opening": 4,
    "statement": 3,
    "refusal": 4,
}

Evidence = dict[str, list[float]]


def any_of(name: str) -> str:
    """The words of a list as alternatives of a regular expression."""
    return "|".join(WORDS[name])


def add(evidence: Evidence, answer: str, features: Iterable[str]) -> None:
    """Adds a mention of an answer with the features that were seen."""
    evidence.setdefault(answer, []).append(sum(map(WEIGHTS.__getitem__, features)))


def decided(evidence: Evidence, what: str) -> Extracted:
    """The answer with the best total, if it is high enough and leads by the margin; "" stands for no answer."""
    totals = []
    for found, weights in evidence.items():
        others = min(sum(weight > 0 for weight in weights) - 1, MOST_REPEATED)
        totals.append((max(weights) + REPEATED * max(0, others), found))
    totals.sort(reverse=True)
    least, margin = NEEDED[what]
    if not totals or totals[0][0] < least:
        return none(f"no {what} with enough evidence")
    best, answer = totals[0]
    if not answer:
        return none("the response says that there is no answer")
    if len(totals) > 1 and best - max(totals[1][0], 0) < margin:
        return ambiguous(f"as much evidence for another {what}")
    return Extracted(answer, "ok", None)
