"""Finds the option in a text that judges the options one by one: `A: no, B: yes`, a row of ticks, marks out of ten."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from whatif.language.options import LETTERS
from whatif.scoring.extraction.extracted import Extracted, ambiguous
from whatif.scoring.extraction.option_words import option_words

_YES = "yes|true|right|correct|possible|likely|plausible|✓"
_NO = "no|false|wrong|incorrect|impossible|unlikely|implausible|not possible|not likely|not plausible|✗"
_MARK = r"\d{1,3}(?:\.\d+)?(?: ?%| ?/ ?\d{1,3}| points?| stars?)"
_VERDICT = re.compile(
    rf"(?P<option>[^\n]{{1,120}}?)[\s:=→|~(?-]{{1,5}}(?:(?P<yes>{_YES})|(?P<no>{_NO})|(?P<mark>{_MARK}))\W*",
    re.IGNORECASE,
)
_SIGNED = re.compile(r"\W*(?P<sign>[✓✗]) ?(?P<option>[^\n✓✗]{1,120})")
_SEGMENTS = re.compile(r"(?<=[^\d\W])[.]\s+|(?<=✓)\s|(?<=✗)\s|[,;\n]\s*|(?<=\d)\.\s+")
_CELLS = re.compile(r"\s*\|\s*")
_SCORE = re.compile(r"\d+(?:\.\d+)?")


def by_verdicts(text: str, choices: Sequence[str], *, letters_shown: bool = True) -> Extracted | None:
    """The option with the only yes, the only one without a no, or the best mark; None if a text has anything else."""
    places = {option_words(choice): place for place, choice in enumerate(choices)}
    numbers = [re.findall(r"\d+\Z", choice) for choice in choices]
    places = {found[0]: place for place, found in enumerate(numbers) if found} | places  # `2` in a table, for `box 2`
    if letters_shown:
        places |= {LETTERS[place].lower(): place for place in range(len(choices))}
    judged: dict[int, str] = {}
    for option, verdict in _judged(text):
        words = option_words(re.sub(r"^\W*[A-Z][).:]\s+(?=\w)", "", option) if letters_shown else option)
        place = places.get(words, places.get(option.strip(" ().:").lower()))
        if place is None or judged.setdefault(place, verdict) != verdict:
            return None
    return _decided(judged, len(choices)) if len(judged) > 1 else None


def _judged(text: str) -> Iterator[tuple[str, str]]:
    """The parts of a text, each an option with its verdict; a part of another form has an empty option."""
    rows = [_CELLS.split(line.strip(" |")) for line in text.split("\n") if re.search(r"\w|[✓✗]", line)]
    if len(rows) == 2 and len(rows[0]) == len(rows[1]) > 1:  # a table with the options in its head
        text = "\n".join(f"{option}: {verdict}" for option, verdict in zip(*rows, strict=True))
    if len(rows) > 2 and len({len(row) for row in rows}) == 1 < len(rows[0]):  # a table with the verdict at the end
        text = "\n".join(f"{row[0]}: {row[-1]}" for row in rows[1:])
    for part in _SEGMENTS.split(text):
        if not re.search(r"\w|[✓✗]", part):
            continue
        found = _VERDICT.fullmatch(part)
        if found:
            yield found["option"], "yes" if found["yes"] else "no" if found["no"] else found["mark"]
        else:
            signed = _SIGNED.fullmatch(part)
            yield (signed["option"], "yes" if signed["sign"] == "✓" else "no") if signed else ("", "")


def _decided(judged: dict[int, str], many: int) -> Extracted | None:
    right = {place for place, verdict in judged.items() if verdict == "yes"}
    wrong = {place for place, verdict in judged.items() if verdict == "no"}
    left = set(range(many)) - wrong
    if len(right | wrong) < len(judged):
        marks = {place: float(_SCORE.findall(verdict)[0]) for place, verdict in judged.items() if _SCORE.match(verdict)}
        right = {place for place, mark in marks.items() if mark == max(marks.values())}
    found = right if len(right) == 1 else wrong if len(wrong) == 1 < len(right) == many - 1 else left
    if len(found) == 1:
        return Extracted(LETTERS[found.pop()], "ok", None)
    return ambiguous("more than one option judged to be right") if len(right) > 1 else None
