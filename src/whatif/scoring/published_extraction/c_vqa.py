"""Answer extraction by the rules of C-VQA's published scoring.

They find an answer in nearly every response: the first number, or a yes or no derived from words like `is`. The rules
are those of `scripts/format_response.py` in the authors' repository (Letian2003/C-VQA).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from whatif.scoring.extraction.extracted import Extracted, Kind

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS = {word: str(value) for value, word in enumerate(_WORDS)} | {"no": "0", "none": "0"}
_WORD_OR_COMMA = re.compile(r"\w+|,")
_NO = {"no", "false", "not"}
_YES = {"yes", "true", "be", "is", "are"}


def c_vqa_answer(response: str, kind: Kind) -> Extracted:
    """The answer by the published rules.

    Numbers: the first word that is all digits, a number word up to ten, no or none, in the part after the first comma
    if the response begins with `if`, otherwise in the part before its first `if`. Every sign ends a word, so the first
    number of `1,200` is 1 and that of `3.5` is 3.
    Booleans: `no` if one of no, false and not occurs, otherwise `yes` if one of yes, true, be, is and are does. If
    nothing is found the status is `none`; it is never `ambiguous`.

    Raises ValueError for choices, which the published scoring does not support.
    """
    words = _WORD_OR_COMMA.findall(response.lower())
    if kind == "number":
        number = next(filter(None, map(_number, _beside_if(words))), None)
        return Extracted(number, "ok", None) if number else Extracted(None, "none", "no number")
    if kind == "boolean":
        if not _NO.isdisjoint(words):
            return Extracted("no", "ok", None)
        yes = not _YES.isdisjoint(words)
        return Extracted("yes", "ok", None) if yes else Extracted(None, "none", "neither yes nor no")
    raise ValueError(f"{kind}: the published scoring supports numbers and booleans only")


def _beside_if(words: Sequence[str]) -> Sequence[str]:
    if words[:1] == ["if"]:
        return words[words.index(",") + 1 :] if "," in words else []
    return words[: words.index("if")] if "if" in words else words


def _number(word: str) -> str | None:
    """A word as a number in digits; edited as text, so it may have any length."""
    if word.isdecimal():
        return "".join(str(unicodedata.decimal(sign)) for sign in word).lstrip("0") or "0"
    return _NUMBERS.get(word)
