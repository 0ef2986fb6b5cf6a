"""Yes or no to a question about all of some things, from a statement about some of them."""

from __future__ import annotations

import re
from collections.abc import Callable

_ALL = re.compile(r"\b(?:all|every|each|both|everyone|everybody|everything)\b")
_NOT_ALL = re.compile(r"\b(?:not|never) (?:quite )?(?:all|every|each|both|everyone|everybody|everything)\b")
_ALL_BUT = re.compile(r"\ball (?:but|except(?: for)?)\b")
_SOME = re.compile(
    r"^\W*(?P<only>only |just |at least )?(?P<some>most|some|several|many|a few|few|half|the majority|the rest|one|two|"
    r"three|four|five|six|seven|eight|nine|ten|anybody|nobody)(?: (?:of|out of))?(?: the| them| these| those)*(?= )"
)
_FEWER = frozenset(("nobody", "most", "few", "half", "the majority"))


def of_quantity(statement: str, question: str, polarity: Callable[[str, str], str | None]) -> str | None:
    """`no` if the question asks about all things, and the statement denies it of some or affirms it of only some.

    `polarity` reads a statement about all of them.
    """
    if not _ALL.search(question.lower()):
        return None
    if _NOT_ALL.search(statement) or _ALL_BUT.search(statement):
        return "no"
    found = _SOME.match(statement)
    if not found:
        return None
    rest = statement[found.end() :]
    verdict = polarity(
        f"{'they' if re.match(r' (?:is|are|do|does|has|have|will|would)', rest) else 'all'}{rest}", question
    )
    is_part = found["only"] or found["some"] in _FEWER
    return "no" if verdict == "no" or (verdict == "yes" and is_part) else None
