"""Extracts yes or no: stated directly, or by a statement that confirms or denies the words of the question."""

from __future__ import annotations

import re
from collections.abc import Sequence

from whatif.scoring.extraction.claims import claim_of, implied_polarity
from whatif.scoring.extraction.echoed_predicate import echoed_polarity
from whatif.scoring.extraction.extracted import Extracted, ambiguous, one_of
from whatif.scoring.extraction.foreign_numbers import is_english
from whatif.scoring.extraction.foreign_statements import foreign_polarity
from whatif.scoring.extraction.response_text import SUPPOSED, SUPPOSITION, clauses
from whatif.scoring.extraction.statement import has_content
from whatif.scoring.extraction.whole_answers import (
    conclusion_of,
    is_marked_both,
    is_on_condition,
    of_the_claim,
)

_ALONE = r"(?=\W*$|\W*[^\w\s])"  # `certainly not awake` says nothing about asleep
_YES = (
    r"yes|yeah|yep|yup|(?:sure,? )?why not|"
    r"there(?:'s| is) no reason why (?:it|they|s?he) (?:would|should|could)(?: not|n't)|"
    r"sure(?=\W*$)|that(?:'s| is) (?:right|correct|true)(?! that\b)|right(?=\W*$)|affirmative(?=\W*$)|i "
    r"(?:think|guess|believe|suppose) so|"
    rf"(?:true|correct)(?! that\b|\s?:)|(?:certainly|definitely|absolutely|of course|indeed|no doubt|"
    rf"without (?:a |any )?doubt){_ALONE}|it (?:seems|appears|looks) so|(?:it )?looks like (?:it|they|s?he|there)"
    r"(?: (?:is|are|does|do|would|will|can|has|have))?(?=\W*$)|(?:(?:most|"
    rf"very|quite|highly) )?(?:likely|probably|presumably)(?=\W*$)"
)
_NO = (
    r"not (?:quite|entirely|completely|fully|exactly)(?=\W*$|[.,;:])|"
    r"not without\b(?! (?:a )?doubt)|i doubt (?:it|that|so)(?=\W*$|[.,;:])|"
    r"(?:it|that) (?:does not|doesn't) (?:look|seem) "
    r"(?:like it|so|that way|to be the case)|"
    r"nope|nah|not (?:that|as far as) (?:i|we) (?:can )?(?:see|tell|know)|not any ?more|not any longer|"
    r"no longer(?=\W*$|[,.;:])|no way(?! (?:it|that|they|he|she|the)\b)|"
    r"i(?:'m| am) afraid not|by no means|never(?=\W*$)|not a chance|"
    r"negative(?=\W*$)|(?:(?:most|very|quite|highly|almost|more than) )?likely not|i do(?:n't| "
    r"not) (?:think|guess|believe|suppose) so|"
    r"(?:false|incorrect|not (?:true|correct))(?! that\b)|no(?= (?:it|there|they|he|she|the|this|that|because)\b)|"
    r"(?:no|not really|not at all|(?:definitely|(?:(?:most|very|quite|almost) )?(?:probably|certainly)|presumably|"
    r"absolutely|surely|of course|"
    rf"i(?:'d| would)? (?:think|guess|suppose|say)) not){_ALONE}"
)
_HEDGE = (
    r"lol|haha|ha|wow|oh|ah|hm+|"
    r"then|so|well|sadly|unfortunately|luckily|fortunately|clearly|obviously|actually|honestly|definitely|certainly|"
    r"absolutely|surely|apparently|simply|therefore|thus|hence|but|and|ok|probably|likely|most likely|mostly|largely|"
    r"essentially|basically|technically|theoretically|presumably|overall|generally|in principle|i(?:'d|"
    r" would)? (?:think|guess|say)|"
    r"(?:it|that|this)(?: is|'s)|print|return|bool|a|assistant|[a-z]+(?=[,:])|"
    r"(?:based on|in|from) [^,]{1,40}+(?=,)"
)
# A text has only one reading, and nothing is read twice: a hedge never begins with yes or no, and lookaheads do not
# backtrack. A possessive group would be shorter, but Python up to 3.11.4 matches it differently.
_SAID = re.compile(
    rf"^\W*+(?=(?P<hedges>(?:(?!(?:{_YES}|{_NO})\b)(?:{_HEDGE})\b\W*+)*))(?P=hedges)"
    rf"(?:(?P<yes>{_YES})|(?P<no>{_NO}))\b(?P<more>.*\w)?"
)
_ECHO = re.compile(r"\(?\byes ?(?:/|\W?or) ?no ?(?:[?:]|\):?|\.(?= (?:yes|no)\b))", re.IGNORECASE)
_REPEATED = re.compile(r"\b(yes|no)(?:\W{1,3}\1\b)+", re.IGNORECASE)
_BOTH = re.compile(
    r"\b(?:yes\W+(?:(?:and|or)\W+)?no|no\W+(?:(?:and|or)\W+)?yes)\b|"
    r"\byes,? (?:on|in|for|at|to|with)\b[^.;]{1,60}\bno,? (?:on|in|for|at|to|with)\b|"
    r"\byes\b[^.;]{1,60}\b(?:and|but),? no,|\bno\b[^.;]{1,60}\b(?:and|but),? yes,|"
    r"\bno,? (?:on|in|for|at|to|with)\b[^.;]{1,60}\byes,? (?:on|in|for|at|to|with)\b"
)
# `so yes for that half`, `after a minute: yes, ...`
_QUALIFIED = re.compile(
    r"\b(?P<said>yes|no),? (?:for|in|on|at|with|if|when) |^(?!\W*(?:answer|so|conclusion|result)\b)[^:\n]{1,60}: "
    r"(?P<labelled>yes|no)\b"
)
_UNQUALIFIED = re.compile(r"[\s\"'(]*(?:yes|no)\b(?!,? (?:for|in|on|at|with)\b)")
_IN_TURN = re.compile(
    r"(?<!neither )\b(?P<one>yes|no),? (?!n?or\b)[^.;]{1,60}\b(?P<other>yes|no)\W*$"
)  # `under it yes, without it no`
# A clause that ends in yes or no: `So I'd answer yes.`, `Left lamp: yes`.
_CLOSING = re.compile(
    r"(?:,|\b(?:would|does|can|could|will|answer|say|with|towards?|lean|vote for|guess|conclude|go with|result is|"
    r"is)(?: "
    r"(?:with|is|that|a|an|clearly|"
    r"therefore|simply|clear|definite)){0,2}|[:→✓✗=])"
    r"[\s\"'(]{0,3}(?P<said>yes|no)\W*$"
)
_EXPLAINED = re.compile(
    r"^\W*(?:(?:well|hmm|but|or|and|so)\W{1,3})?(?:yes|no)(?:\s?[:;(-]|, (?:it|there|he|she|they)\b)"
)
_ALL_BUT = re.compile(
    r"\b(?:nearly |almost )?all (?:but|except(?: for)?) (?:one|two|three|four|a few)(?: of)?\b", re.IGNORECASE
)
_A_LITTLE = re.compile(r"(?:\bnot|n't) \w+ (?:very |that |so )?much,? but\b[^.;!?\n]*", re.IGNORECASE)  # but a little
_BUT = re.compile(r"\b(?P<who>any\w+|every\w+|all|nobody|no one|nothing|none) but (?=(?:the|an?) )", re.IGNORECASE)
# An adverb of conclusion inside a clause, where it begins none: `they therefore don't match`.
_WITHIN = re.compile(
    r"(?<=[\w)]) (?:therefore|thus|hence|consequently|accordingly)"
    r"(?= (?:is|are|was|were|would|will|can|could|do|does|did|has|have|not|\w+n't|\w+s)\b)",
    re.IGNORECASE,
)
_LABELLED = re.compile(r"^(?P<label>[^:\n]{1,40}): ?(?P<said>yes|no)\b", re.IGNORECASE | re.MULTILINE)
_ELLIPTICAL_IF = re.compile(r"\W*(?:it|they|s?he) (?:could|would|can|might)(?: not|n't)? (?:only )?if\b")
_AND_WOULD = re.compile(r"\band (?:then |also |therefore )?(?=(?:would|will|could|can)(?: not\b|n't\b|\b))")
_TICKED = re.compile(r"(?:✓|[\[(] ?[x✓] ?[\])]) ?(yes|no)\b", re.IGNORECASE)
_UNTICKED = re.compile(r"(?:✗|[\[(] ?[\])]) ?(yes|no)\b", re.IGNORECASE)
_AGREES = re.compile(r"\W*i(?:'d| would| do)? (?P<dis>dis)?agree\b", re.IGNORECASE)
_NOBODY = re.compile(
    r"\W*(?:no one|nobody|none)(?: of (?:them|these|those))?(?: (?:is|are|does|do|has|have|would|will|can|could))?\W*$",
    re.I,
)
_ANYBODY = re.compile(r"\b(?:is there|are there|any|anyone|anybody|someone|somebody|one|some)\b", re.I)
_WOULD = re.compile(r"\bwould\b|'d\b")
_YES_BEFORE = re.compile(r"\b(?:yes|no)\W{1,3}(?:only |but )?$")
_YES_AFTER = re.compile(r"[\s,:;]{0,3}(?:then\b[\s,:;]{0,3})?(?:yes|no)\b")


