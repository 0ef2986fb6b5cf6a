"""What answers questions: a model, or a baseline that a model must pass.

An adapter is a function `(settings, seed) -> Model`, or `(settings) -> Matcher` where captions and pictures are matched
(`whatif.models.local.encoders`). Adapters are found by name and imported when they are loaded, so
that the command line needs neither torch nor transformers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, cast, runtime_checkable

from whatif.errors import WhatifError

if TYPE_CHECKING:
    from PIL.Image import Image

    from whatif.models.local.encoders import Matcher

ADAPTERS: dict[str, str] = {
    "random": "whatif.models.baselines:random_choice",
    "first-option": "whatif.models.baselines:first_option",
    "majority": "whatif.models.baselines:majority",
    "blind": "whatif.models.local.blind:blind",
    "hf-blip": "whatif.models.local.blip:hugging_face_blip",
    "hf-chat": "whatif.models.local.chat:hugging_face_chat",
    "dual-encoder": "whatif.models.local.encoders:dual_encoder",
    "cross-encoder": "whatif.models.local.encoders:cross_encoder",
    "api": "whatif.models.endpoint.api:api_model",
    "replay": "whatif.models.replay:replay",
}

# Fields of a model's settings that do not change what it answers: only how it is printed, reached, paid or batched, or
# where else it is evaluated.
# What a small budget leaves out is unfinished, and asked again all the same.
WITHOUT_EFFECT = (
    "name",
    "benchmarks",
    "batch_size",
    "concurrency",
    "retries",
    "timeout_seconds",
    "token_budget",
    "key_variable",
    "price_per_million_prompt_tokens",
    "price_per_million_response_tokens",
)

Status: TypeAlias = Literal["ok", "ambiguous", "none", "error"]


def _no_pictures() -> tuple[()]:
    return ()


@dataclass(frozen=True)
class Question:
    """A question as it is put to a model, which never sees the right answer.

    `prompt` is all that is said beside the images. `options` are the words whose loss is compared, in the order of
    the letters A, B, C, ...; without options the question is open and is answered in the model's own words. `images`
    fetches the decoded pictures, `encoded_images` their bytes as stored (PNG or JPEG), both in the order of
    `image_ids`; either may raise OSError for a picture that is broken.

    The last two are there for the baselines alone: `majority_answer` is what is right most often among all questions
    of this group and variant (a letter when there are options), `group_answers` are the different right answers to
    the open questions of this group.
    """

    question_id: str
    group: str
    variant: str
    prompt: str
    options: tuple[str, ...] = ()
    image_ids: tuple[str, ...] = ()
    images: Callable[[], Sequence[Image]] = _no_pictures
    encoded_images: Callable[[], Sequence[bytes]] = _no_pictures
    majority_answer: str | None = None
    group_answers: tuple[str, ...] = ()


@dataclass(frozen=True)
class OptionScore:
    """How likely a model finds an option: the log-likelihood of its tokens together, in nats, and their number."""

    log_likelihood: float
    tokens: int

    @property
    def mean(self) -> float:
        """Log-likelihood a token: the loss with its sign turned, so that higher is better."""
        return self.log_likelihood / self.tokens


@dataclass(frozen=True)
class Answer:
    """What came of a question; when the status is not `ok`, `reason` says why.

    Of a model's answer one of these is given: `option_scores`, one an option, when options were ranked (which of
    them wins is the caller's rule); `response`, what the model said in words; `letter`, when it named an option and
    nothing else. `response_tokens` counts the tokens of all options together when options were ranked. `cut_off` says
    that the response ended because the limit of new tokens was reached, not because the model was done.

    `seconds` is how long the answer was waited for, on the clock: those of all answers of a run are the time that its
    asking took, at whatever number of requests or questions at once. It is a measurement, so answers that differ in it
    alone are equal.

    `passing` marks an error that another try may not meet: tries given up, a budget or quota that was reached. An
    error that is not passing is final, such as a picture that cannot be decoded.
    """

    letter: str | None = None
    status: Status = "ok"
    reason: str | None = None
    option_scores: tuple[OptionScore, ...] | None = None
    response: str | None = None
    request_key: str | None = None
    prompt_tokens: int | None = None
    response_tokens: int | None = None
    cut_off: bool = False
    passing: bool = False
    seconds: float | None = field(default=None, compare=False)


class Model(Protocol):
    """What an adapter makes."""

    @property
    def identity(self) -> Mapping[str, Any] | None:
        """What stored answers are keyed by, beside the question: whatever else decides what the answer is.

        The adapter and its version, the checkpoint and its revision (the digest of its files for a local folder), the
        type of its weights, the settings of generation; plain values that JSON knows. None for baselines, whose
        answers are not stored.
        """

    def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
        """One answer a question, in the same order. A model gets a whole shard, so that it may work in batches."""


def note_of(model: Model) -> Callable[[], str]:
    """What a model says beside the progress of its answers (`note`, such as tokens and their cost), asked when called.

    Most models say nothing.
    """
    return lambda: str(getattr(model, "note", ""))


@runtime_checkable
class Recorded(Protocol):
    """A model whose answers were given elsewhere, to some questions and not to others."""

    def look_up(self, questions: Sequence[Question]) -> str | None:
        """Tells it all questions of a set before it is asked some; why none has an answer, None where one has."""


def load(name: str, settings: Any, seed: int) -> Model:
    """The model of the adapter `name`, made with its settings from `params.yaml`.

    Raises WhatifError when there is no such adapter, or when its model cannot be loaded.
    """
    if name not in ADAPTERS:
        raise WhatifError(f"adapter: there is no {name!r}; the known ones are {', '.join(sorted(ADAPTERS))}")
    module, function = ADAPTERS[name].split(":")
    return cast("Model", getattr(import_module(module), function)(settings, seed))


def load_matcher(name: str, settings: Any) -> Matcher:
    """The matcher of the adapter `name`, made with its settings. Raises WhatifError when it cannot be loaded."""
    module, function = ADAPTERS[name].split(":")
    return cast("Matcher", getattr(import_module(module), function)(settings))
