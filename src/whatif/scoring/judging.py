"""Asks a judge, a second model, which answer a response gives where the rules of extraction find none or several.

The judge reads the question and the response, never the image. Its replies are kept beside the predictions, which do
not change. A reply outside its format counts as no answer, and nothing in it is used. An answer that does
not occur in the response is the judge's own, and is counted apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from whatif.engine.language.finish_reasons import WITHHELD, ending
from whatif.engine.language.judges import NO_ANSWER, answer_of, conversation, read
from whatif.engine.language.reasoning import ended_in_reasoning, split_reasoning
from whatif.models import Answer, Model, Question
from whatif.models.shown_progress import with_progress
from whatif.scoring.extracted_answer import CUT_OFF
from whatif.scoring.extraction.answer import Extracted, is_correct
from whatif.scoring.occurrence import occurs

Row = Mapping[str, Any]

Response: TypeAlias = tuple[str, str, str]  # question_id, model, strategy

FINDS_NONE = "the judge finds no answer"
OUTSIDE = "the judge's reply is outside its format"
NOT_IN_RESPONSE = "not in the response"  # a status: the judge's answer does not occur there
_SENTENCE = 3  # words of an answer that may be a sentence
_UNDECIDED = ("none", "ambiguous")  # statuses of predictions that a judge is asked about


def is_judged(prediction: Row, kind: str) -> bool:
    """Whether a judge is asked about a prediction: it has a response in which the rules found no single answer.

    `kind` is the kind of answer to its question. The rules take a whole response to an open question about a `text` as
    the answer, so one of several words that is not right word for word is a sentence that may give it: it is judged.

    Errors are not judged, and neither are responses that were cut off or withheld: what they would have concluded is
    not known. Nor are questions with several samples, whose majority one response does not represent.
    """
    if prediction["samples"] is not None:
        return False
    if prediction["status"] not in _UNDECIDED and not _is_sentence(prediction, kind):
        return False
    reason = str(prediction["reason"])
    is_part = reason.startswith((CUT_OFF, WITHHELD)) or ended_in_reasoning(reason)
    is_part = is_part or ending(prediction["finish"]) == "limit"
    return bool((prediction["response"] or "").strip()) and not is_part


def _is_sentence(prediction: Row, kind: str) -> bool:
    words = len((prediction["answer"] or "").split())
    return kind == "text" and prediction["status"] == "ok" and not prediction["correct"] and words >= _SENTENCE


def response_of(row: Row) -> Response:
    """The response that a row of `predictions`, of `judged` or of labels is about."""
    return row["question_id"], row["model"], row["strategy"]


def judged(
    questions: Iterable[Row], predictions: Iterable[Row], judge_key: str, judge: Model, *, prompt: str
) -> Iterator[dict[str, Any]]:
    """Rows of `judged`, one for each prediction that is to be judged (`is_judged`), in ascending order of its key.

    `questions` include those of the predictions. Raises KeyError when one is missing, and WhatifError for an unknown
    prompt.
    """
    by_id = {row["question_id"]: row for row in questions}
    kinds = {name: row["answer_kind"] for name, row in by_id.items()}
    rows = sorted((row for row in predictions if is_judged(row, kinds[row["question_id"]])), key=response_of)
    limit = read(prompt).max_new_tokens
    asked = [_question(by_id[row["question_id"]], row, prompt, limit) for row in rows]
    replies = with_progress(judge.answer(asked), len(asked), judge, judge_key, "response")
    for row, reply in zip(rows, replies, strict=True):
        yield _judged(by_id[row["question_id"]], row, judge_key, prompt, reply)


def with_judge(predictions: Iterable[Row], rows: Iterable[Row]) -> Iterator[Row]:
    """The predictions, with the answer of the judge where it found one; all others are unchanged."""
    decided = {response_of(row): row for row in rows if row["status"] == "ok"}
    for prediction in predictions:
        found = decided.get(response_of(prediction))
        if found is None:
            yield prediction
        else:
            yield {**prediction, "status": "ok", "reason": None, "answer": found["answer"], "correct": found["correct"]}


def _question(question: Row, prediction: Row, prompt: str, limit: int | None) -> Question:
    return Question(
        question_id=question["question_id"],
        group=question["group"],
        variant=question["variant"],
        messages=conversation(
            prompt,
            question["question"],
            question["answer_kind"],
            split_reasoning(prediction["response"]).rest,
            question["choices"],
        ),
        max_new_tokens=limit,
    )


def _judged(question: Row, prediction: Row, judge_key: str, prompt: str, reply: Answer) -> dict[str, Any]:
    status, answer, reason = _read(question, prediction["response"], reply)
    right = is_correct(Extracted(answer, "ok", None), question["answer"], question["answer_kind"])
    return {
        "question_id": prediction["question_id"],
        "model": prediction["model"],
        "strategy": prediction["strategy"],
        "judge": judge_key,
        "prompt": prompt,
        "by_rules": prediction["status"],
        "status": status,
        "answer": answer,
        "correct": right,
        "reason": reason,
        "response": reply.response,
        "request_key": reply.request_key,
        "prompt_tokens": reply.prompt_tokens,
        "response_tokens": reply.response_tokens,
        "finish": reply.finish,
    }


def _read(question: Row, response: str, reply: Answer) -> tuple[str, str | None, str | None]:
    """Status, answer and reason of a reply."""
    if reply.status != "ok" or reply.response is None:
        return "error", None, reply.reason or "the judge gave no reply"
    answer = answer_of(reply.without_reasoning().response or "", question["answer_kind"], question["choices"])
    if answer is None or reply.cut_off:  # the last number or word of a reply that was cut off may not be whole
        return "none", None, OUTSIDE
    if answer == NO_ANSWER:
        return "none", None, FINDS_NONE
    answered = split_reasoning(response).rest
    if not occurs(answer, question["answer_kind"], question["question"], question["choices"], answered):
        return NOT_IN_RESPONSE, None, f"the judge's answer is not in the response: {answer}"
    return "ok", answer, None
