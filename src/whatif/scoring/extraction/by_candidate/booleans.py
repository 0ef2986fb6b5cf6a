"""Yes and no, said as a word or as the question's statement affirmed or denied."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from whatif.scoring.extraction.by_candidate.context import Context
from whatif.scoring.extraction.by_candidate.weights import Evidence, add, decided
from whatif.scoring.extraction.by_candidate.words import WORDS
from whatif.scoring.extraction.extracted import Extracted, none

_NO = re.compile(r"no|incorrect|false|wrong|i do|.*(?: not?|n't)$")  # how a word begins or ends that says no
_WORD = re.compile(
    r"(?<![\w-])(?:yes|no(?: chance| way)?|true|false|correct|incorrect|yeah|yep|nope|"
    r"(?:absolutely|definitely|certainly|probably)(?: not)?|"
    r"i (?:do not|don't) think so|i think so|right|wrong|not (?:true|correct)|"
    r"(?:sadly|unfortunately),? no|of course(?: not)?|"
    r"(?:of course,? )?(?:it|they|he|she|there) (?:would|will|is|are|does|do|can)(?: not|n't)?(?=\W*$))(?![\w-])"
)
_ENDS = re.compile(
    r"[\s*\"')\]}⟧]*(?:[.;:!\n–—]|,(?! if\b(?![^,.]*, \w))|-\s|$|\s+(?:the|it|there|this|they|both|because|since)\b)"
)
_LED_IN = re.compile(r"(?:\b(?:so|but|it is|therefore|thus|hence|likely),?|(?:^|:)[\s*(]*[a-h]\W{1,4})[\s*\"]*$")
_CLAUSES = re.compile(
    r";|, (?:but|while|whereas|because|since|as|so|which|with|indicating|meaning|suggesting|making)\b|"
    r"\b(?:because|whereas|although|though|since)\b|\s[–—-]\s|\n|(?<=[.!?])\s"
)
_TOKEN = re.compile(r"[a-z0-9]+(?:\.\d+)?(?:n't)?")
_IF = re.compile(r"\bif\b[^,?.]*(?:,|$|(?=[?.]))")
_ENDING = re.compile(r"(?<=\w\w\w)(?:ing|ed|es|s|e)$")
_NEGATION = re.compile(r"\b(?:not|no|never|neither|nor|cannot|without|none|fails? to|nothing)\b|n't\b")
_SAME = re.compile(r"\b(?:same|equal|equally|identical)\b")
_HEDGE = re.compile(
    r"\b(?:if|whether|to (?:determine|answer|find|check|verify|see)|asks?|asking|asked|impossible|unable|"
    r"possible to|assum\w+|would need|might|may|maybe|perhaps|possibly)\b|\?"
)
_STATEMENT_IS = re.compile(
    r"\b(?:statement|claim|answer|assertion|proposition|that|this)\b"
    r"(?:[^.\n?]|[.?][\"']){0,200}?\bis\W*(?:indeed |clearly )?$"
)
_STOP = frozenset(WORDS["in_no_statement"])
_OPPOSITE_OF: dict[str, set[str]] = {}
for _one, _other in map(str.split, WORDS["opposites"]):
    _OPPOSITE_OF.setdefault(_one, set()).add(_other)
    _OPPOSITE_OF.setdefault(_other, set()).add(_one)
_COMPARES = re.compile(r"\b(?:\w+er|more|less|worse|better)\b[^?.]*\bthan\b|\bdifferent\b|\b(?:\w+er|more|less)\b")
_PRONOUN = re.compile(r"\W*(?:(?:yes|no), )?(?:it|they|he|she)\b")
_LEAST = 0.8  # of the question's words that a statement repeats


@dataclass(frozen=True)
class Asked:
    """A question's content words, their order around `than`, and whether it is negated or compares."""

    words: frozenset[str]
    first: frozenset[str]
    second: frozenset[str]
    negated: bool
    compares: bool
    hypothetical: bool


