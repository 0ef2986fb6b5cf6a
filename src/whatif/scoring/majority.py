"""The answer of a model that was asked several times: the majority of its extracted answers (self-consistency).

| samples | status | answer |
|---|---|---|
| one of them is an error | `error` | none: the majority might be another |
| more than half without an answer (`none` or `ambiguous`) | `none` | none |
| two answers lead with equally many | `ambiguous` | none |
| otherwise | `ok` | the most frequent answer; samples without an answer do not vote |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from whatif.models import Answer
from whatif.scoring.extraction.answer import Extracted, normalise


def majority(
    answers: Sequence[Answer], found: Sequence[Extracted], row: Mapping[str, Any]
) -> tuple[int, Answer, Extracted]:
    """The place of the sample that stands for all, its answer with the tokens of all, and what all say together.

    `found` has what was extracted from each of the `answers` to the question in `row`. The sample is the first one that
    gives the majority's answer, the first error, or else the first one. A single answer is returned as it is.
    """
    if len(answers) == 1:
        return 0, answers[0], found[0]
    tokens: dict[str, Any] = {
        "prompt_tokens": summed([answer.prompt_tokens for answer in answers]),
        "response_tokens": summed([answer.response_tokens for answer in answers]),
    }
    failed = next((place for place, answer in enumerate(answers) if answer.status == "error"), None)
    if failed is not None:
        reason = f"sample {failed + 1} of {len(answers)}: {answers[failed].reason}"
        return failed, replace(answers[failed], reason=reason, **tokens), found[failed]
    votes = [_vote(answer, one, row) for answer, one in zip(answers, found, strict=True)]
    place, together = _counted(votes, found)
    return place, replace(answers[place], status="ok", reason=None, **tokens), together


def as_column(answers: Sequence[Answer], found: Sequence[Extracted]) -> list[dict[str, Any]] | None:
    """The column `samples` of predictions; None if there is one sample."""
    if len(answers) == 1:
        return None
    return [
        {
            "response": answer.response,
            "answer": one.answer if answer.status == "ok" else None,
            "status": one.status if answer.status == "ok" else answer.status,
            "request_key": answer.request_key,
        }
        for answer, one in zip(answers, found, strict=True)
    ]


def summed(counts: Sequence[int | None]) -> int | None:
    """The sum of token counts; None if one is not known."""
    return None if None in counts else sum(count or 0 for count in counts)


def _vote(answer: Answer, found: Extracted, row: Mapping[str, Any]) -> str | None:
    if answer.status != "ok" or found.status != "ok" or found.answer is None:
        return None
    return normalise(found.answer, row["answer_kind"])


def _counted(votes: Sequence[str | None], found: Sequence[Extracted]) -> tuple[int, Extracted]:
    counts = Counter(vote for vote in votes if vote is not None)
    without = votes.count(None)
    if 2 * without > len(votes):
        return 0, Extracted(None, "none", f"{without} of {len(votes)} samples have no answer")
    most = max(counts.values())
    leading = [vote for vote in counts if counts[vote] == most]
    if len(leading) > 1:
        return 0, Extracted(None, "ambiguous", f"{len(leading)} answers have {most} of {len(votes)} samples each")
    place = votes.index(leading[0])
    return place, found[place]
