"""A reader of answers by candidates: every candidate in a response is weighed by the evidence around its mentions."""

from __future__ import annotations

from collections.abc import Sequence

from whatif.scoring.extraction.by_candidate.booleans import read_boolean
from whatif.scoring.extraction.by_candidate.choices import read_choice
from whatif.scoring.extraction.by_candidate.context import Context
from whatif.scoring.extraction.by_candidate.numbers import read_number
from whatif.scoring.extraction.by_candidate.plain_text import plain
from whatif.scoring.extraction.extracted import Extracted, Kind, none

__all__ = ["read"]


def read(response: str, kind: Kind, question: str, choices: Sequence[str] | None) -> Extracted:
    """The answer in a response without its reasoning: digits, `yes` or `no`, a letter, or few words.

    Every candidate that occurs (a letter, the text of an option, a number, a yes or no, the question's statement
    affirmed or denied) is weighed by what stands around it. The best one is the answer if its total is high enough
    and leads by a margin. Never raises; takes linear time, because only the ends of a long response are read.
    """
    context = Context(plain(response, question))
    if not context.text:
        return none("an empty response")
    if kind == "number":
        return read_number(context, question)
    if kind == "boolean":
        return read_boolean(context, question)
    if kind == "text":
        words = context.lower[:200].strip("*.!?\"' ").split()
        return Extracted(" ".join(words), "ok", None) if 0 < len(words) <= 6 else none("no short answer")
    return read_choice(context, question, choices or (), letters=kind == "choice")