@lru_cache(maxsize=4096)
def asked(question: str) -> Asked:
    """What a question asks, as far as a statement that answers it repeats it."""
    lower = re.split(r"true or false|\n\n", re.sub(r"<[^>]{0,40}>", "", question.lower()).strip(), maxsplit=1)[0]
    hypothetical = " if " in lower
    lower = _IF.sub("", lower) if hypothetical else lower
    first, second = map(_content, lower.partition(" than ")[::2])
    return Asked(
        words=first | second,
        first=frozenset(word for word in first - second if not word.endswith("er")),
        second=second - first,
        negated=len(_NEGATION.findall(lower)) % 2 == 1,
        compares=_COMPARES.search(lower) is not None and _SAME.search(lower) is None,
        hypothetical=hypothetical,
    )


def read_boolean(context: Context, question: str) -> Extracted:
    """`yes` or `no`."""
    if context.lists_options():
        return none("a letter of options that were not shown")
    evidence: Evidence = {}
    weigh(context, question, evidence)
    context.add_refusal(evidence)
    return decided(evidence, "yes or no")


def weigh(context: Context, question: str, evidence: Evidence) -> None:
    """Adds yes and no where they are said, or otherwise where the question's statement is affirmed or denied."""
    _weigh_words(context, evidence)
    if not any(max(weights) >= 5 for weights in evidence.values()):
        _weigh_statements(context, asked(question), evidence)


def _weigh_words(context: Context, evidence: Evidence) -> None:
    """Adds every yes, no, true and false that is an answer and no part of a sentence."""
    lower = context.lower
    for word in _WORD.finditer(lower):
        start, end = word.span()
        cued = start in context.cues
        begin = context.plain.starts[context.plain.sentence(start)]
        ahead = lower[max(begin, start - 260) : start]
        opens = not any(map(str.isalnum, ahead)) or _LED_IN.search(ahead) is not None
        if not cued and not (opens or _STATEMENT_IS.search(ahead)) and "⟦" not in lower[max(0, start - 3) : start]:
            continue
        if not _ENDS.match(lower, end) and not (cued and word[0] not in ("no", "right", "correct")):
            continue
        denies = _NO.match(word[0]) is not None
        unlike = {"compared with", "conditional", "negated" if denies else ""}
        features = [one for one in context.features(start, end) if one not in unlike]
        if opens and "start" not in features:
            features.append("opening")
        elif not cued and not opens:
            features.append("answer cue")
        add(evidence, "no" if denies else "yes", features)


def _weigh_statements(context: Context, question: Asked, evidence: Evidence) -> None:
    """Adds every clause that repeats most of the question, as a yes or, if it denies it, as a no."""
    if not question.words:
        return
    lower = context.lower
    place = 0
    for number, whole in enumerate(_CLAUSES.split(lower)[:200]):
        begin = lower.find(whole, place)
        place = begin + len(whole)
        clause = _IF.sub("", whole) if question.hypothetical else whole
        words = _content(clause)
        opposites = {word for word in question.words if _OPPOSITE_OF.get(word, set()) & words and word not in words}
        covered = len(question.words & words) + len(opposites)
        covered += covered > 0 and _PRONOUN.match(clause) is not None  # for the question's subject
        equals = covered > 0 and question.compares and _SAME.search(clause) is not None
        if (
            not (equals or covered >= _LEAST * len(question.words))
            or _HEDGE.search(clause)
            or " " not in clause.strip()
        ):
            continue
        before = _content(clause.partition(" than ")[0])
        swapped = " than " in clause and len(before & question.second) > len(before & question.first)
        reversals = len(_NEGATION.findall(clause)) + len(opposites) + swapped + question.negated
        denied = equals or reversals % 2 == 1
        features = ["statement", "first sentence"] if number == 0 else ["statement"]
        last = ["last sentence"] if context.plain.sentence(begin) == context.last else []
        add(evidence, "no" if denied else "yes", features + last)


def _content(text: str) -> frozenset[str]:
    """The content words of a text, without their endings, except words that have an opposite."""
    words = (word for word in _TOKEN.findall(text) if word not in _STOP)
    return frozenset(word if word in _OPPOSITE_OF else _ENDING.sub("", word) for word in words)