def boolean_in(text: str, question: str) -> Extracted:  # noqa: PLR0911
    """Yes or no: the first word if it is one, else any, else as a statement confirms or denies the question."""
    text = _A_LITTLE.sub("", text)
    text = _WITHIN.sub("", _BUT.sub(r"\g<who> except", _ALL_BUT.sub("not all", text)))
    pieces = clauses(_REPEATED.sub(r"\1,", _ECHO.sub(" ", text.replace("→", ". So "))), question)
    if outright := _outright(text, question):
        return Extracted(outright, "ok", None)
    if _is_conditional(text, question):
        return ambiguous("yes or no on a condition that the question does not make")
    if is_on_condition(text):
        return ambiguous("only on a condition")
    if (last := conclusion_of(text)) and (concluded := boolean_in(last, question)).status == "ok":
        return concluded
    if any(_BOTH.search(piece) for piece in pieces):
        return ambiguous("both yes and no")
    if labelled := _labelled(text.replace("→", ". So "), question) or _qualified(pieces):
        return one_of(labelled, "yes or no")
    if said := [(piece, found) for piece in pieces if (found := _SAID.search(piece))]:
        return _by_words(said, pieces, question)
    if is_marked_both(text):
        return ambiguous("of some, but not of others")
    return one_of(_without_words(text, pieces, question), "yes or no")


