"""Ranks options and answers open questions with a local checkpoint; adapters define how it is prompted."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

from whatif.engine.errors import WhatifError
from whatif.engine.language.messages import Messages, images_in, without_images
from whatif.engine.language.options import LETTERS
from whatif.engine.params.decoding import Decoding
from whatif.models import Answer, ImageForm, OptionScore, Question, Unconditional, answer_to_empty_option
from whatif.models.composites import with_composite
from whatif.models.local.conversations import UnfitQuestionError
from whatif.models.local.faults import about_one_question, device_failed, first_line, out_of_memory, reason_of
from whatif.models.local.generation import Batches, Generate, GenerateTogether
from whatif.models.local.reasoning_tokens import ReasoningTokens
from whatif.models.local.sampling import Noise, sampling_stream
from whatif.models.local.sent_images import SentImages
from whatif.models.local.work import Work, length
from whatif.models.order import in_order

if TYPE_CHECKING:
    from PIL.Image import Image

# Open questions are sorted by length within windows of this many batches: prompts of similar length need little
# padding, and an interrupted run has still yielded most of its work.
_WINDOW = 8
# Encoded prompts of ranked questions that are kept, of those without images: unconditional likelihoods ask for few.
_TEXTS_KEPT = 256


@dataclass(frozen=True)
class Prompt:
    """A model's input: the conversation and its decoded images; equal `image_ids` mean the same images.

    `sample` is the number of the sample, from 0, if several are drawn.
    """

    messages: Messages
    images: Sequence[Image] = ()
    sample: int = 0

    @property
    def image_ids(self) -> tuple[str, ...]:
        """The ids of its images; empty for a model that does not look at them."""
        return tuple(image.image_id for image in images_in(self.messages)) if self.images else ()


def _nothing_known(inputs: Mapping[str, Any], images: Sequence[Sequence[Image]]) -> list[SentImages]:
    return [SentImages(None, None) for _ in images]


@dataclass(frozen=True)
class Checkpoint:
    """The functions that an adapter provides for a checkpoint.

    `encode` turns prompts into the model's inputs (rows x tokens, left-padded) and may raise UnfitQuestionError;
    `score` ranks options (token ids) after a single encoded prompt; `generate` returns at most a number of new tokens
    of each row, up to and including one of `ends`; `reasoning` reads them; `option_tokens` gives the token ids of
    an option after a prompt. `generate_together`, if available, returns the same as `generate` for prompts that are
    encoded separately, but processes images that several prompts share (`image_ids`) only once.
    `sent` tells what the inputs contain of the images of each prompt, which are its second argument. `forget` frees
    what is kept from one question for the next ones; it is called after the last one.
    """

    encode: Callable[[Sequence[Prompt]], Mapping[str, Any]]
    option_tokens: Callable[[str], list[int]]
    score: Callable[[Mapping[str, Any], Sequence[list[int]]], tuple[OptionScore, ...]]
    generate: Generate
    reasoning: ReasoningTokens
    ends: Collection[int]
    max_new_tokens: int  # unless a question raises it
    generate_together: GenerateTogether | None = None
    image_form: Callable[[Messages], ImageForm] = lambda messages: "in place"
    sent: Callable[[Mapping[str, Any], Sequence[Sequence[Image]]], list[SentImages]] = _nothing_known
    forget: Callable[[], None] = lambda: None
    looks: bool = True  # whether the model gets the images
    takes_one_image: bool = False  # several are put on one canvas (`whatif.models.composites`)
    decoding: Decoding = field(default_factory=Decoding)


@dataclass
class LocalModel:
    """Answers questions with a checkpoint: ranks options, or generates in batches if the question is open.

    A sampled response depends only on the seed of its decoding, the conversation and the number of the sample. A
    question is an `error` with its reason if its image cannot be decoded, its scores are not numbers, or the processor
    or the model rejects it; the run continues. Batches change the time, not the answers.
    """

    checkpoint: Checkpoint
    identify: Callable[[], Mapping[str, Any] | None]
    batches: Batches = field(default_factory=lambda: Batches(1))
    options_at_once: Batches = field(default_factory=lambda: Batches(len(LETTERS), "options"))
    computed_here: Literal[True] = True

    def __post_init__(self) -> None:
        most = self.checkpoint.max_new_tokens + self.checkpoint.reasoning.room
        self._work = Work(self.batches.size, most, self.checkpoint.looks)
        self._text = lru_cache(_TEXTS_KEPT)(lambda messages: self.checkpoint.encode([Prompt(messages)]))

    @cached_property
    def identity(self) -> Mapping[str, Any] | None:
        """See `whatif.models.Model`. Reads all files of a local checkpoint the first time."""
        return self.identify()

    @property
    def takes_images(self) -> bool:
        """See `whatif.models.takes_images`."""
        return self.checkpoint.looks

    @property
    def unconditional(self) -> tuple[Unconditional, ...]:
        """See `whatif.models.unconditional_of`. A model that does not look has seen no image before either."""
        return ("without_image", "without_prompt") if self.checkpoint.looks else ("without_prompt",)

    @property
    def share(self) -> float | None:
        """See `whatif.models.shown_progress.share_of`; of the questions that are being answered."""
        return self._work.share

    def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
        """One answer for each question, in order. Raises WhatifError as `answers_as_they_come` does."""
        return in_order(self.answers_as_they_come(questions), len(questions))

    def answers_as_they_come(self, questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        """The place of each question and its answer, batch by batch.

        Raises WhatifError when a single question (or one option of it) does not fit into memory, and when the device
        fails and cannot be used any more.
        """
        try:
            yield from self._answers(questions)
        except (RuntimeError, MemoryError) as error:
            if out_of_memory(error):
                raise WhatifError(
                    "out of memory with a single question; use a smaller dtype, a smaller checkpoint or another device"
                ) from error
            if device_failed(error):
                raise WhatifError(
                    f"the device failed: {first_line(error)}; run again; stored answers are kept"
                ) from error
            raise
        finally:
            self.checkpoint.forget()
            self._text.cache_clear()

    def _answers(self, questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        self._work.begin(questions)
        for ranked, group in groupby(range(len(questions)), key=lambda place: bool(questions[place].options)):
            places = list(group)
            if ranked:
                for place in places:
                    answer = self._rank(questions[place])
                    self._work.add([questions[place]])
                    yield place, answer
                continue
            window = _WINDOW * self.batches.size
            for start in range(0, len(places), window):
                yield from self._say(questions, places[start : start + window])

    def _rank(self, question: Question) -> Answer:
        if (refused := answer_to_empty_option(question.options)) is not None:
            return refused
        try:
            prompt = self.prompt(question)
            inputs = self.checkpoint.encode([prompt]) if prompt.images else self._text(prompt.messages)
            options = [self.checkpoint.option_tokens(option) for option in question.options]
            scores = tuple(self.options_at_once.run(options, partial(self.checkpoint.score, inputs)))
        except Exception as error:
            return _refused(error)
        counts: dict[str, Any] = {
            "prompt_tokens": inputs["input_ids"].shape[1],
            "response_tokens": sum(map(len, options)),
            "image_form": self._image_form(question, prompt),
            **self.checkpoint.sent(inputs, [prompt.images])[0].columns,
        }
        if not all(math.isfinite(score.mean) for score in scores):
            values = [score.log_likelihood for score in scores]
            return Answer(status="error", reason=f"the model's scores are not numbers: {values}", **counts)
        return Answer(option_scores=scores, **counts)

    def _say(self, questions: Sequence[Question], places: Sequence[int]) -> Iterator[tuple[int, Answer]]:
        """Answers of the open questions at `places`; a batch has the same number of images each, and like lengths."""
        ordered = self._ordered(questions, places)
        for (_, limit), same in groupby(ordered, key=lambda place: self._batch_of(questions[place])):
            batch = list(same)
            made = self.batches.run([questions[place] for place in batch], partial(self._say_at_once, limit))
            yield from zip(batch, made, strict=True)

    def _ordered(self, questions: Sequence[Question], places: Sequence[int]) -> list[int]:
        """Sorted by number of images, then by length; questions whose images can be shared are kept together."""
        longest: dict[tuple[str, ...], int] = {}
        if self.checkpoint.generate_together is not None:
            for question in (questions[place] for place in places):
                if question.image_ids:
                    longest[question.image_ids] = max(longest.get(question.image_ids, 0), length(question))

        def size(place: int) -> tuple[tuple[int, int], int, tuple[str, ...], int]:
            question = questions[place]
            pictures, own = question.image_ids, length(question)
            shared = pictures if pictures in longest else ()
            return self._batch_of(question), longest.get(pictures, own), shared, own

        return sorted(places, key=size)

    def _batch_of(self, question: Question) -> tuple[int, int]:
        """What the questions of a batch have in common: their number of images, and their limit of new tokens."""
        of_answer = max(self.checkpoint.max_new_tokens, question.max_new_tokens or 0)
        return len(question.image_ids), of_answer + self.checkpoint.reasoning.room

    def _say_at_once(self, limit: int, questions: Sequence[Question]) -> list[Answer]:
        answers: list[Answer | None] = []
        prompts = []
        for question in questions:
            try:
                prompts.append(self.prompt(question))
                answers.append(None)
            except Exception as error:
                answers.append(_refused(error))
        said = iter(self._responses(prompts, limit) if prompts else [])
        self._work.add(questions)  # of the whole batch: its answers are there together
        shown = iter(prompts)
        return [
            self._with_form(next(said), question, next(shown)) if answer is None else answer
            for question, answer in zip(questions, answers, strict=True)
        ]

    def _responses(self, prompts: Sequence[Prompt], limit: int) -> list[Answer]:
        try:
            return self._respond(prompts, limit)
        except Exception as error:
            refused = _refused(error)
        if len(prompts) == 1:
            return [refused]
        half = len(prompts) // 2  # halve the batch to find the question at fault
        return [*self._responses(prompts[:half], limit), *self._responses(prompts[half:], limit)]

    def _respond(self, prompts: Sequence[Prompt], limit: int) -> list[Answer]:
        pictures = [prompt.image_ids for prompt in prompts]
        together, reasoning = self.checkpoint.generate_together, self.checkpoint.reasoning
        if together is not None and all(pictures) and len(set(pictures)) < len(pictures):
            alone = [self.checkpoint.encode([prompt]) for prompt in prompts]
            lengths = [inputs["input_ids"].shape[1] for inputs in alone]
            sent = [self.checkpoint.sent(one, [prompt.images])[0] for one, prompt in zip(alone, prompts, strict=True)]
            rows = together(alone, pictures, limit, self._noise(prompts))
        else:
            inputs = self.checkpoint.encode(prompts)
            lengths = inputs["attention_mask"].sum(dim=1).tolist()
            sent = self.checkpoint.sent(inputs, [prompt.images for prompt in prompts])
            rows = self.checkpoint.generate(inputs, limit, self._noise(prompts))
        return [
            replace(reasoning.answer(tokens, self.checkpoint.ends), prompt_tokens=length, **of_images.columns)
            for tokens, length, of_images in zip(rows, lengths, sent, strict=True)
        ]

    def _noise(self, prompts: Sequence[Prompt]) -> Noise | None:
        """The noise of a batch, new for each attempt; None if nothing is sampled."""
        decoding = self.checkpoint.decoding
        if not decoding.is_random:
            return None
        drawn = [sampling_stream(decoding.seed, prompt.messages, prompt.sample) for prompt in prompts]
        return Noise(decoding.temperature, decoding.top_p, drawn)

    def prompt(self, question: Question) -> Prompt:
        """What the checkpoint encodes for a question. Raises OSError when an image cannot be decoded."""
        if not self.checkpoint.looks:
            return Prompt(without_images(question.messages), sample=question.sample)
        shown = with_composite(question) if self.checkpoint.takes_one_image else question
        return Prompt(shown.messages, shown.images(), question.sample)

    def _with_form(self, answer: Answer, question: Question, prompt: Prompt) -> Answer:
        if answer.status == "error":
            return answer
        finish = "length" if answer.cut_off else "stop"
        return replace(answer, finish=finish, image_form=self._image_form(question, prompt))

    def _image_form(self, question: Question, prompt: Prompt) -> ImageForm | None:
        """How the images of a question were shown in its prompt; None without images."""
        if not prompt.images:
            return None
        if len(prompt.images) < len(question.image_ids):
            return "composite"
        return self.checkpoint.image_form(prompt.messages)


def _refused(error: Exception) -> Answer:
    """The answer to a question that cannot be asked. Re-raises an error that concerns more than the question."""
    if isinstance(error, OSError):
        return Answer(status="error", reason=f"picture cannot be decoded: {error}")
    if not about_one_question(error):
        raise error
    prefix = "" if isinstance(error, UnfitQuestionError) else "the model cannot be asked this: "
    return Answer(status="error", reason=f"{prefix}{reason_of(error)}")
