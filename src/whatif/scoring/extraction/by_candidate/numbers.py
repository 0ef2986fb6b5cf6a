"""Numbers in a response, as candidates for the one that was asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from whatif.engine.language.number_words import canonical, in_digits
from whatif.scoring.extraction.by_candidate.context import Context
from whatif.scoring.extraction.by_candidate.weights import Evidence, add, any_of, decided
from whatif.scoring.extraction.by_candidate.words import WORDS
from whatif.scoring.extraction.extracted import Extracted, ambiguous, none

_WORDS = any_of("numbers")
_NUMBER = re.compile(
    r"(?P<figure>(?:(?<![\w.)\]])-|(?<=[(\s])-)?(?<![\w.])(?<![a-z]-)"
    r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?|(?<![\w.])\.[0-9]+)"
    r"(?P<power>(?: ?[×x*] ?10 ?\^ ?\{?|e\+?)(?P<exponent>-?[0-9]{1,2})\}?)?"
    rf"|\b(?P<word>(?:a )?(?:{_WORDS})(?:[- ](?:and )?(?:{_WORDS})){{0,6}})\b(?!-)"
    r"|\b(?P<nothing>none|(?:don't|do not|can't|cannot|aren't|are not)(?: see| find)? any"
    r"|no(?:(?:body| one|thing)(?! can)|"
    r"(?= \w+\W?$)|(?= \w+(?: \w+){0,3} (?:left|remain\w*|are|is|in|visible|that|with))))\b"
)
_DETAILS = re.compile(r"[0-9][^:\n]*:\s|, (?:with|which|where|while|since|because|as|although)\b|\((?=[^)]*$)")
_MOOD = re.compile(r"\b(?:would|will|left|remain\w*|leav\w+|then)\b")
_LED_TO = re.compile(r"=\s*$|\b(?:so|thus|leaving|leaves|makes|actually|wait)\b[^,;0-9]*$")
_NEEDS_UNIT = re.compile(r"no \w+\W?$|[a-z' ]+ any\b")
_CHAIN = re.compile(r"[0-9][0-9\s+*×÷/^(){}.,-]*=\s*$")
_CHAIN_AFTER = re.compile(r"[0-9\s+*×÷/^(){}.,-]*=")
_EQUALS = re.compile(r"=\s*$")
_BOUND = re.compile(
    r"\+(?!\s?[0-9])| or (?:more|fewer|less)\b|(?: \w+)? (?:more|fewer)(?: \w+)?\W*$| \w+ with [0-9]+ \w+ each\b"
)
_BOUND_BEFORE = re.compile(r"(?:\b(?:over|(?:more|less|fewer) than|at (?:least|most)|up to|under)|[<>≤≥])\s*$")
_MARKER = re.compile(r"[.):]\s+\S")
_OPERAND = re.compile(
    r"\s*(?:[+×÷/=^<>≤≥]|\*\s?[0-9]|\s\*\s|- |[,:]\s?\d|%?\s?-\s?\d|"
    r"(?:[a-z]+ )?(?:plus|minus|times|divided|multiplied)\b|(?:and|or|to)\b)"
)
_OPERATOR = re.compile(
    r"(?:[+×÷/^<>√_]|\d\s?-|-\s|\b(?:plus|minus|times|(?:divided|multiplied) by|than|least|most|between|from|or|of the|"
    r"out of)\b)[\s(]*$"
)
_PART = re.compile(rf"\s?/\s?[0-9]|-[0-9]|,? or (?:perhaps |maybe |possibly )?(?:[0-9]|(?:{_WORDS})\b)")
_PART_BEFORE = re.compile(rf"[0-9]\s?(?:/\s?|-)$|(?:[0-9]|\b(?:{_WORDS})),? or (?:perhaps |maybe |possibly )?$")
_UNIT = re.compile(r"[\s*⟧\"]*([a-z°%]+)")
_LETTERS = re.compile(r"[a-z]+")
_BOX = re.compile(r"⟦([^⟧]{0,300})⟧(?![^⟦]*⟦)")  # the last one
_NO_NUMBER = re.compile(r"^\D*[a-z]\D*$|\d\s*/\s*\d|√|π|pi\b|(?<![a-z])[a-z]\b|[a-z]\d|\d [+*-] \d|\d\s?:\s?\d|_")


@lru_cache(maxsize=4096)
def _asked(question: str) -> tuple[frozenset[str], frozenset[str], frozenset[str], bool]:
    """A question's content words, possible units, own numbers (alone, and with their units), and if it supposes."""
    lower = question.lower()
    words = frozenset(_LETTERS.findall(lower)) - frozenset(WORDS["in_no_unit"])
    many = re.search(r"how many ([a-z]+(?: [a-z]+){0,2})", lower)
    units = frozenset(many[1].split()) - frozenset(WORDS["in_no_unit"]) if many else frozenset()
    stated: set[str] = set()
    for number in _NUMBER.finditer(lower):
        unit = _UNIT.match(lower, number.end())
        stated |= {_value(number) or "", f"{number[0]} {unit[1]}" if unit else ""}
    return words, words | units, frozenset(stated), _MOOD.search(lower) is not None


