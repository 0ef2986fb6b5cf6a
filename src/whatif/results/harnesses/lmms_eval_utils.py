"""Functions that lmms-eval calls for a published data set: prompt, images, score of each question, and accuracies.

Answers are extracted by whatif (`pip install whatif-bench`), so a response has the score that it has there.
"""

# This file is exported unchanged as utils.py.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from whatif.results.harnesses import scores


def process_docs(dataset: Any) -> Any:
    """The questions whose images were all published."""
    from datasets import Image, List

    name = "image" if "image" in dataset.column_names else "images"
    encoded = Image(decode=False)
    rows = dataset.select_columns([name]).cast_column(name, encoded if name == "image" else List(encoded))
    return dataset.select([number for number, row in enumerate(rows) if scores.shown(row) is not None])


def doc_to_text(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, str] | None = None) -> str:
    """The question's prompt, between the model's own `pre_prompt` and `post_prompt`."""
    own = lmms_eval_specific_kwargs or {}
    return f"{own.get('pre_prompt', '')}{scores.asked(doc)}{own.get('post_prompt', '')}"


def doc_to_visual(doc: Mapping[str, Any]) -> list[Any]:
    """The question's images, in order, as RGB."""
    return [image.convert("RGB") for image in scores.shown(doc) or ()]


def doc_to_target(doc: Mapping[str, Any]) -> str:
    """The correct answer: a letter, a number in digits, yes or no, or words."""
    return str(doc["answer"])


def process_results_of_pairs(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, dict[str, Any]]:
    """The score of a question in a set with original and counterfactual questions."""
    found = _outcome(doc, results)
    # The tool computes a standard error from every `score`; that of a question says nothing about pairs.
    of_pair = {"of_pair" if name == "score" else name: value for name, value in found.items()}
    return {scores.measure(doc, paired=True): found, scores.PAIR_ACCURACY: of_pair}


def process_results_of_groups(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, dict[str, Any]]:
    """The score of a question in any other set, keyed by its group and variant."""
    return {scores.measure(doc, paired=False): _outcome(doc, results)}


def accuracy(results: Sequence[Mapping[str, Any]]) -> float:
    """The share of questions that were answered correctly."""
    return scores.accuracy(results)


def pair_accuracy(results: Sequence[Mapping[str, Any]]) -> float:
    """The share of pairs of questions that were both answered correctly."""
    return scores.pair_accuracy([{**one, "score": one["of_pair"]} for one in results])


def _outcome(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    response = results[0] if results else ""
    while isinstance(response, list | tuple):
        response = response[0] if response else ""
    scored = scores.score(doc, "" if response is None else str(response))
    said = {"answer": scored.answer, "status": scored.status, "reason": scored.reason}
    return {**scores.outcome(doc, scored.correct), **said}
