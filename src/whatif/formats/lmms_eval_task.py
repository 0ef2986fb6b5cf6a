"""Functions that lmms-eval calls for an exported task: the prompt, image, answer and score of each question.

The scores here are preliminary and follow a simple rule. With `adapter: replay`, whatif reads the log of samples
(`--log_samples`) and extracts answers as for every other model.
"""

# This file is exported unchanged, so it uses only Python's standard library.
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

_ANSWERS = {"choice": r"\b[A-Z]\b", "number": r"\d+", "boolean": r"\b(?:[Yy]es|[Nn]o)\b"}


def doc_to_text(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, str] | None = None) -> str:
    """The question's prompt, between the model's own `pre_prompt` and `post_prompt`."""
    own = lmms_eval_specific_kwargs or {}
    return f"{own.get('pre_prompt', '')}{doc['prompt']}{own.get('post_prompt', '')}"


def doc_to_visual(doc: Mapping[str, Any]) -> list[Any]:
    """The question's only image, as RGB."""
    return [doc["image"].convert("RGB")]


def doc_to_target(doc: Mapping[str, Any]) -> str:
    """The correct answer: a letter, a whole number in digits, or yes or no."""
    return str(doc["answer"])


def process_results(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, dict[str, Any]]:
    """The score of a question, keyed by its variant, with the question's id for the log."""
    response = results[0] if results else ""
    while isinstance(response, list | tuple):
        response = response[0] if response else ""
    named = {word.lower() for word in re.findall(_ANSWERS[doc["answer_kind"]], str(response))}
    score = float(named == {str(doc["answer"]).lower()})
    return {f"accuracy_{doc['variant']}": {"question_id": doc["question_id"], "group": doc["group"], "score": score}}


def accuracy(results: Sequence[Mapping[str, Any]]) -> float:
    """The share of questions whose response names the correct answer and no other; 0 without questions."""
    return sum(result["score"] for result in results) / len(results) if results else 0.0
