"""Extracts the number that a response gives, from its clauses; clauses that disagree are a doubt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from whatif.language.number_words import FIGURE, NUMBER, canonical
from whatif.scoring.extraction.extracted import Extracted, ambiguous, none, one_of
from whatif.scoring.extraction.number_asked import Asked, asked_by
from whatif.scoring.extraction.number_clauses import counting_clauses
from whatif.scoring.extraction.number_mentions import Mention, counts_only, mentions_in
from whatif.scoring.extraction.number_totals import PARTS_FOLLOW, broken_down, computed, mentioned, total_first
from whatif.scoring.extraction.response_text import LEAVES, SUPPOSED, refuses

_OPERATOR = re.compile(
    r"[+*×÷/]|[\w)] ?- ?[\d(]|\bx \d|\b(?:plus|minus|times)\b"
    rf"|\b{FIGURE} and {FIGURE} (?:make|makes|are|is|gives?)\b|\b{FIGURE} (?:more|less|fewer) than {FIGURE} is\b"
)
_OPERATION = rf"{FIGURE} ?(?:plus|minus|times|[-+*×/x]) ?{FIGURE}"
# The result of a calculation: `3` in `1 + 2 = 3`, in `3 = 1 + 2` and in `1 plus 2 is 3`.
_EQUALS = re.compile(
    rf"(?P<total>{NUMBER}) ?= ?(?={_OPERATION})|(?:(?<![-+*/=!<>])= ?|\bequals?(?: to)? |"
    rf"{_OPERATION}(?: [a-z]+)?,? (?:which |that )?(?:is|gives?|makes?|yields?|leaves?|results in)(?: us)? |"
    rf"{FIGURE} and {FIGURE} (?:makes?|are|is|gives?) |"
    rf"{FIGURE} (?:more|less|fewer) than {FIGURE} is )(?P<result>{NUMBER})(?! ?(?:[-+*×/]|x |plus|minus|times) ?\d)"
)
_RESULT = re.compile(
    r"\b(?:left with|would|will|becomes?|we get|total of)\b|'d\b|\b(?:sum|total|difference)\b[^.]{0,60}? is\b"
)
_CONCLUDES = re.compile(
    rf"^\W*(?:so|therefore|thus|hence|leaving|{LEAVES}|making|makes|giving|gives|resulting|which means|meaning)\b"
    r"|^\W*(?:minus|plus|less|subtracting|adding|taking away)\b[^.]{0,30}(?:\bis\b|\bmakes|\bgives|\bleaves|[:=])"
    r"|\b(?:the result|outcome|final (?:number|count)) is\b|\b(?:is|are) left\b|\bafter ?[:=|] ?\D{0,3}\d|\bi\.?e\b"
    r"|^\W*but only\b|^\W*(?:that's|that is|that leaves|that gives|which leaves|which gives|which makes)\b"
    r"|^\W*(?:(?:grand|new|final|overall) )?(?:total|sum|remaining|result|left|remainder|final count|count after|"
    r"after)\b"
    r"(?: [a-z]+){0,5} ?[:=|] ?\D{0,3}\d"
    rf"|^[^:]{{0,60}}\b(?:afterwards?|then|new|final|remaining|left|result\w*|hypothetical\w*|scenario)\b"
    rf"[^:]{{0,40}}: ?{NUMBER}(?: [a-z]+){{0,3}}\W*$"
    r"|\b(?:i|we|you) (?:get|obtain|arrive at|end up with)\b"
    r"|\b(?:in total|left with|total of|the total|altogether|in all|finally|overall|in conclusion|in summary|"
    r"as a result|"
    r"consequently|sum|difference|that makes|remains?|(?:brings|bringing|raises|raising) (?:it|the|this|that|us))\b"
)
_OF_NOW = re.compile(r"\b(?:right now|currently|at the moment|at present|(?:is|are) already)\b")
_LABELLED = re.compile(rf"^[^:]{{1,40}}: ?{NUMBER}\W*$")  # `Two off: 6`
_NOW = re.compile(r"\bnow\b")  # the present after the past; for a counterfactual question, the unchanged image


_DIFFERENCE, _RESTATED = "a difference, not a count", "only the supposition over again"
_CONTRADICTORY, _RANGE, _OR = "numbers that contradict each other", "a range or a bound", "a number or another one"
_FIRM_DOUBTS = (_DIFFERENCE, _RESTATED, _CONTRADICTORY, _RANGE, _OR)
_LABEL = 3  # words before a colon that may be no statement
_COORDINATED = re.compile(
    rf"(?<!\d )(?P<part>{NUMBER}) (?:[a-z]+ ){{1,3}}and (?P=part) [a-z]+ [a-z]+"
)  # `2 red and 2 blue cups`
_EXAMPLE = re.compile(r"\b(?:for (?:instance|example)|e\.g\.|hypothetically|let's say|suppose)\b", re.IGNORECASE)
_UNSEEN = re.compile(
    r"\b(?:can(?:'t|not| not)|unable to|do not|don't) (?:see|find|identify|detect)\b|\bnot (?:visible|shown)\b|"
    r"\bdoes(?:n't| not) (?:show|contain|include|depict)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Stated:
    """The number that a text gives: one value, or nothing, or a doubt with its reason."""

    value: str | None = None
    doubt: str | None = None


def number_in(text: str, question: str) -> Extracted:
    """The number that a text gives, see `stated_number`."""
    asked = asked_by(question)
    pieces = counting_clauses(text, question, asked)
    stated = stated_number(pieces, question)
    if _UNSEEN.search(text) and _EXAMPLE.search(text):
        return none("a refusal with an example")
    if (refuses(text) and _is_of_now(pieces, asked)) or (_UNSEEN.search(text) and _is_of_others(pieces, asked)):
        return none("a refusal")
    if stated.doubt and (
        total := total_first(pieces, asked)
        or broken_down(pieces, asked)
        or computed(pieces, asked)
        or _by_description(stated.doubt, pieces, asked)
    ):
        return Extracted(total, "ok", None)
    return ambiguous(stated.doubt) if stated.doubt else one_of({stated.value}, "number")


def _described(mentions: Sequence[Mention]) -> str | None:
    """The only number with the most words of the question's restriction."""
    most = max((mention.weight for mention in mentions), default=0)
    best = {mention.value for mention in mentions if mention.weight == most}
    is_firm = not any(mention.is_difference or mention.is_rival for mention in mentions if mention.weight == most)
    return best.pop() if most > 0 and len(best) == 1 and is_firm else None


