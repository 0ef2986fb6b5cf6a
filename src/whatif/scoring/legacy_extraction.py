"""Answer extraction by the rules of C-VQA's published scoring, for comparison with ours.

They find an answer in nearly everything: the first number there is, or a yes or no read off words like `is`. What
they give stands beside what `extract` gives, never instead of it.
"""

from __future__ import annotations

import re

from whatif.scoring.extract_answer import Extracted, Kind

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBER = re.compile(rf"\d+|\b(?:{'|'.join(_WORDS)})\b")
# An `if` clause ends at a comma, or goes on to the end of the sentence.
_CLAUSE = re.compile(r"\bif\b[^,.!?\n]*")
_NO = re.compile(r"\b(?:no|false|not)\b")
_YES = re.compile(r"\b(?:yes|true|be|is|are)\b")


def legacy(response: str, kind: Kind, question: str) -> Extracted:
    """The answer by the published rules.

    Numbers: the first one, in figures or as a word up to ten, in what is left when the `if` clause is taken out.
    Booleans: `no` when one of no, false and not occurs, else `yes` when one of yes, true, be, is and are does. Where
    nothing is found the status is `none`; it is never `ambiguous`. `question` plays no part in these rules.

    Raises ValueError for choices, which the published scoring does not know.
    """
    text = response.lower()
    if kind == "number":
        found = _NUMBER.search(_CLAUSE.sub(" ", text))
        if found is None:
            return Extracted(None, "none", "no number")
        said = found.group()
        return Extracted(str(_WORDS.index(said)) if said in _WORDS else str(int(said)), "ok", None)
    if kind == "boolean":
        if _NO.search(text):
            return Extracted("no", "ok", None)
        return Extracted("yes", "ok", None) if _YES.search(text) else Extracted(None, "none", "neither yes nor no")
    raise ValueError(f"{kind}: the published scoring knows numbers and booleans only")
