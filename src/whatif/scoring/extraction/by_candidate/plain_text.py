"""A response as plain text: without markup and LaTeX commands, up to the first invented turn, in sentences."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from whatif.scoring.extraction.by_candidate.weights import any_of

MOST = 20_000  # characters that are looked at, at the beginning and at the end
_BOX = re.compile(r"\\(?:boxed|fbox)\s*\{")
_LATEX = {
    re.compile(pattern): replacement
    for pattern, replacement in {
        r"\\(?:text(?:bf|it|rm|tt)?|math(?:bf|rm|it|sf)|mbox|operatorname)\s*\{([^{}]{0,400})\}": r"\1",
        r"\\sqrt\s*\{([^{}]{0,60})\}": r"√\1",
        r"\\[dt]?frac\s*\{([^{}]{0,60})\}\s*\{([^{}]{0,60})\}": r"\1/\2",
        r"\\[dt]?frac\s?(\d)(\d)": r"\1/\2",
        r"\s?\^\s?\{?\s?\\circ\s?\}?|\\degree\b": "°",
        r"\\(?:times|cdot)(?![a-z])": "×",
        r"\{,\}": ",",
        r"\\approx(?![a-z])": "≈",
        r"\\[()\[\],;:!~]|\\(?:left|right|quad|qquad|displaystyle)(?![a-z])|[$~]": " ",
        r"\\(?=[%#&_{}$])": "",
        r"\\([a-z]+)": r"\1",
        r"\^\{(\w{1,4})\}": r"^\1",
    }.items()
}
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,60}>|<\|[^<>|]{0,60}\|>|<image ?\d+>|[\0`]|\*\*+|__+")
_WIDE = {ord(wide): plain for wide, plain in zip("（）：，。［］’‘“”−–", "():,.[]''\"\"--", strict=True)}
_NEXT_TURN = re.compile(
    r"\n[\s#*]*(?:question|q|user|human|hint|instruction|problem|example \d+)\s?\d{0,2}[*]*:",
    re.I,
)
_COURTESY = re.compile(rf"(?:{any_of('courtesies')})[^\n]{{0,200}}$", re.I)
_SENTENCE = re.compile(r"(?<=[.!?])[*\"')\]]*\s+(?=\S)(?!is\b)|\n+")


class PlainText:
    """A plain response: `text` with its marks of boxes (`⟦`, `⟧`) and emphasis (`*`), and its sentences."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def lower(self) -> str:
        """The same text in lower case, of the same length."""
        lower = self.text.lower()
        if len(lower) == len(self.text):
            return lower
        return "".join(low if len(low := letter.lower()) == 1 else letter for letter in self.text)

    @cached_property
    def starts(self) -> list[int]:
        """The position at which each sentence or line begins, and the end of the text."""
        size = len(self.text)
        return [0, *(end.end() for end in _SENTENCE.finditer(self.text) if end.end() < size), size]

    def sentence(self, place: int) -> int:
        """The number of the sentence at a position."""
        return bisect_right(self.starts, place) - 1


def plain(response: str, question: str) -> PlainText:
    """The response as plain text, without the question if it repeats it at the beginning."""
    text = response.strip()
    if len(text) > 2 * MOST:
        text = f"{text[:MOST]}\n{text[-MOST:]}"
    if not text.isascii():
        text = text.translate(_WIDE)
    if "\\" in text or "$" in text:
        text = without_latex(text)
    if "<" in text or "*" in text or "`" in text or "\0" in text or "__" in text:
        text = _TAG.sub(lambda tag: "*" if tag[0].startswith(("**", "__")) else "", text)
    text = text.strip()
    if len(question) > 15:
        text = text.removeprefix(question.strip()).lstrip()
    if turn := _NEXT_TURN.search(text, 1):
        text = text[: turn.start()].rstrip()
    if courtesy := _COURTESY.search(text, max(80, len(text) - 220)):
        text = text[: courtesy.start()].rstrip()
    return PlainText(text)


def without_latex(text: str) -> str:
    """Text without LaTeX commands; what was in `\\boxed{}` is in double brackets."""
    if "\\boxed" in text or "\\fbox" in text:
        text = _boxes_marked(text)
    for pattern, replacement in _LATEX.items():
        text = pattern.sub(replacement, text)
    return text


def _boxes_marked(text: str) -> str:
    parts, place = [], 0
    for box in _BOX.finditer(text):
        if box.start() < place:
            continue
        depth, end = 1, box.end()
        last = min(len(text), end + 300)
        while end < last and depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        parts += [text[place : box.start()], "⟦", text[box.end() : end - (not depth)], "⟧"]
        place = end
    return "".join([*parts, text[place:]])
