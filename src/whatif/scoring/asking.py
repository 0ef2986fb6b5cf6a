"""What ranking and open questions share: how a question is put, and the row of `predictions` that its answer makes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from whatif.engine.artifacts.images import DecodedPictures, EncodedPictures
from whatif.engine.files.image_decoding import decode
from whatif.engine.language.messages import ImagePart, Messages, images_in
from whatif.models import Answer, OptionScore, Question
from whatif.scoring.extraction.answer import Extracted, is_correct

if TYPE_CHECKING:
    from PIL.Image import Image

Row = Mapping[str, Any]
Fetched = TypeVar("Fetched")
_KEPT = 4  # decoded images: the questions about an image follow each other


class Pictures(DecodedPictures, EncodedPictures, Protocol):
    """Source of images by id, decoded or as stored (`ImageStore`)."""


class WithExamples:
    """The images of a benchmark, and those of the worked examples of a strategy. The last ones are kept decoded."""

    def __init__(self, images: Pictures, examples: Mapping[str, bytes]) -> None:
        self._images = images
        self._examples = examples
        self._decoded = lru_cache(_KEPT)(self._decode)

    def get(self, image_id: str) -> Image:
        """The decoded image, which the caller must not change. Raises OSError when it cannot be decoded."""
        return self._decoded(image_id)

    def _decode(self, image_id: str) -> Image:
        return decode(self._examples[image_id]) if image_id in self._examples else self._images.get(image_id)

    def encoded(self, image_id: str) -> bytes:
        """The bytes of the image."""
        return self._examples[image_id] if image_id in self._examples else self._images.encoded(image_id)


def image_parts(row: Row) -> list[ImagePart]:
    """The images of a question. A benchmark that labels them for a composite adds `image_labels` to the row."""
    labels = row.get("image_labels") or [None] * len(row["image_ids"])
    return [ImagePart(image_id, label) for image_id, label in zip(row["image_ids"], labels, strict=True)]


def question_of(row: Row, messages: Messages, images: Pictures, **more: Any) -> Question:
    """The question of a row in this conversation; `more` are further fields of `Question`."""
    image_ids = [image.image_id for image in images_in(messages)]
    return Question(
        question_id=row["question_id"],
        group=row["group"],
        variant=row["variant"],
        messages=messages,
        text=row.get("question", ""),
        images=_fetch(images.get, image_ids),
        encoded_images=_fetch(images.encoded, image_ids),
        **more,
    )


def _fetch(one: Callable[[str], Fetched], image_ids: Sequence[str]) -> Callable[[], list[Fetched]]:
    """Fetches all images of a question, one by one, when the model needs them."""
    return lambda: [one(image_id) for image_id in image_ids]


def score_row(
    score: OptionScore, *, without_image: float | None = None, without_prompt: float | None = None
) -> dict[str, Any]:
    """An element of `choice_scores`: an option's score, and its unconditional log-likelihoods where they are known."""
    return {
        "log_likelihood": score.log_likelihood,
        "tokens": score.tokens,
        "mean": score.mean,
        "at_most": score.at_most,
        "without_image": without_image,
        "without_prompt": without_prompt,
    }


def prediction(
    row: Row, model_key: str, strategy: str, answer: Answer, found: Extracted, **more: Any
) -> dict[str, Any]:
    """A row of `predictions`: what was found in an answer, which counts only if the model gave one.

    `more` are columns that only one way of asking has.
    """
    answer = answer.without_reasoning()
    answered = answer.status == "ok"
    scores, sizes = answer.option_scores, answer.image_sizes
    return {
        "question_id": row["question_id"],
        "model": model_key,
        "strategy": strategy,
        "response": answer.response,
        "reasoning": answer.reasoning,
        "choice_scores": None if scores is None else [score_row(score) for score in scores],
        "answer": found.answer if answered else None,
        "status": found.status if answered else answer.status,
        "reason": found.reason if answered else answer.reason,
        "correct": answered and is_correct(found, row["answer"], row["answer_kind"]),
        "read_by": found.read_by if answered else None,
        "request_key": answer.request_key,
        "prompt_tokens": answer.prompt_tokens,
        "response_tokens": answer.response_tokens,
        "finish": answer.finish,
        "image_form": answer.image_form,
        "image_sizes": None if sizes is None else [{"width": width, "height": height} for width, height in sizes],
        "image_tokens": answer.image_tokens,
        "earlier_turns": None,
        "example_ids": None,
        "samples": None,
        "program": None if answer.program is None else dataclasses.asdict(answer.program),
        **more,
    }
