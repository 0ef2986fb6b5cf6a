"""Recomputes the arithmetic of a written question's second step: `The answer would be 2-1+2=3` (C-VQA B.1)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

_SIGNS = str.maketrans({"−": "-", "–": "-", "—": "-", "×": "*", "÷": "/", "∗": "*", "·": "*", "✕": "*"})
_TIMES = re.compile(r"(?<=[\d)\s])[xX](?=\s*[\d(])")
_FIGURE = r"\d+(?:,\d{3})*(?:\.\d+)?"
_TERM = rf"\(*\s*{_FIGURE}\s*\)*"
_EXPRESSION = rf"{_TERM}(?:\s*[-+*/]\s*{_TERM})*"
_EQUATION = re.compile(rf"(?<![\w.])(?:{_EXPRESSION})(?:\s*=\s*-?{_EXPRESSION})+")
_TOKEN = re.compile(rf"{_FIGURE}|[-+*/()]")
_MOST_DIGITS = 9
_MOST_TOKENS = 60
_LONGEST = 2_000  # characters of a text


@dataclass(frozen=True)
class Calculation:
    """The number that the first equation of a text begins with, and the result of the last one."""

    first: Fraction
    result: Fraction


def calculation(text: str) -> Calculation:
    """The arithmetic of a text, recomputed.

    Numbers are whole, signs are + - * / x × ÷, and parentheses; * and / come before + and -, otherwise from left to
    right. There may be several `=` and several equations, of which each goes on from the result of the one before it.

    Raises ValueError, with what is wrong, when there is no equation or one of them is wrong.
    """
    plain_signs = _TIMES.sub("*", " ".join(text.translate(_SIGNS).split()))
    if len(plain_signs) > _LONGEST:
        raise ValueError(f"has {len(plain_signs):,} characters; at most {_LONGEST:,}")
    found: list[Calculation] = []
    for written in _EQUATION.finditer(plain_signs):
        equation = _unwrapped(written[0], plain_signs[written.end() :])
        one = _checked(equation.strip())
        if found and one.first != found[-1].result:
            raise ValueError(f"{equation.strip()!r} begins with {one.first}, not with the {found[-1].result} before it")
        found.append(one)
    if not found:
        raise ValueError(f"{text!r} has no calculation such as 3+2=5")
    return Calculation(found[0].first, found[-1].result)


def _unwrapped(equation: str, rest: str) -> str:
    """An equation without the parentheses around it, or around it and words after it: `(3+2=5)`, `(3+2=5 dogs)`."""
    first, *others, last = equation.split("=")
    begins = first.startswith("(") and first.count("(") == first.count(")") + 1
    ends = last.endswith(")") and last.count(")") == last.count("(") + 1
    if not begins or not (ends or rest.partition("(")[0].count(")")):
        return equation
    return "=".join((first[1:].lstrip(), *others, last[:-1] if ends else last))


def _checked(equation: str) -> Calculation:
    sides = equation.split("=")
    if not any(sign in sides[0] for sign in "+-*/"):
        raise ValueError(f"{equation!r} calculates nothing")
    values = [value_of(side) for side in sides]
    for side, value in zip(sides, values, strict=True):
        if value != values[0]:
            raise ValueError(f"{equation!r} is wrong: {sides[0].strip()} is {values[0]}, not {side.strip()}")
    first = next(token for token in _TOKEN.findall(sides[0]) if token != "(")
    return Calculation(value_of(first), values[-1])


def value_of(expression: str) -> Fraction:
    """The value of an expression of whole numbers.

    Raises ValueError when it is none, divides by zero, or is too long.
    """
    tokens = _TOKEN.findall(expression)
    if not tokens or "".join(tokens) != re.sub(r"\s", "", expression):
        raise ValueError(f"{expression.strip()!r} is no expression of whole numbers")
    if len(tokens) > _MOST_TOKENS:
        raise ValueError(f"has {len(tokens)} numbers and signs; at most {_MOST_TOKENS}")
    value, place = _sum(tokens, 0)
    if place < len(tokens):
        raise ValueError(f"{tokens[place]!r} is not expected in {expression.strip()!r}")
    return value


def _sum(tokens: list[str], place: int) -> tuple[Fraction, int]:
    value, place = _product(tokens, place)
    while place < len(tokens) and tokens[place] in "+-":
        other, after = _product(tokens, place + 1)
        value = value + other if tokens[place] == "+" else value - other
        place = after
    return value, place


def _product(tokens: list[str], place: int) -> tuple[Fraction, int]:
    value, place = _number(tokens, place)
    while place < len(tokens) and tokens[place] in "*/":
        other, after = _number(tokens, place + 1)
        if tokens[place] == "/" and other == 0:
            raise ValueError("divides by zero")
        value = value * other if tokens[place] == "*" else value / other
        place = after
    return value, place


def _number(tokens: list[str], place: int) -> tuple[Fraction, int]:
    if place >= len(tokens):
        raise ValueError("a number is missing")
    token = tokens[place]
    if token == "-":  # a negative number
        value, after = _number(tokens, place + 1)
        return -value, after
    if token == "(":
        value, after = _sum(tokens, place + 1)
        if after >= len(tokens) or tokens[after] != ")":
            raise ValueError("a parenthesis is not closed")
        return value, after + 1
    figure = token.replace(",", "")
    if not figure.isdigit():
        raise ValueError(f"{token!r} is no whole number" if "." in token else f"a number is missing before {token!r}")
    if len(figure) > _MOST_DIGITS:
        raise ValueError(f"{token} has more than {_MOST_DIGITS} digits")
    return Fraction(int(figure)), place + 1
