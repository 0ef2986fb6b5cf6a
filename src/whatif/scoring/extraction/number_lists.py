"""Recognises the lines of a response that count parts (`Left: 3`, `Triangle → 2 flowers`), which are no answers."""

from __future__ import annotations

import re

from whatif.language.number_words import NUMBER, in_digits
from whatif.scoring.extraction.number_asked import Asked

_PART = re.compile(rf"^\W*(?P<label>[^\n=→|]{{1,80}}?) ?(?:[:=→|]|→|-(?= )) ?{NUMBER}(?P<rest>[^\n]{{0,80}})$")
_NO_PART = re.compile(
    r"\b(?:total|sum|results?|remain\w*|left(?! \w)|final\w*|answer|so|therefore|thus|hence|after|all|altogether|new|"
    r"now|^count|new count|overall|conclusion|would|if|step|difference|leaves?|leaving|then|minus|plus|without|with|"
    r"output|prediction)\b"
)
_OPERATES = re.compile(r"[+*×÷/]|\d ?- ?\d")
_CALCULATES = re.compile(r"[=+*×÷]|→|\d ?- ?\d|\b(?:would|total|altogether|remain\w*)\b")
_FEWEST = 2
_EMPTY = frozenset(re.findall(r"\w+", "number count total of the a an in on at is are with and many how would be"))


def without_parts(text: str, asked: Asked) -> str:
    """A text without its lines that count parts, if the rest has a number; otherwise, without their arrows.

    A single such line is no list, and a line that names what the question asks for (`Cats: 3`) is no part.
    """
    lines = text.split("\n")
    parts = [_is_part(in_digits(line), asked) for line in lines]
    if sum(parts) < _FEWEST:
        return text
    rest = "\n".join(line for line, is_part in zip(lines, parts, strict=True) if not is_part)
    if re.search(NUMBER, in_digits(rest)):
        return rest
    return "\n".join(line.replace("→", ":") if is_part else line for line, is_part in zip(lines, parts, strict=True))


def line_asked_for(text: str, question: str) -> str | None:
    """The line whose label repeats most words of the question: `People wearing hats: 2` after `People: 6`."""
    asked = set(re.findall(r"[a-z]+", question.lower()))
    overlaps = []
    for line in text.lower().split("\n"):
        found = _PART.match(in_digits(line))
        words = set(re.findall(r"[a-z]+", found["label"])) - _EMPTY if found else set()
        overlaps.append((len(words & asked) if words <= asked else 0, line))
    (most, line), *others = sorted(overlaps, key=lambda overlap: -overlap[0])
    labels = sum(_PART.match(in_digits(one)) is not None for _, one in overlaps)
    is_clear = most >= _FEWEST and all(other < most for other, _ in others)
    return line if is_clear and labels >= _FEWEST else None


def _is_part(line: str, asked: Asked) -> bool:
    found = _PART.match(line)
    return (
        found is not None
        and not _NO_PART.search(found["label"])
        and not _OPERATES.search(found["label"])
        and not _CALCULATES.search(found["rest"])
        and not asked.label.match(line)
    )