def _is_of_now(pieces: Sequence[str], asked: Asked) -> bool:
    """Whether the numbers of a text only repeat the supposition, or say nothing of the supposed world."""
    texts = [counts_only(piece, asked) for piece in pieces]
    mentions = [mention for text in texts for mention in mentions_in(text, asked)]
    if all(mention.value in asked.supposed for mention in mentions):
        return True
    is_bare = any(re.fullmatch(rf"\W*{NUMBER}\W*", text) for text in texts)
    is_one = len({mention.value for mention in mentions}) == 1
    return asked.counterfactual and is_one and not is_bare and _last_cue(texts, asked) is None


def _is_of_others(pieces: Sequence[str], asked: Asked) -> bool:
    """Whether each number of a text counts things that the question does not ask for."""
    mentions = mentioned(pieces, asked)
    return all(mention.names_others and mention.weight <= 0 and not mention.is_of_things for mention in mentions)


def _by_description(doubt: str, pieces: Sequence[str], asked: Asked) -> str | None:
    """The number with the words of the question's restriction, unless the doubt is of another sort."""
    if doubt in _FIRM_DOUBTS or asked.counterfactual:
        return None
    return _described(mentioned(pieces, asked))


def stated_number(pieces: Sequence[str], question: str) -> Stated:  # noqa: PLR0911
    """The number that pieces of a text, without their suppositions, give in answer to a question.

    In this order: the only number, whatever it counts; a piece that is only a number, together with the result of the
    last conclusion, calculation or counterfactual statement; the count of the things that the question names. Different
    numbers with equal support are a doubt, and so are a range, a bound (unless the question asks for one), a difference
    (`2 more`) and counts of parts.
    """
    asked = asked_by(question)
    texts = [counts_only(piece, asked) for piece in pieces]
    found = [mentions_in(text, asked) for text in texts]
    everything = [mention for mentions in found for mention in mentions]
    if len({mention.value for mention in everything}) <= 1:
        if (
            everything
            and asked.counterfactual
            and all(_OF_NOW.search(text) for text, mentions in zip(texts, found, strict=True) if mentions)
        ):
            return Stated(doubt="a number of now, not of the supposed world")
        parts = any(len(mentions) > 1 and all(mention.is_placed for mention in mentions) for mentions in found)
        parts |= any(map(_COORDINATED.search, texts))
        return Stated(doubt="counts of parts") if parts else _agreed(everything)
    exact = {mention.value for mention in everything if mention.is_exact}
    if (
        len(exact) == 1
        and not asked.counterfactual
        and all(one.weight <= 0 or one.is_exact or asked.kind for one in everything)
    ):
        return Stated(exact.pop())
    bare = [_settled(text, asked) for text in (texts[0], texts[-1]) if re.fullmatch(rf"\W*{NUMBER}\W*", text)]
    cue = _last_cue(texts, asked)
    if bare and cue is not None and cue.doubt is not None:
        others = {mention.value for mention in everything}
        is_explained = all(one.value is not None and one.value in others for one in bare)
        cue = None if cue.doubt in (_DIFFERENCE, _RESTATED) or is_explained else cue
    if cue is None or cue.value is None or cue.value in asked.figures:
        predicated = _predicated(everything)
        if predicated and {one.value for one in bare} <= {predicated.value}:
            return predicated
    standing = [*bare, cue] if cue is not None and (cue.value is not None or not bare) else bare
    if bare and not asked.counterfactual:  # `1. There are 4 people.`
        standing += [Stated(mention.value) for mention in everything if mention.is_count]
    if standing:
        return _same(standing)
    if asked.counterfactual and sum(map(bool, found)) > 1:
        return Stated(doubt="several numbers, and none of them said of the supposed world")
    return _of_the_things(everything)


