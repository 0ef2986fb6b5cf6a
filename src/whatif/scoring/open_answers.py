"""Open questions: a model answers in its own words, and the answer is extracted from them (C-VQA 4.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from whatif.models import Answer, Model, Question
from whatif.progress import progress
from whatif.scoring.extract_answer import Extracted, extract, is_correct
from whatif.scoring.rank import Pictures, fetch, majority_answers
from whatif.text.strategies import prompt

Row = Mapping[str, Any]


def open_predictions(
    questions: Iterable[Row],
    images: Pictures,
    model_key: str,
    model: Model,
    *,
    strategy: str,
) -> Iterator[dict[str, Any]]:
    """Rows of `predictions`, one for each row of `questions`, in ascending order of question_id.

    The prompt is the question in the words of the strategy. A response from which no answer, or more than one, can be
    extracted counts as wrong and keeps its status; nothing is guessed. An `error` keeps its reason.
    """
    rows = sorted(questions, key=lambda row: str(row["question_id"]))
    majority = majority_answers(rows)
    of_group: dict[str, set[str]] = {}
    for row in rows:
        of_group.setdefault(row["group"], set()).add(row["answer"])
    asked = [
        Question(
            question_id=row["question_id"],
            group=row["group"],
            variant=row["variant"],
            prompt=prompt(strategy, row["question"], row["answer_kind"]),
            image_ids=tuple(row["image_ids"]),
            images=fetch(images.get, row["image_ids"]),
            encoded_images=fetch(images.encoded, row["image_ids"]),
            majority_answer=majority[(row["group"], row["variant"])],
            group_answers=tuple(sorted(of_group[row["group"]])),
        )
        for row in rows
    ]
    for row, answer in zip(rows, progress(model.answer(asked), len(asked), model_key, "question"), strict=True):
        yield _prediction(row, model_key, strategy, answer)


def _prediction(row: Row, model_key: str, strategy: str, answer: Answer) -> dict[str, Any]:
    found = _extracted(row, answer)
    return {
        "question_id": row["question_id"],
        "model": model_key,
        "strategy": strategy,
        "response": answer.response,
        "choice_scores": None,
        "answer": found.answer,
        "status": answer.status if answer.status == "error" else found.status,
        "reason": answer.reason if answer.status == "error" else found.reason,
        "correct": answer.status != "error" and is_correct(found, row["answer"], row["answer_kind"]),
        "request_key": answer.request_key,
        "prompt_tokens": answer.prompt_tokens,
        "response_tokens": answer.response_tokens,
    }


def _extracted(row: Row, answer: Answer) -> Extracted:
    if answer.response is None:
        return Extracted(None, "none", answer.reason or "no response")
    return extract(answer.response, row["answer_kind"], row["question"])