def read_number(context: Context, question: str) -> Extracted:
    """Digits as text, canonical."""
    if context.lists_options():
        return none("a list of options that were not shown")
    evidence: Evidence = {}
    lower = context.lower
    box = _BOX.search(lower)
    if box and _NO_NUMBER.search(box[1]):
        add(evidence, "", ["boxed", "refusal"])
        lower = f"{lower[: box.start()]}{'_' * len(box[0])}{lower[box.end() :]}"
    found = [
        number
        for number in _NUMBER.finditer(lower)
        if not _PART.match(lower, number.end()) and not _PART_BEFORE.search(lower[: number.start()][-24:])
    ]
    found = found[:20] + found[20:][-60:]  # the first and the last ones, so that the time is bounded
    operands: set[str] = set()
    bounds: dict[str, bool] = {}  # whether a number is only named as a bound
    for value, start, end, features in _weighed(context, lower, found, question):
        add(evidence, value, features)
        operands |= {value} if "operand" in features else set()
        bound = _BOUND.match(lower, end) or _BOUND_BEFORE.search(lower, max(0, start - 12), start)
        bounds[value] = bounds.get(value, True) and bound is not None
    for value in operands:  # what is calculated with is rarely the result
        evidence[value] = [weight - 1 for weight in evidence[value]]
    context.add_refusal(evidence)
    answer = decided(evidence, "number")
    return ambiguous("a bound of a number") if bounds.get(answer.answer or "") else answer


def _weighed(
    context: Context, lower: str, found: list[re.Match[str]], question: str
) -> Iterator[tuple[str, int, int, list[str]]]:
    """The value of each number, its place, and the evidence for it."""
    words, units, stated, hypothetical = _asked(question[-2000:])
    main = words.intersection(_LETTERS.findall(question.lower().partition(" if ")[0])[3:]) - {"would", "will"}
    sentences = [context.plain.sentence(number.start()) for number in found]
    last = dict(zip(sentences, found, strict=True))
    supposing = len(context.plain.starts)  # the first sentence that supposes what the question does
    if hypothetical:
        moods = (
            of for of, one in zip(sentences, found, strict=True) if _value(one) not in stated and _would(lower, one)
        )
        supposing = min(moods, default=supposing)
    alone = len(set(map(_value, found))) == 1
    counted: set[int] = set()  # the sentences that have counted what was asked for
    for sentence, number in zip(sentences, found, strict=True):
        start, end = number.span()
        begin = context.plain.starts[sentence]
        unit = _UNIT.match(lower, end)
        of_unit = unit is not None and not units.isdisjoint((unit[1], f"{unit[1]}s", unit[1].rstrip("s")))
        value = _value(number)
        if value is None or (not of_unit and number["nothing"] and _NEEDS_UNIT.match(lower, start)):
            continue
        features = ["number", *_around(lower, begin, start, end, hypothetical)]
        features += _cued(context, lower, begin, number, hypothetical)
        cued = "answer cue" in features or "boxed" in features
        if of_unit:
            features.append("unit asked")
        elif number["word"] == "one" and not cued:
            features.append("pronoun")
        if of_unit or sentence not in counted:
            before = words.intersection(_LETTERS.findall(lower, max(begin, start - 300), start))
            features += ["asked before"] if len(before) >= min(2, len(words)) else []
        counted |= {sentence} if of_unit and value not in stated else set()
        if not cued:
            repeats = unit is not None and f"{number[0]} {unit[1]}" in stated
            states = hypothetical and _states(lower, number, main)
            if value in stated and not (hypothetical and alone and (states or not repeats)):
                features.append("in question")
            if repeats and not states:
                features.append("supposed" if hypothetical else "in question")
            features += ["actual"] if sentence < supposing < len(context.plain.starts) else []
        features += ["result"] if last[sentence] is number else []
        yield value, start, end, features


def _would(lower: str, number: re.Match[str]) -> bool:
    return re.search(r"\bwould\b", lower[max(0, number.start() - 60) : number.end() + 30]) is not None


def _states(lower: str, number: re.Match[str], main: frozenset[str]) -> bool:
    """Whether a number of the supposition is said of what the question's main clause asks."""
    start, end = number.span()
    there = lower[max(0, start - 40) : start].rstrip().endswith(("there would be", "there will be", "there are"))
    return there or not main.isdisjoint(_LETTERS.findall(lower, end, end + 60))


def _cued(context: Context, lower: str, begin: int, number: re.Match[str], hypothetical: bool) -> list[str]:
    """The evidence of the context; a cue before a calculation counts for its result only."""
    start, end = number.span()
    features = context.features(start, end)
    if hypothetical:  # as the question is
        own = lower.startswith("if i ", begin)
        features = ["actual", *features] if own else [one for one in features if one != "conditional"]
    if "=" not in lower:
        return features
    if _CHAIN_AFTER.match(lower, end):
        features = [one for one in features if one != "answer cue"]
    if (chain := _CHAIN.search(lower, max(begin, start - 60), start)) and chain.start() in context.cues:
        features.append("answer cue")
    return features


def _around(text: str, begin: int, start: int, end: int, hypothetical: bool) -> list[str]:
    """The evidence around the number at [start, end) of the sentence from `begin` on."""
    found = ["detail"] if _DETAILS.search(text, max(begin, start - 90), start) else []
    if hypothetical and _MOOD.search(text, max(begin, start - 60), end + 30):
        found.append("mood asked")
    if _LED_TO.search(text, max(begin, start - 20), start):
        found.append("conclusion")
    if _MARKER.match(text, end) and not text[text.rfind("\n", 0, start) + 1 : start].strip("*# "):
        return [*found, "listed"]
    if _OPERAND.match(text, end) or _OPERATOR.search(text, max(begin, start - 16), start):
        found.append("operand")
    elif _EQUALS.search(text, max(begin, start - 4), start) and not text[end:].strip(" .$"):
        found.append("equals")
    return found


def _value(number: re.Match[str]) -> str | None:
    if number["nothing"]:
        return "0"
    figure = number["figure"]
    if figure is None:
        digits = in_digits(number["word"])
        return canonical(digits) if digits.isdigit() else None
    if len(figure) > 40:
        return None
    if number["power"]:
        figure = in_digits(f"{figure.replace(',', '')}e{number['exponent']}")
    return canonical(figure)
