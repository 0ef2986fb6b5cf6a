"""Answer extraction by the rules of C-VQA's published scoring, for comparison with ours.

They find an answer in nearly everything: the first number there is, or a yes or no read off words like `is`. What
they give stands beside what `extract` gives, never instead of it. The rules are those of `scripts/format_response.py`
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
    where the response begins with `if`, else in the part before its first `if`. A word ends at every sign, so that
    the first number of `1,200` is 1 and that of `3.5` is 3.
    Booleans: `no` when one of no, false and not occurs, else `yes` when one of yes, true, be, is and are does. Where
    nothing is found the status is `none`; it is never `ambiguous`. `question` plays no part in these rules.

    Raises ValueError for choices, which the published scoring does not know.
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
    raise ValueError(f"{kind}: the published scoring knows numbers and booleans only")


def legacy_correct(prediction: Mapping[str, Any], question: Mapping[str, Any]) -> bool | None:
    """Whether a row of `predictions` is right by the published rules; None where they say nothing of it.

    Where options were ranked, or a letter was chosen without a word, there is nothing to extract: right is right by any
    rules. An option that was named in words is None, as the published scoring knows no choices.
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
    """A word as a number in figures; no arithmetic is done, so that it may have any length."""
    if word.isdecimal():
        return "".join(str(unicodedata.decimal(sign)) for sign in word).lstrip("0") or "0"
    return _NUMBERS.get(word)
