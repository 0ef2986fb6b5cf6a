"""Finds the words in which two captions differ: the altered subjects of pairs that do not name them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from whatif.engine.language.beginnings import common_beginning

_WORD = re.compile(r"[^\W_]+(?:['’\-/.][^\W_]+)*")  # `schoolbus/boat/house` and `sidewalk.outside` are one word
_ARTICLES = ("a", "an")


@dataclass(frozen=True)
class Difference:
    """`subjects`: the differing words of each caption. `note`: a remark where they are not single words, or empty."""

    subjects: tuple[str, str]
    note: str = ""


def difference(caption_0: str, caption_1: str) -> Difference | None:
    """The words from the first to the last difference between two captions; None when the words are the same.

    Case and punctuation are ignored, and so is the change between `a` and `an` before the subject. Where one
    caption only has additional words, the word before (or after) them belongs to both subjects.
    """
    words = [list(_WORD.finditer(caption)) for caption in (caption_0, caption_1)]
    plain = [[word[0].casefold() for word in of] for of in words]
    if plain[0] == plain[1]:
        return None
    start = common_beginning(plain[0], plain[1])
    shorter = min(len(of) for of in plain)
    tail = min(common_beginning(plain[0][::-1], plain[1][::-1]), shorter - start)
    if start and start + tail == shorter:
        start -= 1
    elif start + tail == shorter:
        tail = max(0, tail - 1)
    spans = [(start, len(of) - tail) for of in plain]
    if all(end - begin > 1 and of[begin] in _ARTICLES for of, (begin, end) in zip(plain, spans, strict=True)):
        spans = [(begin + 1, end) for begin, end in spans]
    subjects = [
        caption[of[begin].start() : of[end - 1].end()] if end > begin else ""
        for caption, of, (begin, end) in zip((caption_0, caption_1), words, spans, strict=True)
    ]
    counts = [end - begin for begin, end in spans]
    note = "" if counts == [1, 1] else f"captions differ in {counts[0]} and {counts[1]} words"
    return Difference((subjects[0], subjects[1]), note)
