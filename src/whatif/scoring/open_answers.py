"""Asks open questions: a model answers in its own words, and the answer is extracted from them (C-VQA 4.1)."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from whatif.language.options import printed_question
from whatif.language.strategies import SecondPrompt, prompt, second_prompt
from whatif.models import Answer, Model, Question, note_of
from whatif.progress import progress
from whatif.scoring.extraction.answer import is_correct
from whatif.scoring.rank import Pictures, fetch, majority_answers
from whatif.scoring.said import answer_in

Row = Mapping[str, Any]


def open_predictions(
    questions: Iterable[Row],
    images: Pictures,
    model_key: str,
    model: Model,
    *,
    strategy: str,
    pairs: Container[str] | None = None,
) -> Iterator[dict[str, Any]]:
    """Rows of `predictions`, one for each row of `questions`, in ascending order of question_id.

    If `pairs` is given, only their questions are asked; the baselines' knowledge is of all `questions`.

    The prompt is the question (with its options, if any) as worded by the strategy. With a strategy of two turns each
    question is asked again in a prompt that contains its first response; the second response counts. A response from
    which no answer, or more than one, can be extracted counts as wrong and keeps its status, and so does a response
    that was cut off; nothing is guessed. An unanswered question keeps its reason.
    """
    every = sorted(questions, key=lambda row: str(row["question_id"]))
    majority = majority_answers(every)
    of_group: dict[str, set[str]] = {}
    for row in every:
        of_group.setdefault(row["group"], set()).add(row["answer"])
    rows = [row for row in every if pairs is None or row["pair_id"] in pairs]
    asked = [
        Question(
            question_id=row["question_id"],
            group=row["group"],
            variant=row["variant"],
            prompt=prompt(strategy, printed_question(row["question"], row["choices"]), row["answer_kind"]),
            image_ids=tuple(row["image_ids"]),
            images=fetch(images.get, row["image_ids"]),
            encoded_images=fetch(images.encoded, row["image_ids"]),
            majority_answer=majority[(row["group"], row["variant"])],
            group_answers=tuple(sorted(of_group[row["group"]])),
        )
        for row in rows
    ]

    def ask(asked: Sequence[Question]) -> Iterable[Answer]:
        return progress(model.answer(asked), len(asked), model_key, "question", note=note_of(model))

    again = second_prompt(strategy)
    answers = ask(asked) if again is None else _second_turn(rows, asked, list(ask(asked)), again, ask)
    for row, answer in zip(rows, answers, strict=True):
        yield _prediction(row, model_key, strategy, answer)


def _second_turn(
    rows: Sequence[Row],
    asked: Sequence[Question],
    first: Sequence[Answer],
    again: SecondPrompt,
    ask: Callable[[Sequence[Question]], Iterable[Answer]],
) -> Iterator[Answer]:
    """Answers to the second prompts, with the tokens of both turns; without a first response there is no second."""
    questions = [
        replace(
            question, prompt=again(printed_question(row["question"], row["choices"]), row["answer_kind"], said.response)
        )
        for row, question, said in zip(rows, asked, first, strict=True)
        if said.status == "ok" and said.response is not None
    ]
    second = iter(ask(questions))
    for said in first:
        if said.status != "ok" or said.response is None:
            yield said
            continue
        answer = next(second)
        yield replace(
            answer,
            prompt_tokens=_sum(said.prompt_tokens, answer.prompt_tokens),
            response_tokens=_sum(said.response_tokens, answer.response_tokens),
        )


def _sum(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else first + second


def _prediction(row: Row, model_key: str, strategy: str, answer: Answer) -> dict[str, Any]:
    found = answer_in(answer, row)
    status, reason = (found.status, found.reason) if answer.status == "ok" else (answer.status, answer.reason)
    return {
        "question_id": row["question_id"],
        "model": model_key,
        "strategy": strategy,
        "response": answer.response,
        "choice_scores": None,
        "answer": found.answer if answer.status == "ok" else None,
        "status": status,
        "reason": reason,
        "correct": status == "ok" and is_correct(found, row["answer"], row["answer_kind"]),
        "request_key": answer.request_key,
        "prompt_tokens": answer.prompt_tokens,
        "response_tokens": answer.response_tokens,
    }
