"""Answer extraction by the rules of C-VQA's published scoring, for comparison with ours.

They find an answer in nearly every response: the first number, or a yes or no derived from words like `is`. Their
result is reported beside that of `extract`, never instead of it. The rules are those of `scripts/format_response.py`
in the authors' repository (Letian2003/C-VQA).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from whatif.scoring.extraction.answer import Extracted, Kind, is_correct

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS = {word: str(value) for value, word in enumerate(_WORDS)} | {"no": "0", "none": "0"}
_WORD_OR_COMMA = re.compile(r"\w+|,")
_NO = {"no", "false", "not"}
_YES = {"yes", "true", "be", "is", "are"}


def legacy(response: str, kind: Kind, question: str) -> Extracted:
    """The answer by the published rules.

    Numbers: the first word that is all digits, a number word up to ten, no or none, in the part after the first comma
    if the response begins with `if`, otherwise in the part before its first `if`. Every sign ends a word, so the first
    number of `1,200` is 1 and that of `3.5` is 3.
    Booleans: `no` if one of no, false and not occurs, otherwise `yes` if one of yes, true, be, is and are does. If
    nothing is found the status is `none`; it is never `ambiguous`. The rules do not use `question`.

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


def legacy_correct(prediction: Mapping[str, Any], question: Mapping[str, Any]) -> bool | None:
    """Whether a row of `predictions` is correct by the published rules; None if they do not apply.

    If options were ranked, or a letter was chosen without text, there is nothing to extract, and the prediction is
    correct by any rules. An option that was named in words is None, because the published scoring has no choices.
    """
    if prediction["status"] == "error":
        return False
    if prediction["response"] is None or prediction["choice_scores"] is not None:
        return bool(prediction["correct"])
    kind = question["answer_kind"]
    if kind not in {"number", "boolean"}:
        return None
    return is_correct(legacy(prediction["response"], kind, question["question"]), question["answer"], kind)


def _beside_if(words: Sequence[str]) -> Sequence[str]:
    if words[:1] == ["if"]:
        return words[words.index(",") + 1 :] if "," in words else []
    return words[: words.index("if")] if "if" in words else words


def _number(word: str) -> str | None:
    """A word as a number in digits; edited as text, so it may have any length."""
    if word.isdecimal():
        return "".join(str(unicodedata.decimal(sign)) for sign in word).lstrip("0") or "0"
    return _NUMBERS.get(word)