def _settled(text: str, asked: Asked) -> Stated:
    """The number of one piece, from its calculation or from the text after its verb."""
    results = [found["result"] or found["total"] for found in _EQUALS.finditer(text)]
    if results and _OPERATOR.search(text):
        return Stated(canonical(results[-1]))
    said, *explained = PARTS_FOLLOW.split(text, maxsplit=1)
    if explained and len(said.split()) > _LABEL and mentions_in(said, asked):
        text = said
    mentions = mentions_in(text, asked)
    mentions = [mention for mention in mentions if not mention.is_aside and mention.weight >= 0] or mentions
    if asked.counterfactual:
        mentions = [mention for mention in mentions if not mention.is_of_now] or mentions
    if _COORDINATED.search(text):
        return Stated(doubt="counts of parts")
    if predicated := _predicated(mentions):
        return predicated
    verb = _RESULT.search(text)
    after = [mention for mention in mentions if verb and mention.start >= verb.end()] or mentions
    return _agreed(after) if len({mention.value for mention in after}) <= 1 else _of_the_things(after)


def _predicated(mentions: Sequence[Mention]) -> Stated | None:
    """The only number with the predicate of the question among several: 4 in `7 windows in total, 4 open`."""
    values = {mention.value for mention in mentions if mention.has_predicate}
    return Stated(values.pop()) if len(values) == 1 and len(mentions) > 1 and None not in values else None


def _last_cue(texts: Sequence[str], asked: Asked) -> Stated | None:
    """The number of the last conclusion, otherwise of all statements about the supposed world; None without either."""
    cues = []
    last_label = (
        asked.counterfactual
        and len(texts) > 1
        and (asked.label.match(texts[-1]) or not any(map(asked.label.match, texts)))
        and _LABELLED.match(texts[-1])
        and not _LABELLED.match(texts[-2])
    )
    for place, text in enumerate(texts):
        calculates = bool(_OPERATOR.search(text) and _EQUALS.search(text))
        supposes = asked.counterfactual and bool(re.search(rf"\b(?:would|will)\b|'d\b|{SUPPOSED}", text))
        concludes = bool(_CONCLUDES.search(text) or (not asked.counterfactual and _NOW.search(text)))
        concludes |= bool(last_label) and place == len(texts) - 1
        if (calculates or supposes or concludes) and not all(mention.restates for mention in mentions_in(text, asked)):
            cues.append((text, concludes, supposes and not calculates))
    if not cues:
        return None
    last, concludes, _ = cues[-1]
    if not concludes and (total := _before_a_remark(cues, asked)):
        return total
    rivals = [] if concludes else [text for text, _, only_supposes in cues[:-1] if only_supposes]
    return _same([_settled(text, asked) for text in (last, *rivals)])


def _before_a_remark(cues: Sequence[tuple[str, bool, bool]], asked: Asked) -> Stated | None:
    """The last conclusion, if it counts the things that are asked for and the clauses after it other things."""
    concluding = [text for text, concludes, _ in cues if concludes]
    if not concluding or not any(_counts_it(mention) for mention in mentions_in(concluding[-1], asked)):
        return None
    after = cues[max(place for place, (_, concludes, _) in enumerate(cues) if concludes) + 1 :]
    counted = [mention for text, _, _ in after for mention in mentions_in(text, asked)]
    is_remark = not any(_OPERATOR.search(text) for text, _, _ in after) and not any(map(_counts_it, counted))
    return _settled(concluding[-1], asked) if is_remark and all(mention.names_others for mention in counted) else None


def _counts_it(mention: Mention) -> bool:
    return mention.is_of_things or mention.has_predicate


def _of_the_things(mentions: Sequence[Mention]) -> Stated:
    """The single count of what the question asks for, unless the others may be parts of the same count."""
    counts = [mention for mention in mentions if mention.is_of_things and not mention.is_difference]
    others = [mention for mention in mentions if mention.is_difference or not mention.is_of_things]
    if any(count.is_rival and not count.restates for count in counts) and len(mentions) > 1:
        return Stated(doubt=_OR)
    if any(count.lacks_predicate for count in counts) and any(not other.is_aside for other in others):
        return Stated(doubt="a count of all the things, and another number")
    parts = any(count.is_placed for count in counts) and any(other.is_placed for other in others)
    if len({mention.value for mention in counts}) == 1 and not parts and not any(other.is_rival for other in others):
        return _agreed(counts)
    return Stated(doubt="several numbers")


def _agreed(mentions: Sequence[Mention]) -> Stated:
    if not mentions:
        return Stated()
    if all(mention.is_difference for mention in mentions):
        return Stated(doubt=_DIFFERENCE)
    if all(mention.restates for mention in mentions):
        return Stated(doubt=_RESTATED)
    return Stated(mentions[0].value, None if mentions[0].value else _RANGE)


def _same(statements: Sequence[Stated]) -> Stated:
    values = {statement.value for statement in statements}
    return statements[0] if len(values) == 1 else Stated(doubt=_CONTRADICTORY)
