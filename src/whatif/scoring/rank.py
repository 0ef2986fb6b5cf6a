"""Answer ranking: the option whose words a model finds most likely is its answer (C-VQA 4.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from whatif.errors import WhatifError
from whatif.models import Answerer, ChoiceAnswer, ChoiceQuestion
from whatif.progress import progress
from whatif.text.options import LETTERS, printed_question

if TYPE_CHECKING:
    from PIL.Image import Image

Row = Mapping[str, Any]
STRATEGY = "direct"


def predictions(
    questions: Iterable[Row],
    images: Callable[[str], Image],
    model_key: str,
    answerer: Answerer,
    *,
    rank: Literal["letter", "text"],
    majority: Mapping[tuple[str, str], str] | None = None,
) -> Iterator[dict[str, Any]]:
    """Rows of `predictions`, one for each row of `questions`, in ascending order of question_id.

    `images` fetches a picture by id (`ImageStore.get`); it is called when an answerer wants to look, not before.
    By `letter`, the prompt is the question as printed, with its options, and the letters are ranked; by `text`, the
    prompt is the open question, and the options themselves are ranked.
    `majority` is what `majority_letters` found in the whole set: give it when `questions` are only a shard of it,
    or the baseline `majority` depends on the shards; without it the letters of these questions are counted.
    A question that could not be answered stays, with its status and reason, and counts as wrong.

    Raises WhatifError when a question has no choices, or no right letter among them.
    """
    rows = sorted(questions, key=lambda row: str(row["question_id"]))
    letters = majority_letters(rows) if majority is None else majority
    asked = []
    for row in rows:
        options = _letters(row)
        asked.append(
            ChoiceQuestion(
                question_id=row["question_id"],
                group=row["group"],
                variant=row["variant"],
                prompt=printed_question(row["question"], row["choices"]) if rank == "letter" else row["question"],
                options=options if rank == "letter" else tuple(row["choices"]),
                images=_fetch(images, row["image_ids"]),
                majority_letter=letters.get((row["group"], row["variant"])),
            )
        )
    for row, answer in zip(rows, progress(answerer(asked), len(asked), model_key, "question"), strict=True):
        yield _prediction(row, model_key, answer)


def majority_letters(questions: Iterable[Row]) -> dict[tuple[str, str], str]:
    """The letter that is right most often, by (group, variant); the first in the alphabet among equals."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for row in questions:
        counts.setdefault((row["group"], row["variant"]), Counter())[row["answer"]] += 1
    return {key: min(count, key=lambda letter: (-count[letter], letter)) for key, count in counts.items()}


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


def _fetch(images: Callable[[str], Image], image_ids: Sequence[str]) -> Callable[[], list[Image]]:
    return lambda: [images(image_id) for image_id in image_ids]


def _prediction(row: Row, model_key: str, answer: ChoiceAnswer) -> dict[str, Any]:
    return {
        "question_id": row["question_id"],
        "model": model_key,
        "strategy": STRATEGY,
        "response": answer.response,
        "choice_scores": None if answer.choice_scores is None else list(answer.choice_scores),
        "answer": answer.letter,
        "status": answer.status,
        "reason": answer.reason,
        "correct": answer.status == "ok" and answer.letter == row["answer"],
        "request_key": answer.request_key,
        "prompt_tokens": answer.prompt_tokens,
        "response_tokens": answer.response_tokens,
    }
