"""A checkpoint on this machine that ranks options and answers open questions; adapters say how it is prompted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

from whatif.errors import WhatifError
from whatif.models import Answer, OptionScore, Question
from whatif.models.generation import Batches
from whatif.text.options import LETTERS

if TYPE_CHECKING:
    from PIL.Image import Image

# Open questions are sorted by length within so many batches: prompts of like length waste little on padding, and an
# interrupted run has still yielded most of what it had done.
_WINDOW = 8


class UnfitQuestionError(ValueError):
    """A question that a model cannot be asked, for example one with two pictures where it takes one."""


@dataclass(frozen=True)
class Prompt:
    """What a model is shown: the words, and the decoded pictures."""

    text: str
    images: Sequence[Image]


@dataclass(frozen=True)
class Checkpoint:
    """What an adapter makes of a checkpoint.

    `encode` turns prompts into the model's inputs (rows x tokens, padded on the left) and may raise
    UnfitQuestionError; `score` ranks options (token ids) after a prompt encoded alone; `generate` gives the new tokens
    of each row, `decode` their text; `option_tokens` are the token ids of an option as it stands after a prompt.
    """

    encode: Callable[[Sequence[Prompt]], Mapping[str, Any]]
    option_tokens: Callable[[str], list[int]]
    score: Callable[[Mapping[str, Any], Sequence[list[int]]], tuple[OptionScore, ...]]
    generate: Callable[[Mapping[str, Any]], list[list[int]]]
    decode: Callable[[list[int]], str]
    looks: bool = True  # whether it is shown the pictures


@dataclass
class LocalModel:
    """Answers questions with a checkpoint: with options by ranking, without by greedy generation in batches.

    Nothing is drawn. A question whose picture cannot be decoded, whose scores are not numbers, or that does not fit
    the model is an `error` with its reason, and the run goes on. Batches change no answer, only the time.
    """

    checkpoint: Checkpoint
    identify: Callable[[], Mapping[str, Any]]
    batches: Batches = field(default_factory=lambda: Batches(1))

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        """See `whatif.models.Model`. Reads all files of a local checkpoint the first time."""
        return self.identify()

    def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
        """One answer a question, in order. Raises WhatifError when memory does not hold a single question."""
        import torch

        try:
            yield from self._answers(questions)
        except torch.OutOfMemoryError as error:
            raise WhatifError(
                "out of memory with a single question; give a smaller dtype, a smaller checkpoint or another device"
            ) from error

    def _answers(self, questions: Sequence[Question]) -> Iterator[Answer]:
        for ranked, group in groupby(questions, key=lambda question: bool(question.options)):
            asked = list(group)
            if ranked:
                yield from map(self._rank, asked)
                continue
            window = _WINDOW * self.batches.size
            for start in range(0, len(asked), window):
                yield from self._say(asked[start : start + window])

    def _rank(self, question: Question) -> Answer:
        empty = [letter for letter, option in zip(LETTERS, question.options, strict=False) if not option.strip()]
        if empty:
            return Answer(status="error", reason=f"option {empty[0]} is empty: there is nothing to rank")
        try:
            inputs = self.checkpoint.encode([self._prompt(question)])
        except (OSError, UnfitQuestionError) as error:
            return _refused(error)
        options = [self.checkpoint.option_tokens(option) for option in question.options]
        scores = self.checkpoint.score(inputs, options)
        counts = {"prompt_tokens": inputs["input_ids"].shape[1], "response_tokens": sum(map(len, options))}
        values = [score.log_likelihood for score in scores]
        if not all(map(math.isfinite, values)):
            return Answer(status="error", reason=f"the model's scores are not numbers: {values}", **counts)
        return Answer(option_scores=scores, **counts)

    def _say(self, questions: Sequence[Question]) -> list[Answer]:
        """Answers of open questions, asked in order of length, each batch with as many pictures in every question."""
        answers: dict[int, Answer] = {}
        places = sorted(range(len(questions)), key=lambda place: _size(questions[place]))
        for _, same in groupby(places, key=lambda place: len(questions[place].image_ids)):
            batch = list(same)
            made = self.batches.run([questions[place] for place in batch], self._say_at_once)
            answers.update(zip(batch, made, strict=True))
        return [answers[place] for place in range(len(questions))]

    def _say_at_once(self, questions: Sequence[Question]) -> list[Answer]:
        answers: list[Answer | None] = []
        prompts = []
        for question in questions:
            try:
                prompts.append(self._prompt(question))
                answers.append(None)
            except (OSError, UnfitQuestionError) as error:
                answers.append(_refused(error))
        said = iter(self._responses(prompts) if prompts else [])
        return [next(said) if answer is None else answer for answer in answers]

    def _responses(self, prompts: Sequence[Prompt]) -> list[Answer]:
        try:
            inputs = self.checkpoint.encode(prompts)
        except UnfitQuestionError as error:
            if len(prompts) > 1:  # which one it is shows when each is asked alone
                return [answer for prompt in prompts for answer in self._responses([prompt])]
            return [_refused(error)]
        lengths = inputs["attention_mask"].sum(dim=1).tolist()
        return [
            Answer(response=self.checkpoint.decode(tokens), prompt_tokens=length, response_tokens=len(tokens))
            for tokens, length in zip(self.checkpoint.generate(inputs), lengths, strict=True)
        ]

    def _prompt(self, question: Question) -> Prompt:
        return Prompt(question.prompt, question.images() if self.checkpoint.looks else ())


def _size(question: Question) -> tuple[int, int]:
    return len(question.image_ids), len(question.prompt)


def _refused(error: OSError | UnfitQuestionError) -> Answer:
    reason = str(error) if isinstance(error, UnfitQuestionError) else f"picture cannot be decoded: {error}"
    return Answer(status="error", reason=reason)
