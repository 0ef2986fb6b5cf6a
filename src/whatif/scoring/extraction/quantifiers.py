"""Yes or no to a question about all of some things, from a statement about some of them."""

from __future__ import annotations

import re
from collections.abc import Callable

from whatif.scoring.extraction.statement_words import written_out

_ALL = re.compile(r"\b(?:all|every|each|both|everyone|everybody|everything)\b")
_NOT_ALL = re.compile(r"\b(?:not|never) (?:quite )?(?:all|every|each|both|everyone|everybody|everything)\b")
_ALL_BUT = re.compile(r"\ball (?:but|except(?: for)?)\b")
_SOME = re.compile(
    r"^\W*(?P<only>only |just |at least )?(?P<some>most|some|several|many|a few|few|half|the majority|the rest|one|two|"
    r"three|four|five|six|seven|eight|nine|ten|anybody)(?: (?:of|out of))?(?: the| them| these| those)*(?= )"
)
_FEWER = frozenset(("most", "few", "half", "the majority"))


def of_quantity(statement: str, question: str, polarity: Callable[[str, str], str | None]) -> str | None:
    """`no` if the question asks about all things, and the statement denies it of some or affirms it of only some.

    `polarity` reads a statement about all of them.
    """
    if not _ALL.search(written_out(question)):
        return None
    if _NOT_ALL.search(statement) or _ALL_BUT.search(statement):
        return "no"
    found = _SOME.match(statement)
    if not found:
        return None
    verdict = polarity(f"all{statement[found.end() :]}", question)
    is_part = found["only"] or found["some"] in _FEWER
    return "no" if verdict == "no" or (verdict == "yes" and is_part) else None