def _by_words(said: Sequence[tuple[str, re.Match[str]]], pieces: Sequence[str], question: str) -> Extracted:
    """The answer of the clauses that begin with yes or no."""
    answers = [("no" if found["no"] else "yes", found["more"]) for _, found in said]
    if any(
        answer != answers[0][0] and _EXPLAINED.search(piece) and not _is_conceded(piece, pieces)
        for (answer, _), (piece, _) in zip(answers, said, strict=True)
    ):
        return ambiguous("both yes and no")
    if said[0][0] != pieces[0]:
        first = pieces.index(said[0][0])
        stated = _stated(pieces[:first], question)
        return one_of({*stated, *(answer for answer, _ in answers)}, "yes or no")
    # The rest explains the first word, unless it is a bare yes or no, too.
    if _contradicts(answers[0][0], pieces, said[0][1]["more"], question):
        return ambiguous("yes or no, and a statement of the contrary")
    return one_of({answers[0][0], *(answer for answer, more in answers if not more)}, "yes or no")


def _is_conceded(piece: str, pieces: Sequence[str]) -> bool:
    """Whether a clause is followed by `but`: `Yes, it is heavy, but ...`."""
    following = pieces[pieces.index(piece) + 1 :]
    return bool(following) and re.match(r"\W*but\b", following[0]) is not None


def _outright(text: str, question: str) -> str | None:
    """The answer of a text that is only a letter, `nobody` or `I agree`; None for other texts."""
    if letter := re.fullmatch(r"\W*([yn])\W*", text, re.IGNORECASE):
        return "yes" if letter[1].lower() == "y" else "no"
    if alone := re.fullmatch(r"\W*?(?P<tick>✓|✗)\W*", text):
        return "yes" if alone["tick"] == "✓" else "no"
    ticked = {found[1].lower() for found in _TICKED.finditer(text)}
    if len(ticked) == 1 and {found[1].lower() for found in _UNTICKED.finditer(text)} == {"yes", "no"} - ticked:
        return ticked.pop()
    if _NOBODY.match(text) and _ANYBODY.search(question):
        return "no"
    if (agrees := _AGREES.match(text)) and re.search(r"\bagree\b", question):
        return "no" if agrees["dis"] else "yes"
    return None


