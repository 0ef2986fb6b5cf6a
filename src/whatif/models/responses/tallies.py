"""Totals over the stored answers of each model: tokens, time, and unanswered questions."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from whatif.models.responses.files import BUSY_SECONDS, file_errors
from whatif.models.responses.store import model_label


@dataclass
class Tally:
    """Totals over the answers of one model at one address (None for a checkpoint).

    `counted` of the `answers` have token counts; `reasoning_tokens` are the response tokens that are reasoning, where
    they are counted apart. `timed` answers have a time; `seconds` is the total waiting time. `unanswered` counts
    responses without an answer, by reason.
    """

    model: str
    base_url: str | None
    answers: int = 0
    counted: int = 0
    prompt_tokens: int = 0
    response_tokens: int = 0
    reasoning_tokens: int = 0
    timed: int = 0
    seconds: float = 0.0
    unanswered: Counter[str] = field(default_factory=Counter)


# In the order of the query.
_SUMS = ("answers", "counted", "prompt_tokens", "response_tokens", "reasoning_tokens", "timed", "seconds")
_PROMPT, _RESPONSE, _REASONING, _SECONDS, _STATUS, _REASON = (
    f"json_extract(answer, '$.{name}')"
    for name in ("prompt_tokens", "response_tokens", "reasoning_tokens", "seconds", "status", "reason")
)
# Grouped by the reasons of unanswered questions, which are few.
_QUERY = (
    f"SELECT json_extract(request, '$.identity'), {_STATUS} = 'ok', iif({_STATUS} = 'ok', NULL, {_REASON}), count(*), "
    f"sum({_PROMPT} IS NOT NULL AND {_RESPONSE} IS NOT NULL), total({_PROMPT}), total({_RESPONSE}), "
    f"total({_REASONING}), count({_SECONDS}), total({_SECONDS}) FROM responses GROUP BY 1, 2, 3"
)


def tallies(path: Path) -> list[Tally]:
    """Totals over the answers in the store at `path`, in order of their models.

    Raises WhatifError, naming the file, when it cannot be read.
    """
    with file_errors(path), closing(sqlite3.connect(path, timeout=BUSY_SECONDS)) as connection:
        rows = connection.execute(_QUERY).fetchall()
    found: dict[tuple[str, str], Tally] = {}
    for identity, is_answer, reason, *numbers in rows:
        asked = json.loads(identity)
        label, address = model_label(asked), asked.get("base_url")
        tally = found.setdefault((label, address or ""), Tally(label, address))
        for name, number in zip(_SUMS, numbers, strict=True):
            before = getattr(tally, name)
            setattr(tally, name, before + type(before)(number))
        if not is_answer:
            tally.unanswered[reason or "no reason given"] += numbers[0]
    return [found[place] for place in sorted(found)]
