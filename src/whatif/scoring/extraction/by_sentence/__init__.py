"""A reader of answers that goes by sentences, from the end: what each one does, and what it commits to.

It shares nothing with the other reader, so that two of them seldom make the same mistake.
"""

from __future__ import annotations

from collections.abc import Sequence

from whatif.scoring.extraction.by_sentence import boolean, choice, number, sentences
from whatif.scoring.extraction.extracted import Extracted, Kind, none

_MOST_CHARACTERS, _MOST_WORDS = 200, 8  # of an open answer; a longer response is not its answer


def read(response: str, kind: Kind, question: str, choices: Sequence[str] | None) -> Extracted:
    """The answer that a response commits to, or why there is none.

    `number` gives digits, `boolean` `yes` or `no`, `choice` and `option text` a capital letter, `text` the response
    itself in lower case if it is short.
    """
    for text in (one.rstrip(". ") for one in choices or ()):
        if ". " in text and text in response:  # an option of several sentences is read as one
            response = response.replace(text, text.replace(". ", "; "))
    found = sentences.of(response)
    if not found:
        return none("an empty response")
    if kind == "number":
        return number.read(found, question)
    if kind == "boolean":
        return boolean.read(found, question)
    if kind == "text":
        words = " ".join(found)[:_MOST_CHARACTERS].lower().strip(" .!\"'").split()
        return Extracted(" ".join(words), "ok", None) if 0 < len(words) <= _MOST_WORDS else none("no short answer")
    return choice.read(found, question, choices or (), letters=kind == "choice")