def _without_words(text: str, pieces: Sequence[str], question: str) -> set[str | None]:
    """The answers of a text in which no clause begins with yes or no: of its lines, their ends, or its statements."""
    if closing := {found["said"] for piece in pieces if (found := _CLOSING.search(piece))}:
        return {*closing}
    if verdict := of_the_claim(text):
        return {verdict}
    if not is_english(f"{question} {text}".lower()) and (foreign := foreign_polarity(text, question)):
        return {foreign}
    pieces = [piece for piece in pieces if f"only {SUPPOSED}" not in piece]  # `it would fall only if ...`
    supposed = _of_supposed_world(pieces, question)
    return _stated(pieces, question) or _echoed(supposed, question) - {None} or _echoed(pieces, question)


def _of_supposed_world(pieces: Sequence[str], question: str) -> list[str]:
    modals = [" would", "'d "] + [" could"] * ("could" in question.lower() or "able to" in question.lower())
    return [piece for piece in pieces if SUPPOSED in piece or any(modal in piece for modal in modals)]


def _stated(pieces: Sequence[str], question: str) -> set[str | None]:
    """The answers that statements imply; those about the supposed world before others."""
    would = [piece for piece in pieces if " would" in piece or "'d " in piece]
    if implied := {implied_polarity(piece, question) for piece in would} - {None}:
        return {*implied}
    return {implied_polarity(piece, question) for piece in _of_supposed_world(pieces, question) or pieces} - {None}


def _labelled(text: str, question: str) -> set[str | None]:
    """The answers of lines such as `Salt: yes`; of lines with a label from the question only, if there are any."""
    lines = [(found["label"], found["said"].lower()) for found in _LABELLED.finditer(text)]
    if len(lines) < 2:
        return set()
    asked = set(re.findall(r"\w+", question.lower()))
    of_question = {said for label, said in lines if set(re.findall(r"\w+", label.lower())) <= asked}
    return {*(of_question or {said for _, said in lines})}


def _qualified(pieces: Sequence[str]) -> set[str | None]:
    """Yes and no if each is said of a part or a condition, and neither at the beginning; otherwise nothing."""
    said: set[str | None] = {
        found["said"] or found["labelled"] for piece in pieces for found in _QUALIFIED.finditer(piece)
    }
    said |= {one for piece in pieces if (found := _IN_TURN.search(piece)) for one in found.group("one", "other")}
    return said if len(said) > 1 and not _UNQUALIFIED.match(pieces[0]) else set()


def _echoed(pieces: Sequence[str], question: str) -> set[str | None]:
    return {echoed_polarity(part, question) for piece in pieces for part in _coordinated(claim_of(piece))}


def _coordinated(piece: str) -> list[str]:
    """A clause, and what follows `and would`, with a pronoun: `he would ride on and would not stop`."""
    first, *others = _AND_WOULD.split(piece)
    return [first, *(f"it {other}" for other in others)]


def _is_conditional(text: str, question: str) -> bool:
    """Whether the text gives yes or no under an `if`, for a question without a supposition."""
    text = text.lower()
    if re.match(r"\W*(?:yes|no)\b(?!,? (?:only |but |and )?(?:if|when|unless|provided|assuming|as long as)\b)", text):
        return False
    return "if " not in question.lower() and (
        _ELLIPTICAL_IF.match(text) is not None
        or any(
            _YES_AFTER.match(text, found.end()) or _YES_BEFORE.search(text[max(0, found.start() - 12) : found.start()])
            for found in SUPPOSITION.finditer(text)
            if found[0].startswith("if ")
        )
    )


def _contradicts(answer: str, pieces: Sequence[str], more: str | None, question: str) -> bool:
    """Whether the explanation of an answer is literally its contrary; for a supposed world, only what is about it."""
    explained = [more] if more and has_content(more) else []  # `No, it would.` explains nothing
    explained += pieces[1:]
    if _WOULD.search(question.lower()):
        explained = [piece for piece in explained if SUPPOSED in piece or _WOULD.search(piece)]
    return bool({implied_polarity(piece, question) for piece in explained} - {None, answer})
