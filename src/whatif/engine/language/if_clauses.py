"""Finds the if clause of a question: the part that states its counterfactual presupposition (CFMM 3.1, A; C-VQA 3.1).

These count: `if`, `suppose`, `imagine`, `assume`, `pretend` and their kin, `unless`, `in a world where`, `without` and
`but for` before a `would`, and inverted conditionals (`Were the bus blue, ...`, `Had it rained, ...`). These do not:
`as if`, `if any`, `tell if` in the sense of whether, and clauses of time (`when`, `after`, `once`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from whatif.engine.language.wording import one_line

_MODALS = r"would|could|might"
_AUXILIARIES = rf"(?:{_MODALS}|will|can|shall|should|may|must|is|are|was|were|am|does|do|did|has|have|had)(?:n't)?"
_PREPOSITIONS = r"in|on|at|to|from|by|for|of|with|under|near|behind|about|into|above|below|through|toward|towards"
_ASKS = rf"(?:(?:{_PREPOSITIONS}) )?(?:what|which|who|whom|whose|where|when|how|why)\b"
_MAIN = rf"(?:then )?(?:{_ASKS}|{_AUXILIARIES}\b)"
_SUBJECT = (
    r"(?:the|a|an|this|that|these|those|it|there|they|he|she|we|you|i|all|both|each|every|everything|everyone|someone|"
    r"somebody|some|another|its|his|her|their|my|your|no|nobody|nothing|one|two|three|four|five|six|seven|eight|nine|"
    r"ten|\d+)\b"
)
_SENTENCE = re.compile(r"(?<=[.!?;:])\s+")
_STARTS_MAIN = re.compile(rf",\s*{_MAIN}")
_RELATIVE = re.compile(rf",\s*(?:which|who|whose|where|when)\s+(?:{_AUXILIARIES}|\w+s)\b")
_STARTS_BARE = re.compile(rf"\b(?:then\s+{_MAIN}|{_ASKS}|(?:{_MODALS}|will|is|are|does|do|did|can)\s+{_SUBJECT})")
_MARKER = re.compile(
    r"\b(?:(?:even|only|what)\s+if|if|unless|suppos(?:e|ing)|imagin(?:e|ing)|assum(?:e|ing)|provid(?:ed|ing)\s+that|"
    r"given\s+that|on\s+condition\s+that|in\s+the\s+(?:event|case)\s+(?:that|of)|in\s+case|"
    r"in\s+an?\s+(?:\w+\s+){0,2}(?:world|universe|scenario|situation|case)\s+(?:where|in\s+which|without)|"
    r"(?:were|had)\s+it\s+not\s+(?:been\s+)?for)\b"
)
_OPENING = re.compile(
    r"(?:now|so|and|please|just|well)?,?\s*\b(?:pretend(?:ing)?|say(?:ing)?\s+(?:that\s+)?(?=the|a|an|there|it|all|we|i|"
    r"you|this|these|someone)|let(?:'s|\s+us)\s+(?:say|suppose|imagine|assume|pretend)|envision|visuali[sz]e|"
    r"picture\s+(?:that|a|the|this|yourself)|consider\s+(?:that|a\s+(?:\w+\s+)?(?:world|universe|scenario|situation|case)))"
    r"\b"
)
_WITHOUT = re.compile(r"\b(?:without|but\s+for|in\s+the\s+absence\s+of|absent)\b")
_HAS_MODAL = re.compile(rf"\b(?:{_MODALS})(?:n't)?\b")
_NO_CONDITION_BEFORE = re.compile(
    r"\b(?:as|whether|see|tell|know|wonder|ask|asked|check|determine|sure|decide|find\s+out|figure\s+out)\s*$"
)
# `How many birds would you see if ...` asks under a condition; `Can you see if ...` and `Look to see if ...` do not.
_ASKS_WHAT_IS_SEEN = re.compile(r"(?:how|what|which|who|whose|where)\b.*(?<!\bto )(?<!\band )\bsee\s*$")
_ELLIPSIS = re.compile(
    r"if\s+(?:any(?:thing)?|so|not|possible|at\s+all|ever|needed|necessary|applicable|visible|present)\s*(?:[,.?!)]|$)"
)
_INVERTED = re.compile(rf"(?:[^,]*\b(?:image|picture|photo|scene),\s*)?(?P<clause>(?:were|had|should)\s+{_SUBJECT}.*)")
_INVERTED_LATER = re.compile(
    rf"\b(?:{_MODALS})\b.*?(?<!who )(?<!that )(?<!which )(?<!you say )"
    rf"\b(?P<clause>were\s+{_SUBJECT}.*|had\s+{_SUBJECT}(?:\s+\w+){{0,4}}?\s+(?:been|not|\w+(?:ed|en|ne|wn|ld|pt))\b.*)"
)
_SHOULD_LATER = re.compile(
    rf"\b(?:{_MODALS}|will|is|are|remain|remains)\b.*?(?<!that )(?<!which )\b(?P<clause>should\s+{_SUBJECT}.*)"
)


def if_clause(question: str) -> str | None:
    """The if clauses of a question in lower case, joined by spaces if there are several; None if it has none.

    A clause ends where the main clause begins (at a comma before a question word or an auxiliary), or at the end of the
    sentence.
    """
    sentences = _SENTENCE.split(one_line(question).lower().replace('"', ""))
    found = [clause for sentence in sentences for clause in _clauses(sentence)]
    return " ".join(found) or None


def _clauses(sentence: str) -> Iterator[str]:
    if (opening := _OPENING.match(sentence)) is not None:
        yield _until_main(sentence[opening.start() :])
        return
    for marker in _MARKER.finditer(sentence):
        before = sentence[: marker.start()]
        is_whether = _NO_CONDITION_BEFORE.search(before) and not _ASKS_WHAT_IS_SEEN.match(before)
        if not is_whether and not _ELLIPSIS.match(sentence, marker.start()):
            yield _marked(before, sentence[marker.start() :])
            return
    if (without := _WITHOUT.search(sentence)) is not None and _HAS_MODAL.search(sentence):
        yield _marked(sentence[: without.start()], sentence[without.start() :])
        return
    inverted = _INVERTED.match(sentence)
    if inverted is not None and _asks_after(inverted["clause"]):
        yield _until_main(inverted["clause"])
        return
    later = _INVERTED_LATER.search(sentence) or _SHOULD_LATER.search(sentence)
    if later is not None:
        yield _end(later["clause"])


def _marked(before: str, rest: str) -> str:
    """A clause that begins with a marker, after other words or at the start of its sentence."""
    if not before.strip(" ,") or _STARTS_MAIN.search(rest):
        return _until_main(rest)
    inserted = before.rstrip().endswith(",") and "," in rest  # How many dogs, if two left, would remain?
    return _end(rest.partition(",")[0] if inserted else rest)


def _until_main(rest: str) -> str:
    """A clause before its main clause: up to where the main clause begins. A statement is one clause."""
    if rest.endswith((".", ";", ":")):
        return _end(rest)
    begins = 0
    for comma in _STARTS_MAIN.finditer(rest):
        if comma.start() < begins:
            continue
        if _RELATIVE.match(rest, comma.start()) and _STARTS_MAIN.search(rest, comma.end()):
            begins = rest.find(",", comma.end()) + 1  # after the relative clause
        else:
            return _end(rest[: comma.start()])
    if "," in rest and rest.rpartition(",")[2].strip(" ?."):
        return _end(rest.rpartition(",")[0])
    bare = _STARTS_BARE.search(rest, _words_in(rest, 3))
    return _end(rest[: bare.start()] if bare else rest)


def _asks_after(clause: str) -> bool:
    """Whether a main clause follows an inverted conditional, which otherwise is a question of its own."""
    if _STARTS_MAIN.search(clause):
        return True
    return re.search(rf"\b{_ASKS}.*\b(?:{_MODALS}|will)\b", clause[_words_in(clause, 3) :]) is not None


def _words_in(text: str, number: int) -> int:
    """The place after so many words of a text."""
    found = re.match(rf"(?:\S+\s+){{{number}}}", text)
    return found.end() if found else len(text)


def _end(clause: str) -> str:
    return clause.strip(" ,.;:?!")
