"""Recognises the answer among several numbers of a text by their arithmetic."""

from __future__ import annotations

import re
from collections.abc import Sequence

from whatif.language.number_words import FIGURE, canonical
from whatif.scoring.extraction.number_asked import Asked

_OF_NOW = re.compile(
    r"\b(?:(?<!are )(?<!is )now|current(?:ly)?|at (?:the moment|present)|present(?:ly)?|existing|original(?:ly)?|"
    r"initial(?:ly)?|already|"
    r"before|there(?:'s| are| is| were)(?! now)|in the (?:image|picture|photo|scene)|(?:we|i) (?:have|see|count)|"
    r"hay|ahora|actualmente|es gibt|aktuell|derzeit|jetzt|il y a|actuellement|ci sono|attualmente|há|atualmente|agora|"
    r"сейчас|er zijn)\b|现在|現在|目前|原来|原來|今は|지금|현재"
)
_TOTAL = re.compile(
    rf"(?:=|\b(?:makes?|making|gives?|giving|totall?ing|totals?|totals? of|adds? up to)) ?{FIGURE}(?!.*\d)"
)
_LONGEST = 7  # digits
_STATES = 2  # before and after
_PARTS = 3  # numbers of a total and at least two parts


def changed_count(texts: Sequence[str], asked: Asked) -> str | None:
    """The count after a change, if the text has only a count before it, one after it, and the number supposed.

    `We have 4. We add 3. We get 7.`: the number that is not said to be of now.
    """
    values = [(int(value), text) for text in texts for value in _whole(text)]
    supposed = {int(value) for value in asked.supposed if value.isdecimal() and len(value) < _LONGEST}
    for change in sorted(supposed):
        rest = [(value, text) for value, text in values if value != change]
        distinct = {value for value, _ in rest}
        if len(distinct) == _STATES and max(distinct) - min(distinct) == change:
            of_now = {value for value, text in rest if _OF_NOW.search(text)}
            others = distinct - of_now
            return str(others.pop()) if len(others) == 1 else None
    return None


def sum_at_end(texts: Sequence[str]) -> str | None:
    """The last of at least three numbers if it is the sum of the others: `3 sailboats, 2 motorboats = 5`."""
    values = [int(value) for text in texts for value in _whole(text)]
    if not any(_TOTAL.search(text) for text in texts[-1:]):
        return None
    if len(values) >= _PARTS and sum(values[:-1]) == values[-1] > max(values[:-1]):
        return str(values[-1])
    return None


def _whole(text: str) -> list[str]:
    values = map(canonical, re.findall(FIGURE, text))
    return [value for value in values if value.isdecimal() and len(value) < _LONGEST]
