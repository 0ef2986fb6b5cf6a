"""The number that a text states as its count, in digits or in words (the numerical questions of C-VQA 3.1)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

# Stands for a supposition that was taken out of a sentence: what is left is said about the counterfactual world.
SUPPOSED = "…"

_TO_NINETEEN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SCALES = {"dozen": 12, "hundred": 100, "thousand": 1000}
_VALUES = {word: value for value, word in enumerate(_TO_NINETEEN.split())}
_VALUES |= {word: 10 * tens for tens, word in enumerate(_TENS.split(), start=2)} | _SCALES
_WORD = "|".join(sorted(_VALUES, key=len, reverse=True))
_RUN = re.compile(rf"\b(?:{_WORD})(?:[ -](?:and )?(?:{_WORD}))*\b(?!-[a-z])")  # not in `two-year-old`
_NO_THING = "longer|way|idea|information|doubt|changes?|answer|reason|need|difference|mention|image|photo|more than"
# Rewritten in this order, before number words become digits.
_PHRASES = {
    re.compile(phrase): digits
    for phrase, digits in {
        r"\bno[- ]one\b|\bnobody\b": "0 people",
        r"(?:\bnot|n't|\bcannot|\bnever|\bno longer)(?: [a-z]+){0,3}? any\b|\bno more (?!than)": " 0 ",
        r"\bnone\b|\bnothing(?= (?:would |will )?(?:be )?(?:left|remain))|\bneither(?= of)|^\W*no\W*$": "0",
        rf"\bno (?=[a-z])(?!(?:{_NO_THING})\b)": "0 ",
        r"\bhalf a dozen\b": "6",
        r"\ba single (?!file)": "1 ",
        r"\ba (?=hundred|thousand|dozen)": "one ",
        r"\ba (?:couple|pair)(?: of)?\b": "2",
        r"\b(?:the(?: [a-z]+)?|this|that|each|every|any|another|which|other|last) one\b": "it",
        r"\bone (?:by one|another)\b|(?<!only )\bone (?=(?:can|may|might|could) (?!be))": "it ",
    }.items()
}

_FIGURE = r"(?<!\d)(?:\d{1,3}(?:[, ]\d{3})++(?!\d)|\d++)(?:\.\d++)?"
_SIGN = r"(?:\bnegative |^\W*minus |(?<![\w)])(?<![\d)] )-)?"
_NUMBER = rf"(?<![\w.])(?<!\w-){_SIGN}{_FIGURE}(?!\w)(?!\.\d)(?!-[a-z])"
_UNIT = (
    "(?:year|month|week|day|hour|minute|second|meter|metre|mile|pound|(?:kilo)?gram|degree|dollar|euro|pixel)s?|"
    "feet|foot|inch(?:es)?|[ckm]m|kg|mph"
)
_COUNTS_NOTHING = re.compile(
    r"\b\d{1,2}:\d\d\b|\b\d{1,2} ?(?:o'clock|[ap]\.?m\b\.?)|\b\d{1,4}[-/]\d{1,2}[-/]\d{1,4}\b"  # times, dates, years
    r"|\b(?:in|since|until|during|from|year|circa|this) (?:the year )?(?:1[89]|20)\d\d(?:\b(?! [a-z]+s\b)|s\b)"
    rf"|{_FIGURE} ?(?:%|per ?cent\b)|[$€£] ?{_FIGURE}"
    rf"|\b(?:confidence|probability|certainty|score)\b\D{{0,20}}{_FIGURE}"
    r"|\b(?:step|figure|fig\.?|question|example|section|case|version|page|phase|part|number|no\.|option) ?#?\d+\b|#\d+"
    r"|\b(?:image|picture|photo|person|player) \d+ ?:"
    rf"|{_FIGURE} (?:{_UNIT}) (?:tall|long|wide|high|deep|away|apart|old|from)\b"
)
_MEASURE = re.compile(rf"{_FIGURE} ?(?P<unit>{_UNIT})\b")
_FORMER = "(?:(?:the|all|original|initial|existing|current|previous|remaining|other|about) ){0,2}"
# What a count is set against: `4 of the 11`, `5 instead of 3`, `from 3 to 5`.
_COMPARED = re.compile(
    r"\b(?:instead of|rather than|out of|of (?:the|these|those|its|their|all)|including|compared (?:to|with)|besides) "
    rf"{_FORMER}{_FIGURE}(?!\w)|\bnot {_FIGURE}(?!\w)|\bfrom {_FORMER}{_FIGURE}(?: [a-z]+)? to (?={_FIGURE})"
)
_BOUND = "at least|at most|more than|less than|fewer than|no more than|up to|over|under"
_MENTION = re.compile(
    rf"\b(?P<bound>{_BOUND}) (?:only |about )?(?P<bounded>{_NUMBER})"
    rf"|\bbetween {_NUMBER} and {_NUMBER}|{_NUMBER} ?(?:[-~/+*×]|x |to\b|or\b) ?{_FIGURE}(?!\w)"
    rf"|[<>]=? ?{_NUMBER}|{_NUMBER}(?:\+(?! ?\d)| or (?:more|fewer|less)\b)|(?P<number>{_NUMBER})"
)
_DIFFERENCE = re.compile(r"# (?:more|fewer|less|extra|additional|others?|new)\b|\bby #|(?<!\d)(?<!\d )\+#")
_PLACE = re.compile(
    r" (?:is |are )?(?:on|in|at|to|behind|near|next|under|beside|above|below|from)\b"
    r"(?! (?:the|this) (?:image|picture|photo|scene)\b)"
)
_GROUPS = re.compile(r" (?:pairs?|couples|sets)\b")

_OPERATOR = re.compile(r"[+*×÷/]|[\w)] ?- ?[\d(]|\bx \d|\b(?:plus|minus|times)\b")
_EQUALS = re.compile(
    r"(?:(?<![-+*/=!<>])= ?|\bequals?(?: to)? |"
    rf"{_FIGURE} (?:plus|minus|times|[-+*×x]) {_FIGURE},? (?:which |that )?is )(?P<result>{_NUMBER})"
)
_RESULT = re.compile(r"\b(?:would|will|becomes?|we get|total of)\b|'d\b|\b(?:sum|total|difference)\b[^.]{0,60}? is\b")
_CONCLUDES = re.compile(
    r"^\W*(?:so|therefore|thus|hence|leaving|leaves|making|makes|giving|gives|resulting|which means|meaning)\b"
    r"|\b(?:in total|total of|the total|altogether|in all|finally|overall|in conclusion|in summary|as a result|"
    r"consequently|sum|difference|that makes|remains?)\b"
)
_COUNTED = re.compile(
    r"how +many +([a-z' -]+?)(?= (?:of|in|on|at|with|from|is|are|was|were|would|will|can|could|do|does|did|has|have|"
    r"had|if)\b|[?,.]|$)"
)
_VERBS = re.compile(r"\b[a-z]{3,}(?=ed\b)|\b(?<!there )(?:(?<=were )|(?<=was )|(?<=been ))[a-z]{3,}|\bcame\b")


@dataclass(frozen=True)
class Stated:
    """What a text gives as its number: one value and no doubt, nothing at all, or a doubt that says what it is."""

    value: str | None = None
    doubt: str | None = None


def in_digits(text: str) -> str:
    """Text in lower case with its number words as digits: `a dozen` 12, `one hundred and five` 105, `no cats` 0 cats.

    What only looks like a number is left or rewritten: the pronoun in `the red one`, ordinals, `two-year-old`.
    """
    text = text.lower()
    for phrase, digits in _PHRASES.items():
        text = phrase.sub(digits, text)
    return _RUN.sub(lambda run: _in_figures(run[0]), text)


def canonical(figure: str) -> str:
    """A number as it is compared: `1,000` 1000, `3.0` 3, `2.50` 2.5, `-0` 0.

    A number that is not whole keeps its places: it is an answer, though never the right one. No arithmetic is done,
    so a number may have any length.
    """
    figure = re.sub(r"^\W*(?:negative|minus) ", "-", figure).replace(",", "").replace(" ", "")
    whole, _, places = figure.lstrip("-").partition(".")
    whole, places = whole.lstrip("0") or "0", places.rstrip("0")
    positive = f"{whole}.{places}" if places else whole
    return f"-{positive}" if figure.startswith("-") and positive != "0" else positive


def stated_number(pieces: Sequence[str], question: str) -> Stated:
    """The number that pieces of a text, without their suppositions, give in answer to a question.

    In this order: the only number there is, whatever it counts; a piece that is nothing but a number, together with
    what the last conclusion, calculation or counterfactual statement comes to; the count of the things that the
    question names. Different numbers of equal standing are a doubt, and so are a range, a bound (unless the question
    asks for one), a difference (`2 more`) and counts of parts.
    """
    asked = _asked(question)
    texts = [_counts_only(piece, asked) for piece in pieces]
    found = [_mentions(text, asked) for text in texts]
    everything = [mention for mentions in found for mention in mentions]
    if len({mention.value for mention in everything}) <= 1:
        parts = any(len(mentions) > 1 and all(mention.is_placed for mention in mentions) for mentions in found)
        return Stated(doubt="counts of parts") if parts else _agreed(everything)
    standing = [_settled(text, asked) for text in (texts[0], texts[-1]) if re.fullmatch(rf"\W*{_NUMBER}\W*", text)]
    cue = _last_cue(texts, asked)
    if cue is not None and (cue.value is not None or not standing):
        standing.append(cue)
    if standing:
        return _same(standing)
    if asked.counterfactual and sum(map(bool, found)) > 1:
        return Stated(doubt="several numbers, and none of them said of the supposed world")
    return _of_the_things(everything)


@dataclass(frozen=True)
class _Asked:
    """What a question gives away: its words, its things, and the numbers and verbs of its supposition."""

    text: str
    things: re.Pattern[str]
    supposed: frozenset[str]
    verbs: re.Pattern[str]
    counterfactual: bool


@dataclass(frozen=True)
class _Mention:
    """A number in a text. `value` is None where a range or a bound is given."""

    value: str | None
    start: int
    is_difference: bool  # `2 more`, `by 2`
    is_aside: bool  # a difference, or `in 2 rows`
    is_of_things: bool
    is_placed: bool  # `on the left`
    is_rival: bool  # `or perhaps 3`, or what the question supposes: `7 cows would disappear`
    restates: bool


@lru_cache(maxsize=4096)
def _asked(question: str) -> _Asked:
    text = in_digits(question)
    supposition = text.partition("if ")[2]
    things, counted = re.compile("(?!)"), _COUNTED.search(text)
    if counted and (words := counted[1].split()):
        noun = words.pop()
        nouns = ("people", "persons?") if noun == "people" else (noun, noun.removesuffix("s"), noun.removesuffix("es"))
        adjectives = "".join(f"(?:{word} )?" for word in ("total", *words))
        things = re.compile(rf" {adjectives}(?:{'|'.join(nouns)})\b")
    return _Asked(
        text=text,
        things=things,
        supposed=frozenset(canonical(figure) for figure in re.findall(_FIGURE, supposition)),
        verbs=re.compile(rf" (?:[a-z]+ ){{0,4}}(?:{'|'.join(_VERBS.findall(supposition)) or '(?!)'})"),
        counterfactual=bool(supposition) or " would " in text,
    )


def _in_figures(run: str) -> str:
    """Number words in a row, as one number where they make one: `twenty two` 22, `two and three` 2 and 3."""
    numbers: list[int] = []
    for word in re.split(r" and |[ -]", run):
        value, last = _VALUES[word], numbers[-1] if numbers else 0
        after_tens = last % 100 >= 20 and last % 10 == 0 and 0 < value < 10
        after_hundreds = last >= 100 and last % 100 == 0 and 0 < value < 100
        if word in _SCALES and last < value:
            numbers[-1:] = [(last or 1) * value]
        elif after_tens or after_hundreds:
            numbers[-1] = last + value
        else:
            numbers.append(value)
    return " and ".join(map(str, numbers))


def _counts_only(piece: str, asked: _Asked) -> str:
    """A piece in digits, without the figures that are no counts of anything."""
    if "pair" in asked.text:
        piece = re.sub(r"\ba pair\b", "1 pair", piece)
    text = _COUNTS_NOTHING.sub("·", _COMPARED.sub("·", in_digits(piece)))
    text = _MEASURE.sub(lambda measure: measure[0] if measure["unit"] in asked.text else "·", text)
    unbracketed = re.sub(r"\([^()]{0,200}\)", " ", text)
    return unbracketed if _MENTION.search(unbracketed) else text


def _mentions(text: str, asked: _Asked) -> list[_Mention]:
    shared_out = bool(re.search(r"\beach\b", text)) and "each" not in asked.text
    mentions = []
    for found in _MENTION.finditer(text):
        start, end = found.span()
        before, after = text[max(0, start - 20) : start], text[end : end + 80]
        figure = found["number"] or (found["bounded"] if found["bound"] and found["bound"] in asked.text else None)
        if shared_out or (_GROUPS.match(after) and not _GROUPS.search(asked.text)):
            figure = None
        value, things = figure and canonical(figure), asked.things.match(after)
        difference = things is None and _DIFFERENCE.search(before + "#" + after) is not None
        restates = value in asked.supposed and asked.verbs.match(after) is not None
        mentions.append(
            _Mention(
                value=value,
                start=start,
                is_difference=difference,
                is_aside=difference or re.search(r"\b(?:in|on|at|with) $", before) is not None,
                is_of_things=things is not None,
                is_placed=_PLACE.match(after, things.end() if things else 0) is not None,
                is_rival=restates or re.search(r"\bor (?:perhaps |maybe |possibly )?$", before) is not None,
                restates=restates,
            )
        )
    return mentions


def _settled(text: str, asked: _Asked) -> Stated:
    """What one piece comes to, by its calculation or by what stands after its verb."""
    results = [found["result"] for found in _EQUALS.finditer(text)]
    if results and _OPERATOR.search(text):
        return Stated(canonical(results[-1]))
    mentions = _mentions(text, asked)
    mentions = [mention for mention in mentions if not mention.is_aside] or mentions
    verb = _RESULT.search(text)
    after = [mention for mention in mentions if verb and mention.start >= verb.end()] or mentions
    return _agreed(after) if len({mention.value for mention in after}) <= 1 else _of_the_things(after)


def _last_cue(texts: Sequence[str], asked: _Asked) -> Stated | None:
    """What the last conclusion comes to, or else all that is said of the supposed world; None without either."""
    cues = []
    for text in texts:
        calculates = bool(_OPERATOR.search(text) and _EQUALS.search(text))
        supposes = asked.counterfactual and bool(re.search(rf"\b(?:would|will)\b|'d\b|{SUPPOSED}", text))
        concludes = bool(_CONCLUDES.search(text))
        if (calculates or supposes or concludes) and not all(mention.restates for mention in _mentions(text, asked)):
            cues.append((text, concludes, supposes and not calculates))
    if not cues:
        return None
    last, concludes, _ = cues[-1]
    rivals = [] if concludes else [text for text, _, only_supposes in cues[:-1] if only_supposes]
    return _same([_settled(text, asked) for text in (last, *rivals)])


def _of_the_things(mentions: Sequence[_Mention]) -> Stated:
    """The one count of what the question asks for, unless the others may be parts of the same count."""
    counts = [mention for mention in mentions if mention.is_of_things and not mention.is_difference]
    others = [mention for mention in mentions if mention.is_difference or not mention.is_of_things]
    parts = any(count.is_placed for count in counts) and any(other.is_placed for other in others)
    if len({mention.value for mention in counts}) == 1 and not parts and not any(other.is_rival for other in others):
        return _agreed(counts)
    return Stated(doubt="several numbers")


def _agreed(mentions: Sequence[_Mention]) -> Stated:
    if not mentions:
        return Stated()
    if all(mention.is_difference for mention in mentions):
        return Stated(doubt="a difference, not a count")
    if all(mention.restates for mention in mentions):
        return Stated(doubt="only the supposition over again")
    return Stated(mentions[0].value, None if mentions[0].value else "a range or a bound")


def _same(statements: Sequence[Stated]) -> Stated:
    values = {statement.value for statement in statements}
    return statements[0] if len(values) == 1 else Stated(doubt="numbers that contradict each other")
