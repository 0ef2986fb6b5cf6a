"""The result of answer extraction: an answer, or a status with the reason why there is none."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["number", "boolean", "choice", "option text", "text"]


@dataclass(frozen=True)
class Extracted:
    """An answer if the status is `ok` (digits, `yes` or `no`, a capital letter, words), otherwise the reason.

    `read_by` is what read the answer in a response.
    """

    answer: str | None
    status: Literal["ok", "ambiguous", "none"]
    reason: str | None
    read_by: Literal["strict", "agreement", "other language"] | None = field(default=None, compare=False)


none, ambiguous = partial(Extracted, None, "none"), partial(Extracted, None, "ambiguous")


def one_of(answers: Set[str | None], what: str) -> Extracted:
    """The single answer of a set; `what` names in the reason what was missing or not unique."""
    found = [answer for answer in answers if answer is not None]
    if len(found) == 1:
        return Extracted(found[0], "ok", None)
    return ambiguous(f"more than one {what}") if found else none(f"no {what}")
