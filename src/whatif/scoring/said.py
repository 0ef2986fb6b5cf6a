"""Judges a model's response: the answer that it gives, or none if it was cut off before it gave one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from whatif.models import Answer
from whatif.scoring.extraction.answer import Extracted, extract

# Text that certainly ends a line, a sentence or a mark: later text could still be part of an unfinished one.
_FINISHED = re.compile(r"[\s\S]*(?:\n|[.!?;]\s|[}>])")
_THOUGHTS = re.compile(r"<think>(?:(?!</think>)[\s\S])*(?:</think>)?")
_MARKED = re.compile(
    r"(?:\b(?:answer|option|choice)\b\W{0,9}(?:is\b|would be\b|[:=])|\\boxed\{|<answer>|^####).*", re.I | re.M
)


def answer_in(answer: Answer, row: Mapping[str, Any]) -> Extracted:
    """The answer that a response gives to the question in `row`.

    A response that was cut off had not finished, so it has no answer, unless it called something its answer
    (`Answer: 3`, `\\boxed{3}`) and continued after it.
    """
    if answer.response is None:
        return Extracted(None, "none", answer.reason or "no response")
    response = answer.response
    if answer.cut_off:
        finished = _FINISHED.match(_THOUGHTS.sub("", response))
        response = "\n".join(_MARKED.findall(finished[0])) if finished else ""
    found = extract(response, row["answer_kind"], row["question"], row["choices"])
    if answer.cut_off and found.status == "none":
        tokens = answer.response_tokens
        return Extracted(None, "none", f"cut off at {tokens} tokens" if tokens else "cut off at the limit of tokens")
    return found
