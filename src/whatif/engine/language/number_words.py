"""Numbers in words and in digits (the numerical questions of C-VQA 3.1)."""

from __future__ import annotations

import re
from decimal import Decimal

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
_NO_THING = (
    "longer|way|idea|information|specific|exact|precise|definite|definitive|reliable|sufficient|clear|telling|means|"
    "doubt|problem|worries|question|changes?|answer|reason|need|difference|mention|image|"
    "photo|more than"
)
# Applied in this order, before number words become digits.
_PHRASES = {
    re.compile(phrase): digits
    for phrase, digits in {
        r"\bno[- ]one\b|\bnobody\b": "0 people",
        r"(?:\bnot|n't|\bcannot|\bnever|\bno longer)(?: [a-z]+){0,3}? (?:any|a single)\b"
        r"(?! (?:way|information|indication|idea|"
        r"evidence|details?|hint|clue|doubt|more|of|predictions?|conclusions?|estimates?)\b)|\bno more (?!than)": " 0 ",
        r"\bnone\b|\bnothing(?= (?:would |will )?(?:be )?(?:left|remain))|\bneither(?= of)|^\W*no\W*$": "0",
        rf"\bno (?=[a-z])(?!(?:{_NO_THING})\b)": "0 ",
        r"\bhalf a dozen\b": "6",
        r"\ba single (?!file)": "1 ",
        r"\ba (?=hundred|thousand|dozen)": "one ",
        r"\ba (?:couple|pair)(?: of)?\b|^\W*(?:couple|pair) of\b": "2",
        r"\b(?:the(?: [a-z]+)?|an? [a-z]+|this|that|each|every|any|another|which|other|last) one\b": "it",
        r"\bone (?:by one|another)\b|(?<!only )\bone (?=(?:can|may|might|could) (?!be))": "it ",
    }.items()
}

# For lower-case text: a whole or decimal number, and such a number with an optional sign. Thousands end where no more
# can follow. A possessive group would be shorter, but Python up to 3.11.4 matches it differently.
FIGURE = r"(?<!\d)(?:\d{1,3}(?:[, ]\d{3})+(?!\d|[, ]\d{3})|\d++)(?:\.\d++)?"
_SIGN = r"(?:\bnegative |^\W*minus |(?<![\w)])(?<![\d)] )-)?"
NUMBER = rf"(?<![\w.])(?<!\w-){_SIGN}{FIGURE}(?!\w)(?!\.\d)(?!-[a-z])"

_TIMES = "(?: ?[x×*·⋅∙] ?| times )"
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_SUPERSCRIPTS = str.maketrans(f"{_RAISED}⁺⁻", "0123456789+-")
# `1e-1`, `2.5E+2`, `1.5 × 10^3`, `10³`; an exponent of three digits is no amount that a question asks for.
_POWER = re.compile(
    r"(?<![\w.,])(?:(?P<factor>\d+(?:,\d{3})*(?:\.\d*)?)"
    rf"(?:e(?P<short>[+-]?\d{{1,2}})|{_TIMES}(?=10 ?[\^*⁺⁻{_RAISED}])))?"
    rf"(?(short)|10 ?(?:(?:\^|\*\*) ?\{{?(?P<long>[+-]?\d{{1,2}})\}}?|(?P<raised>[⁺⁻]?[{_RAISED}]{{1,2}})))"
    rf"(?![\w{_RAISED}]|\.\d)"
)
_BARE_POINT = re.compile(r"(?<![\w.])\.(?=\d)")  # `.5`


def in_digits(text: str) -> str:
    """Lower-case text with its number words as digits: `a dozen` 12, `one hundred and five` 105, `no cats` 0 cats.

    What only looks like a number is kept or rewritten: the pronoun in `the red one`, ordinals, `two-year-old`. Powers
    of ten are written out: `1e3` and `10³` are 1000, `2.5e-1` is 0.25; so is the zero of `.5`.
    """
    text = _POWER.sub(_written_out, _BARE_POINT.sub("0.", text.lower()))
    for phrase, digits in _PHRASES.items():
        text = phrase.sub(digits, text)
    return _RUN.sub(lambda run: _in_figures(run[0]), text)


def forms(word: str) -> set[str]:
    """A lower-case word and, if it is a number, its other form: `three` and 3."""
    return {word, str(_VALUES.get(word, word)), *(other for other, value in _VALUES.items() if str(value) == word)}


def canonical(figure: str) -> str:
    """A number in the form used for comparison: `1,000` 1000, `3.0` 3, `2.50` 2.5, `-0` 0.

    A number that is not whole keeps its decimals: it is an answer, though never the correct one. The digits are
    edited as text, so a number may have any length.
    """
    figure = re.sub(r"^\W*(?:negative|minus) ", "-", figure).replace(",", "").replace(" ", "")
    whole, _, places = figure.lstrip("-").partition(".")
    whole, places = whole.lstrip("0") or "0", places.rstrip("0")
    positive = f"{whole}.{places}" if places else whole
    return f"-{positive}" if figure.startswith("-") and positive != "0" else positive


def _written_out(power: re.Match[str]) -> str:
    exponent = power["short"] or power["long"] or power["raised"].translate(_SUPERSCRIPTS)
    return format(Decimal((power["factor"] or "1").replace(",", "")).scaleb(int(exponent)), "f")


def _in_figures(run: str) -> str:
    """Consecutive number words, combined where they form one number: `twenty two` 22, `two and three` 2 and 3."""
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
