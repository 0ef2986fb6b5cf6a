"""A checkpoint on this machine that ranks options and answers open questions; adapters say how it is prompted."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

from whatif.errors import WhatifError
from whatif.language.options import LETTERS
from whatif.models import Answer, OptionScore, Question
from whatif.models.local.faults import about_one_question, device_failed, first_line, out_of_memory
from whatif.models.local.generation import Batches

if TYPE_CHECKING:
    from PIL.Image import Image

# Open questions are sorted by length within so many batches: prompts of like length waste little on padding, and an
# interrupted run has still yielded most of what it had done.
_WINDOW = 8


class UnfitQuestionError(ValueError):
    """A question that a model cannot be asked, for example one with two pictures where it takes one."""


@dataclass(frozen=True)
class Prompt:
    """What a model is shown: the words, and the decoded pictures; equal `image_ids` stand for the same pictures."""

    text: str
    images: Sequence[Image]
    image_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Checkpoint:
    """What an adapter makes of a checkpoint.

    `encode` turns prompts into the model's inputs (rows x tokens, padded on the left) and may raise
    UnfitQuestionError; `score` ranks options (token ids) after a prompt encoded alone; `generate` gives the new tokens
    of each row, up to and with one of `ends`, `decode` their text; `option_tokens` are the token ids of an option as
    it stands after a prompt. `generate_together`, where a model can, says the same of prompts that are encoded alone
    and of which some have the same pictures (`image_ids`), but looks at these once.
    """

    encode: Callable[[Sequence[Prompt]], Mapping[str, Any]]
    option_tokens: Callable[[str], list[int]]
    score: Callable[[Mapping[str, Any], Sequence[list[int]]], tuple[OptionScore, ...]]
    generate: Callable[[Mapping[str, Any]], list[list[int]]]
    decode: Callable[[list[int]], str]
    ends: Collection[int]
    generate_together: Callable[[Sequence[Mapping[str, Any]], Sequence[tuple[str, ...]]], list[list[int]]] | None = None
    looks: bool = True  # whether it is shown the pictures


@dataclass
class LocalModel:
    """Answers questions with a checkpoint: with options by ranking, without by greedy generation in batches.

    Nothing is drawn. A question whose picture cannot be decoded, whose scores are not numbers, or that the processor
    or the model does not take is an `error` with its reason, and the run goes on. Batches change no answer, only the
    time.
    """

    checkpoint: Checkpoint
    identify: Callable[[], Mapping[str, Any]]
    batches: Batches = field(default_factory=lambda: Batches(1))
    options_at_once: Batches = field(default_factory=lambda: Batches(len(LETTERS), "options"))
    computed_here: Literal[True] = True

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        """See `whatif.models.Model`. Reads all files of a local checkpoint the first time."""
        return self.identify()

    def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
        """One answer a question, in order. Raises WhatifError as `answers_as_they_come` does."""
        early: dict[int, Answer] = {}
        arriving = self.answers_as_they_come(questions)
        for place in range(len(questions)):
            while place not in early:
                arrived, answer = next(arriving)
                early[arrived] = answer
            yield early.pop(place)

    def answers_as_they_come(self, questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        """The place of each question and its answer, batch by batch.

        Raises WhatifError when memory does not hold a single question (or a single option of it), and when the device
        fails so that nothing more can be asked.
        """
        try:
            yield from self._answers(questions)
        except (RuntimeError, MemoryError) as error:
            if out_of_memory(error):
                raise WhatifError(
                    "out of memory with a single question; give a smaller dtype, a smaller checkpoint or another device"
                ) from error
            if device_failed(error):
                raise WhatifError(
                    f"the device failed: {first_line(error)}; run again, what was stored stays"
                ) from error
            raise

    def _answers(self, questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        for ranked, group in groupby(range(len(questions)), key=lambda place: bool(questions[place].options)):
            places = list(group)
            if ranked:
                yield from ((place, self._rank(questions[place])) for place in places)
                continue
            window = _WINDOW * self.batches.size
            for start in range(0, len(places), window):
                yield from self._say(questions, places[start : start + window])

    def _rank(self, question: Question) -> Answer:
        empty = [letter for letter, option in zip(LETTERS, question.options, strict=False) if not option.strip()]
        if empty:
            return Answer(status="error", reason=f"option {empty[0]} is empty: there is nothing to rank")
        try:
            inputs = self.checkpoint.encode([self._prompt(question)])
            options = [self.checkpoint.option_tokens(option) for option in question.options]
            scores = tuple(self.options_at_once.run(options, partial(self.checkpoint.score, inputs)))
        except Exception as error:
            return _refused(error)
        counts = {"prompt_tokens": inputs["input_ids"].shape[1], "response_tokens": sum(map(len, options))}
        values = [score.log_likelihood for score in scores]
        if not all(map(math.isfinite, values)):
            return Answer(status="error", reason=f"the model's scores are not numbers: {values}", **counts)
        return Answer(option_scores=scores, **counts)

    def _say(self, questions: Sequence[Question], places: Sequence[int]) -> Iterator[tuple[int, Answer]]:
        """Answers of the open questions at `places`; those of a batch have as many pictures each, and like lengths."""
        ordered = self._ordered(questions, places)
        for _, same in groupby(ordered, key=lambda place: len(questions[place].image_ids)):
            batch = list(same)
            made = self.batches.run([questions[place] for place in batch], self._say_at_once)
            yield from zip(batch, made, strict=True)

    def _ordered(self, questions: Sequence[Question], places: Sequence[int]) -> list[int]:
        """In order of the number of pictures, then of length; where pictures can be shared, these stand together."""
        longest: dict[tuple[str, ...], int] = {}
        if self.checkpoint.generate_together is not None:
            for question in (questions[place] for place in places):
                if question.image_ids:
                    longest[question.image_ids] = max(longest.get(question.image_ids, 0), len(question.prompt))

        def size(place: int) -> tuple[int, int, tuple[str, ...], int]:
            question = questions[place]
            pictures, length = question.image_ids, len(question.prompt)
            shared = pictures if pictures in longest else ()
            return len(pictures), longest.get(pictures, length), shared, length

        return sorted(places, key=size)

    def _say_at_once(self, questions: Sequence[Question]) -> list[Answer]:
        answers: list[Answer | None] = []
        prompts = []
        for question in questions:
            try:
                prompts.append(self._prompt(question))
                answers.append(None)
            except Exception as error:
                answers.append(_refused(error))
        said = iter(self._responses(prompts) if prompts else [])
        return [next(said) if answer is None else answer for answer in answers]

    def _responses(self, prompts: Sequence[Prompt]) -> list[Answer]:
        try:
            return self._respond(prompts)
        except Exception as error:
            refused = _refused(error)
        if len(prompts) == 1:
            return [refused]
        half = len(prompts) // 2  # which one it is shows when fewer are asked
        return [*self._responses(prompts[:half]), *self._responses(prompts[half:])]

    def _respond(self, prompts: Sequence[Prompt]) -> list[Answer]:
        pictures = [prompt.image_ids for prompt in prompts]
        together = self.checkpoint.generate_together
        if together is not None and all(pictures) and len(set(pictures)) < len(pictures):
            alone = [self.checkpoint.encode([prompt]) for prompt in prompts]
            lengths = [inputs["input_ids"].shape[1] for inputs in alone]
            rows = together(alone, pictures)
        else:
            inputs = self.checkpoint.encode(prompts)
            lengths = inputs["attention_mask"].sum(dim=1).tolist()
            rows = self.checkpoint.generate(inputs)
        return [
            Answer(
                response=self.checkpoint.decode(tokens),
                prompt_tokens=length,
                response_tokens=len(tokens),
                cut_off=not tokens or tokens[-1] not in self.checkpoint.ends,
            )
            for tokens, length in zip(rows, lengths, strict=True)
        ]

    def _prompt(self, question: Question) -> Prompt:
        if not self.checkpoint.looks:
            return Prompt(question.prompt, ())
        return Prompt(question.prompt, question.images(), question.image_ids)


def _refused(error: Exception) -> Answer:
    """The answer to a question that cannot be asked. Raises an error that is about more than the question."""
    if isinstance(error, OSError):
        return Answer(status="error", reason=f"picture cannot be decoded: {error}")
    if not about_one_question(error):
        raise error
    prefix = "" if isinstance(error, UnfitQuestionError) else "the model cannot be asked this: "
    return Answer(status="error", reason=f"{prefix}{first_line(error)}")
