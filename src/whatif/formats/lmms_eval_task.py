"""What lmms-eval calls for each question of an exported task: its words, its picture, its answer and its score.

The scores here are a first look by a simple rule. `adapter: replay` in whatif's params.yaml reads the log of samples
(`--log_samples`) and extracts answers as for every other model.
"""

# Exported as it stands, so it needs nothing but Python's own library.
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

_ANSWERS = {"choice": r"\b[A-Z]\b", "number": r"\d+", "boolean": r"\b(?:[Yy]es|[Nn]o)\b"}


def doc_to_text(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, str] | None = None) -> str:
    """The question as it is asked, between the model's own `pre_prompt` and `post_prompt`."""
    own = lmms_eval_specific_kwargs or {}
    return f"{own.get('pre_prompt', '')}{doc['prompt']}{own.get('post_prompt', '')}"


def doc_to_visual(doc: Mapping[str, Any]) -> list[Any]:
    """The one picture of the question, as RGB."""
    return [doc["image"].convert("RGB")]


def doc_to_target(doc: Mapping[str, Any]) -> str:
    """The right answer: a letter, a whole number in figures, or yes or no."""
    return str(doc["answer"])


def process_results(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, dict[str, Any]]:
    """What is scored of a question, by its variant; the log keeps the question's id with it."""
    response = results[0] if results else ""
    while isinstance(response, list | tuple):
        response = response[0] if response else ""
    named = {word.lower() for word in re.findall(_ANSWERS[doc["answer_kind"]], str(response))}
    score = float(named == {str(doc["answer"]).lower()})
    return {f"accuracy_{doc['variant']}": {"question_id": doc["question_id"], "group": doc["group"], "score": score}}


def accuracy(results: Sequence[Mapping[str, Any]]) -> float:
    """The share of questions whose response names the right answer and no other; 0 of none."""
    return sum(result["score"] for result in results) / len(results) if results else 0.0
