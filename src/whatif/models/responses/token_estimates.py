"""Estimates how many tokens an endpoint will count: by rules of thumb, or by means of earlier counts."""

from __future__ import annotations

import heapq
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from whatif.models import Answer, Model, Question, Unconditional, unconditional_of
from whatif.models.responses.store import ResponseStore, model_label
from whatif.models.responses.stored import StoredModel
from whatif.models.responses.tallies import tallies

_CHARACTERS = 4  # of English text per token
# Image tokens by the published rule of OpenAI's larger models: the image is fitted into a square, its shorter side is
# scaled to a fixed length, and the tiles are counted.
_LARGEST_SQUARE, _SHORTER_SIDE, _TILE = 2048, 768, 512  # pixels
_TOKENS_OF_PICTURE, _TOKENS_OF_TILE = 85, 170
_SAMPLE = 100  # questions whose images are read
RULE_OF_THUMB = "by rule of thumb: 4 characters per token, images by their size, responses of max_new_tokens"


@dataclass(frozen=True)
class Estimate:
    """The expected cost of asking. Money follows from the tokens; `seconds` is None if no times are known."""

    questions: int
    asked: int
    prompt_tokens: int
    response_tokens: int
    seconds: float | None
    basis: str


def picture_tokens(width: int, height: int) -> int:
    """Tokens of an image of a size in pixels; small images are not enlarged."""
    shrink = min(1.0, _LARGEST_SQUARE / max(width, height))
    shrink *= min(1.0, _SHORTER_SIDE / (min(width, height) * shrink))
    across, down = (max(1, math.ceil(round(side * shrink) / _TILE)) for side in (width, height))
    tiles = across * down
    return _TOKENS_OF_PICTURE + _TOKENS_OF_TILE * tiles


def prompt_tokens(question: Question, *, takes_images: bool = True) -> float:
    """Tokens of a question and its images; 0 if an image cannot be read, because the question is then not sent."""
    from PIL import Image

    try:
        sizes = []
        for data in question.encoded_images() if takes_images else ():
            with Image.open(io.BytesIO(data)) as picture:
                sizes.append(picture.size)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return 0
    characters = sum(len(message.text) for message in question.messages)
    return characters / _CHARACTERS + sum(picture_tokens(*size) for size in sizes)


def _by_rule(question: Question, identity: Mapping[str, Any]) -> tuple[float, float]:
    """Tokens of the prompts and the responses of all requests for a question."""
    ranking = identity.get("ranking") if question.options else None
    tokens = prompt_tokens(question, takes_images=identity.get("takes_images", True))
    if ranking is None:
        # A strategy may allow a longer response than the model's settings.
        room = (identity.get("reasoning") or {}).get("budget_tokens", 0)
        return tokens, float(room + max(identity.get("max_new_tokens", 0), question.max_new_tokens or 0))
    # One request for all letters; for texts one without an option and one for each.
    requests = 1 + len(question.options) if "prompt_log_probabilities" in ranking else 1
    return requests * tokens, float(requests)


@dataclass
class Unasked:
    """Replaces a model and asks nothing: it records which questions have no stored answer.

    Stored answers are returned; other questions get an empty response, so that a second turn is planned too.
    """

    model: Model
    store: ResponseStore
    known: dict[str, Answer] = field(default_factory=dict)
    missing: dict[str, Question] = field(default_factory=dict)

    @property
    def identity(self) -> Mapping[str, Any]:
        """The model's identity."""
        return self.model.identity or {}

    @property
    def unconditional(self) -> tuple[Unconditional, ...]:
        """The unconditional likelihoods that the model would be asked for."""
        return unconditional_of(self.model)

    def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
        """An answer to each question, in the same order."""
        found = StoredModel(self.model, self.identity, self.store).known(questions)
        for question, (key, answer) in zip(questions, found, strict=True):
            if answer is None:
                self.missing[key] = question
            else:
                self.known[key] = answer
        return iter([Answer(response="") if answer is None else answer for _, answer in found])

    def estimate(self) -> Estimate:
        """The cost of asking the missing questions, by the mean of stored answers or by rules of thumb."""
        asked, questions = len(self.missing), len(self.missing) + len(self.known)
        counted = [
            (answer.prompt_tokens, answer.response_tokens)
            for answer in self.known.values()
            if answer.prompt_tokens is not None and answer.response_tokens is not None
        ]
        label, address = model_label(self.identity), self.identity.get("base_url")
        tally = next((one for one in tallies(self.store.path) if (one.model, one.base_url) == (label, address)), None)
        if counted:
            prompt, response = (fmean(numbers) for numbers in zip(*counted, strict=True))
            basis = f"by the mean of {len(counted):,} stored answers to this benchmark"
        elif tally is not None and tally.counted:
            prompt, response = tally.prompt_tokens / tally.counted, tally.response_tokens / tally.counted
            basis = f"by the mean of {tally.counted:,} stored answers to other questions"
        else:
            # Keys are hashes, so the smallest ones are a random sample that is always the same.
            sample = heapq.nsmallest(_SAMPLE, self.missing)
            rules = [_by_rule(self.missing[key], self.identity) for key in sample]
            prompt, response = (fmean(numbers) for numbers in zip(*rules, strict=True)) if rules else (0.0, 0.0)
            basis = RULE_OF_THUMB
        seconds = tally.seconds / tally.timed * asked if tally is not None and tally.timed else None
        return Estimate(questions, asked, round(prompt * asked), round(response * asked), seconds, basis)
