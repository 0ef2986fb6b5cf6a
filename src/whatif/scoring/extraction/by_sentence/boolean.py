"""Yes or no: said, or told by a statement that affirms or denies what the question asks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from whatif.scoring.extraction.by_sentence import acts
from whatif.scoring.extraction.extracted import Extracted, ambiguous, none

_YES = frozenset(("yes", "true", "correct", "yeah", "yep", "absolutely", "certainly", "definitely"))
_SAID = re.compile(
    r"(?i)\W*(?:[A-Za-z]\W{1,4}|"
    r"(?:it is|it's|indeed|actually|therefore|so|thus|hence|well|probably|(?:most )?likely|sadly|of course),? )?"
    r"(yes|no|true|false|correct|incorrect|yeah|yep|nope|"
    r"(?:absolutely|certainly|definitely|probably) not|(?:absolutely|certainly|definitely)(?=[.,!]))\b(?!-)"
    r"(?! (?:need|doubt|matter|information|data|one|way|image|answer|solution|idea|clue)\b)"
)
_BOTH = re.compile(
    r"(?i)\byes\W{0,3}(?:(?:and|or|/|but|,) ?\W?|if [^.]{1,30})no\b|^\W*no\W{1,3}yes\W*$|\bbut (?:yes|no),? if\b"
)
_DISMISSED = re.compile(  # what `it is no` follows in `between yes and no, it is no`
    r"(?i)\b(?:not \W?(?:yes|no|true|false)\W?,? but|between \W?\w+\W? and \W?(?:yes|no|true|false)\W?,) (?:rather )?"
)
_ASIDE = re.compile(r"(?i)\b(?:yes|no),|\bif\b[^,?]*[,?]?")  # has negations of its own
_IF = re.compile(r"(?i)\bif\b[^,?]*[,?]?")
_CONDITIONAL = re.compile(r"(?i)\W*(?:yes|no),? (?:but )?(?:only )?(?:if|unless)\b")
_HEDGES = re.compile(r"(?i)\b(?:might|may|could|possibly|perhaps)\b")
_VERB = re.compile(
    r"(?i)\b(?:is|are|was|were|be|been|has|have|had|can|do|did|would|will|should|must|no|not|\w+(?:s|ed|ing|ll|nt))\b|'|[<>=≠]"
)
_VERDICT = re.compile(
    r"(?i)\b(?:statement|claim|assertion|answer|description|proposition|it|this|that)\b(?: \"[^\"]{0,300}\")?"
    r"[^.\"]{0,60}? (?:is|would be|must be|appears to be|seems)(?: therefore| thus| indeed)? (not )?[\"']?"
    r"(true|false|correct|incorrect)\b"
)
_NEGATION = re.compile(
    r"(?i)\b(?:not|no(?! doubt)|never|neither|cannot|without(?! (?:a |any )?doubt)|none|nor|nobody|"
    r"nothing|unable|lacks?|fails?)\b|n't\b"
)
_BRANCH = re.compile(
    r"(?i);|:|,? \b(?:because|since|although|though|while|whereas|but|which|so|due|instead|however|where|despite)\b|"
    r", (?:as|and|with|it) "
)
_AFTER_STATEMENT = re.compile(r"(?is)[.?]?\s*\(?true or false\b.*")
_TOKEN = re.compile(r"[a-z]+|[<>]")
_DENIES, _AFFIRMS, _LIKENS = 0.5, 0.8, 0.3  # shares of the question's words that a statement needs

_SAME = frozenset(("same", "equal", "equals", "identical", "alike", "equivalent", "equally", "similar"))
_DIFFERENT = frozenset(("different", "differ", "differs", "unequal", "differently"))
_OPPOSITES = """
more greater larger bigger longer taller higher wider heavier exceed >|fewer less smaller shorter lower narrower <
most highest largest biggest maximum greatest longest tallest max | least lowest smallest minimum fewest shortest min
older | younger
above over top | below under beneath bottom
left | right
before earlier | after later
increase increases increasing increased rise rises | decrease decreases decreasing decreased fall falls
open opened | closed shut
"""
# A word and its opposite have the same axis and another sign.
_AXES = {
    word: (axis, sign)
    for axis, pair in enumerate(_OPPOSITES.strip().splitlines())
    for sign, words in zip((1, -1), pair.split("|"), strict=True)
    for word in words.split()
}
_QUANTITIES = (0, 1, 2)  # the axes of `more`, `most` and `older`
_MORE = frozenset(acts.stem(word) for word, (axis, _) in _AXES.items() if axis in _QUANTITIES) | {"would"}
_COMPARED = frozenset(map(acts.stem, (*_AXES, *_SAME, *_DIFFERENT)))


class _Asked:
    """What a question asks, as far as a statement is compared with it."""

    def __init__(self, question: str) -> None:
        text = _AFTER_STATEMENT.sub("", question[-600:]).strip()
        text = re.split(r"(?<=[.!]) (?=[A-Z])", text)[-1] if text.endswith("?") else text
        text = _IF.sub("", text) or text
        words = _TOKEN.findall(text.lower())
        self.words = acts.stems(text) - _COMPARED
        self.hedges = _HEDGES.search(text) is not None
        self.denies = len(_NEGATION.findall(text)) % 2 == 1
        self.same, self.different = not _SAME.isdisjoint(words), not _DIFFERENT.isdisjoint(words)
        axes = list(dict(reversed([_AXES[word] for word in words if word in _AXES])).items())  # the first sign counts
        self.axes = [axis for axis in axes if axis[0] in _QUANTITIES] or axes
        before, than, after = (acts.stems(part) - _MORE for part in text.lower().partition(" than "))
        self.subject, self.object = (before - after, after - before) if after else (than, than)


def read(sentences: Sequence[str], question: str) -> Extracted:
    """Yes or no, as the sentences say or state it."""
    echoes = [place for place, text in enumerate(sentences) if _AFTER_STATEMENT.fullmatch(text) and text.endswith("?")]
    sentences = sentences[echoes[-1] + 1 :] or [""] if echoes else sentences
    sentences = [_DISMISSED.sub("", sentence) or sentence for sentence in sentences]
    both = any(map(_BOTH.search, sentences))
    settled, refused = (ambiguous("both yes and no"), False) if both else acts.settle(sentences, head, _verdict)
    if settled:
        named = {head(what) for text in sentences if not acts.supposes(text) and (what := acts.named(text))} - {None}
        return settled if len(named) <= 1 else ambiguous("both yes and no are named as the answer")
    asked = _asked(question)
    said = {place: _polarity(match) for place, text in enumerate(sentences) if (match := _SAID.match(text))}
    if 0 in said or len(sentences) - 1 in said:
        answers = set(said.values()) if 0 in said else {said[len(sentences) - 1]}
        if _CONDITIONAL.match(sentences[0]) and not _IF.search(question):
            return ambiguous("yes or no on a condition")
        if len(sentences) == 1 and (found := _SAID.match(sentences[0])):
            answers |= {_stated(sentences[0][found.end() :], asked) or said[0]}
        return Extracted(answers.pop(), "ok", None) if len(answers) == 1 else ambiguous("both yes and no")
    supposed = _IF.search(question) is not None
    stated = [
        (sentence, answer)
        for sentence in sentences
        if not acts.supposes(acts.main_clause(sentence) if supposed else sentence)
        and not acts.refuses(sentence)
        and (answer := _stated(sentence, asked))
    ]
    answers = {answer for _, answer in stated}
    if stated and acts.concluded(stated[-1][0]) is not None:
        answers = {stated[-1][1]}
    elif refused:
        return none("the response refuses or does not know")
    if len(answers) == 1:
        return Extracted(answers.pop(), "ok", None)
    return ambiguous("statements for yes and for no") if answers else none("neither yes nor no")


def head(what: acts.Named) -> str | None:
    """Yes or no at the beginning of what is named as the answer."""
    found = None if what.before else _SAID.match(what.text)
    return _polarity(found) if found else None


def _verdict(tail: str) -> str | None:
    """Yes or no in what a sentence concludes: `so yes`, `therefore, the statement is true`."""
    said = _SAID.match(tail)
    verdict = None if said else _VERDICT.search(tail)
    if verdict:
        return "yes" if (verdict[2].lower() in _YES) != bool(verdict[1]) else "no"
    return _polarity(said) if said else None


def _polarity(found: re.Match[str]) -> str:
    return "yes" if found[1].lower() in _YES else "no"


_asked = lru_cache(maxsize=4096)(_Asked)


def _stated(sentence: str, asked: _Asked) -> str | None:
    """Yes if a sentence affirms what is asked, no if it denies it, None if it says neither."""
    if not _VERB.search(sentence) or (_HEDGES.search(sentence) and not asked.hedges):
        return None
    sentence = _ASIDE.sub("", sentence) or sentence
    parts = [part for part in _BRANCH.split(sentence) if len(part) > 8]
    answers = (_of_clause(part, asked) for part in (*reversed(parts), sentence))
    return _verdict(sentence) or next(filter(None, answers), None)


def _of_clause(clause: str, asked: _Asked) -> str | None:
    stems, lower = acts.stems(clause), clause.lower()
    words = _TOKEN.findall(lower)
    same, different = not _SAME.isdisjoint(words), not _DIFFERENT.isdisjoint(words)
    axes = {_AXES[word] for word in words if word in _AXES}
    likens = (same or different) and (asked.same or asked.different or bool(asked.axes))
    share = len(asked.words & stems) / max(1, len(asked.words))
    if not asked.words or share < (_LIKENS if likens else _DENIES):
        return None
    flips = (len(_NEGATION.findall(clause)) % 2 == 1) != asked.denies
    if asked.same or asked.different:
        if not (same or different or axes):
            return None
        flips ^= same != asked.same if same or different else asked.same
    elif asked.axes:
        if not same and not any((axis, sign) in axes or (axis, -sign) in axes for axis, sign in asked.axes):
            return None
        opposite = any((axis, -sign) in axes and (axis, sign) not in axes for axis, sign in asked.axes)
        flips ^= opposite or not any(axis in axes for axis in asked.axes)
        subject = acts.stems(lower.partition(" than ")[0]) if " than " in lower else asked.subject
        if not subject & asked.subject and subject & asked.object:
            if flips != opposite:  # `the girl is not older than the boy`: perhaps he is as old
                return None
            flips = not flips
    if flips:
        return "no"
    return "yes" if likens or share >= _AFFIRMS else None
