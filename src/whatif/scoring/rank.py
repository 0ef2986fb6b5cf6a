"""Multiple-choice questions: a model ranks the options, or names one in its own words (C-VQA 4.2, CFMM 3.4).

How a question is put depends on its form:

| form | prompt | what answers |
|---|---|---|
| `rank-text` | the question alone | the likeliest text of an option |
| `rank-letter` | the question with its lettered options | the likeliest letter |
| `words` | the same, and the form of the answer that is wanted | the letter or text in a response |
| `open` | the question alone | the text in a response; a letter was not shown and names nothing |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

from whatif.artifacts.images import DecodedPictures, EncodedPictures
from whatif.errors import WhatifError
from whatif.language.options import LETTERS, printed_question
from whatif.language.strategies import DIRECT, prompt
from whatif.models import Answer, Model, OptionScore, Question, note_of
from whatif.params.models import MultipleChoice
from whatif.progress import progress
from whatif.scoring.extraction.answer import Extracted
from whatif.scoring.said import answer_in

Row = Mapping[str, Any]
Rule: TypeAlias = Literal["mean", "sum"]
Fetched = TypeVar("Fetched")


class Pictures(DecodedPictures, EncodedPictures, Protocol):
    """Where pictures are fetched by id, decoded or as they were stored (`ImageStore`)."""


def predictions(
    questions: Iterable[Row],
    images: Pictures,
    model_key: str,
    model: Model,
    *,
    form: MultipleChoice,
    rule: Rule,
    majority: Mapping[tuple[str, str], str] | None = None,
) -> Iterator[dict[str, Any]]:
    """Rows of `predictions`, one for each row of `questions`, in ascending order of question_id.

    `images` is asked for a picture when the model wants to look, not before. `form` says how the questions are put, as
    the table above has it, and `rule` which option wins where they are ranked, see `best`.
    `majority` is what `majority_answers` found in the whole set: give it when `questions` are only a shard of it,
    or the baseline `majority` depends on the shards; without it the letters of these questions are counted.
    A response in which no option can be made out, or that was cut off before it named one, is `none` or `ambiguous`.
    A question that could not be answered stays, with its status and reason, and counts as wrong.

    Raises WhatifError when a question has no choices, or no right letter among them.
    """
    rows = sorted(questions, key=lambda row: str(row["question_id"]))
    letters = majority_answers(rows) if majority is None else majority
    asked = []
    for row in rows:
        letters_of = _letters(row)
        asked.append(
            Question(
                question_id=row["question_id"],
                group=row["group"],
                variant=row["variant"],
                prompt=_prompt(row, form),
                options={"rank-letter": letters_of, "rank-text": tuple(row["choices"])}.get(form, ()),
                image_ids=tuple(row["image_ids"]),
                images=fetch(images.get, row["image_ids"]),
                encoded_images=fetch(images.encoded, row["image_ids"]),
                majority_answer=letters.get((row["group"], row["variant"])),
            )
        )
    answers = progress(model.answer(asked), len(asked), model_key, "question", note=note_of(model))
    for row, answer in zip(rows, answers, strict=True):
        yield _prediction(row, model_key, answer, form, rule)


def best(scores: Sequence[OptionScore], rule: Rule) -> int:
    """The place of the winning option: the first one among equals.

    By `mean` the option with the highest log-likelihood a token wins, that is, the one with the lowest mean loss
    (CFMM 3.4); by `sum` the one with the highest log-likelihood, which favours options of few tokens.
    """
    values = [score.mean if rule == "mean" else score.log_likelihood for score in scores]
    return max(range(len(values)), key=values.__getitem__)  # max keeps the first among equals


def majority_answers(questions: Iterable[Row]) -> dict[tuple[str, str], str]:
    """What is right most often, by (group, variant): a letter where there are options; among equals the first."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for row in questions:
        counts.setdefault((row["group"], row["variant"]), Counter())[row["answer"]] += 1
    return {key: min(count, key=lambda letter: (-count[letter], letter)) for key, count in counts.items()}


def _prompt(row: Row, form: MultipleChoice) -> str:
    if form in ("rank-text", "open"):
        return str(row["question"])
    printed = printed_question(row["question"], row["choices"])
    return printed if form == "rank-letter" else prompt(DIRECT, printed, "choice")


def _letters(row: Row) -> tuple[str, ...]:
    choices = row["choices"]
    if not choices:
        raise WhatifError(f"question {row['question_id']}: has no choices; only multiple-choice questions are ranked")
    if len(choices) > len(LETTERS):
        raise WhatifError(f"question {row['question_id']}: has {len(choices)} choices; there are letters for 26")
    letters = tuple(LETTERS[: len(choices)])
    if row["answer"] not in letters:
        raise WhatifError(
            f"question {row['question_id']}: its answer {row['answer']!r} is none of {', '.join(letters)}"
        )
    return letters


def fetch(one: Callable[[str], Fetched], image_ids: Sequence[str]) -> Callable[[], list[Fetched]]:
    """Fetches all pictures of a question, one by one, when the model wants to look."""
    return lambda: [one(image_id) for image_id in image_ids]


def _prediction(row: Row, model_key: str, answer: Answer, form: MultipleChoice, rule: Rule) -> dict[str, Any]:
    scores = answer.option_scores
    found = Extracted(answer.letter, "ok", None)
    if scores is not None and answer.status == "ok":
        found = Extracted(LETTERS[best(scores, rule)], "ok", None)
    elif answer.response is not None and answer.letter is None:
        shown = form in ("rank-letter", "words")
        found = answer_in(answer, row if shown else {**row, "answer_kind": "option text"})
    status, reason = (found.status, found.reason) if answer.status == "ok" else (answer.status, answer.reason)
    return {
        "question_id": row["question_id"],
        "model": model_key,
        "strategy": DIRECT,
        "response": answer.response,
        "choice_scores": None if scores is None else [{**asdict(score), "mean": score.mean} for score in scores],
        "answer": found.answer,
        "status": status,
        "reason": reason,
        "correct": status == "ok" and found.answer == row["answer"],
        "request_key": answer.request_key,
        "prompt_tokens": answer.prompt_tokens,
        "response_tokens": answer.response_tokens,
    }
