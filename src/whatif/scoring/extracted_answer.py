"""Reads the answer in a model's response: none if the response was cut off before it gave one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from whatif.models import Answer
from whatif.scoring.extraction.answer import Extracted, extract

# Text that certainly ends a line, a sentence or a mark: later text could still be part of an unfinished one.
_FINISHED = re.compile(r"[\s\S]*(?:\n|[.!?;]\s|[}>])")
CUT_OFF = "cut off at "  # the reason begins so if a response was cut off before its answer
_MARKED = re.compile(
    r"(?:\b(?:answer|option|choice)\b\W{0,9}(?:is\b|would be\b|[:=])|\\boxed\{|<answer>|^####).*", re.I | re.M
)


def answer_in(answer: Answer, row: Mapping[str, Any], mark: str | None = None) -> Extracted:
    """The answer that a response gives to the question in `row`.

    Its reasoning is not read. If the response contains the `mark` of a strategy (`answer_after`), only what follows the
    last one is read.

    A response that was cut off had not finished, so it has no answer, unless it called something its answer
    (`Answer: 3`, `\\boxed{3}`, or by the `mark`) and continued after it.
    """
    answer = answer.without_reasoning()
    if answer.response is None or answer.status != "ok":
        return Extracted(None, "none", answer.reason or "no response")
    _, marked, response = answer.response.rpartition(mark) if mark else ("", "", answer.response)
    if answer.cut_off:
        finished = _FINISHED.match(response)
        text = finished[0] if finished else ""
        response = text.lstrip().partition("\n")[0] if marked else "\n".join(_MARKED.findall(text))
    found = extract(response, row["answer_kind"], row["question"], row["choices"])
    if answer.cut_off and found.status == "none":
        tokens = answer.response_tokens
        return Extracted(None, "none", f"{CUT_OFF}{f'{tokens} tokens' if tokens else 'the limit of tokens'}")
    return found
