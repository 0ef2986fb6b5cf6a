"""The interfaces of models and baselines, and the adapters that implement them.

An adapter is a function `(settings, seed) -> Model`, or `(settings) -> Matcher` for models that match captions and
images (`whatif.models.local.encoders`). Adapters are looked up by name and imported on loading, so the command line
needs neither torch nor transformers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, cast, runtime_checkable

from whatif.engine.errors import WhatifError
from whatif.engine.language.messages import Messages, images_in, last_prompt
from whatif.engine.language.options import LETTERS
from whatif.engine.language.reasoning import CUT_OFF, NEVER_LEFT, cut_off_reason, split_reasoning
from whatif.engine.looked_up import looked_up
from whatif.models.depicted import Depicted
from whatif.models.program_runs import ProgramRun

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
    "served": "whatif.models.endpoint.served:served_model",
    "replay": "whatif.models.replay:replay",
    "vipergpt": "whatif.models.programs.models:vipergpt",
    "visprog": "whatif.models.programs.models:visprog",
}

# Fields of a model's settings that do not change its answers: how it is displayed, reached, paid for or batched, and
# where else it is evaluated. Questions that a small budget leaves out are unfinished, and are asked again anyway.
WITHOUT_EFFECT = (
    "name",
    "benchmarks",
    "batch_size",
    "concurrency",
    "retries",
    "timeout_seconds",
    "startup_seconds",
    "token_budget",
    "key_variable",
    "price_per_million_prompt_tokens",
    "price_per_million_response_tokens",
)

# The nested entries of a model that answers by programs, and the same fields of each: `writer.batch_size`. Which
# questions an entry of its own would be asked, and how it would choose among options, has no effect there either.
PARTS = ("writer", "tools.detector", "tools.query", "tools.matcher", "tools.depth")
OF_PARTS = (*WITHOUT_EFFECT, "limit", "multiple_choice", "top_logprobs", "prompt_log_probabilities")
WITHOUT_EFFECT_IN_PARTS = tuple(f"{part}.{field}" for part in PARTS for field in OF_PARTS)

Status: TypeAlias = Literal["ok", "ambiguous", "none", "error"]
# How the images of a conversation were shown: `in place` among its texts; `first`, because the chat template puts the
# images of a message before its texts; or as one `composite`, for models that take one image.
ImageForm: TypeAlias = Literal["in place", "first", "composite"]
# What an option's likelihood can be compared with (`whatif.scoring.ranking_rules`): its likelihood after the same
# conversation without its images, and after an empty message of the user.
Unconditional: TypeAlias = Literal["without_image", "without_prompt"]


def _no_pictures() -> tuple[()]:
    return ()


@dataclass(frozen=True)
class Question:
    """A question as it is put to a model, without the correct answer.

    `messages` are the conversation up to the answer, of the usual form if `whatif.engine.language.messages.one_turn`
    made it. `options` are the texts whose loss is compared, in the order of the letters A, B, C, ...; a question
    without options is open, and the model answers in its own words. `images` fetches the decoded images,
    `encoded_images` their bytes as stored (PNG or JPEG), both in the order of `image_ids`; either may raise OSError for
    a damaged image. `max_new_tokens` raises the model's own limit of new tokens. `json_schema` is a JSON schema as
    canonical JSON text (`whatif.engine.artifacts.reader.canonical_json`): an endpoint is asked for JSON that fits it,
    and a response that does not is `none`. Checkpoints on this machine ignore it. `sample` is the number of the sample,
    from 0, if a question is asked several times with sampling.

    `text` is the question alone, without its options and without the words of a prompting strategy.

    The last three fields serve only the baselines: `majority_answer` is the most frequent correct answer among all
    questions of this group and variant (a letter if there are options), `group_answers` are the distinct correct
    answers to the open questions of this group, and `letters` is the number of options that are ranked in a later turn.
    """

    question_id: str
    group: str
    variant: str
    messages: Messages
    options: tuple[str, ...] = ()
    images: Callable[[], Sequence[Image]] = _no_pictures
    encoded_images: Callable[[], Sequence[bytes]] = _no_pictures
    max_new_tokens: int | None = None
    json_schema: str | None = None
    sample: int = 0
    text: str = ""
    majority_answer: str | None = None
    group_answers: tuple[str, ...] = ()
    letters: int = 0

    @property
    def prompt(self) -> str:
        """The text of the last message of the user."""
        return last_prompt(self.messages)

    @property
    def image_ids(self) -> tuple[str, ...]:
        """The ids of all images, in the order of the conversation."""
        return tuple(image.image_id for image in images_in(self.messages))


@dataclass(frozen=True)
class OptionScore:
    """An option's log-likelihood under a model, in nats: the sum over its tokens, their number, and the mean per token.

    The mean is the negative loss, so higher is better; by default it is the sum divided by the number of tokens. A file
    of losses may give the mean alone: then the sum and the number of tokens are None. `at_most` marks an upper bound:
    an endpoint listed only its most probable tokens, and the option is not among them, so it does not win.

    Raises ValueError when no mean is given and none can be computed.
    """

    log_likelihood: float | None
    tokens: int | None
    mean: float = math.nan
    at_most: bool = False

    def __post_init__(self) -> None:
        if math.isnan(self.mean):
            if self.log_likelihood is None or self.tokens is None:
                raise ValueError("an option's score needs its mean, or its sum and its number of tokens")
            object.__setattr__(self, "mean", self.log_likelihood / self.tokens)


@dataclass(frozen=True)
class Answer:
    """The result of asking a question; when the status is not `ok`, `reason` gives the cause.

    A model's answer has one of these: `option_scores`, one for each option, when options were ranked (the caller
    decides which of them wins); `response`, the model's text; `letter`, when it named an option and nothing else.
    `response_tokens` counts the tokens of all options together when options were ranked. An endpoint may need several
    requests for that; both counts are then those that it charged for all of them. `cut_off` means that the
    response ended at the limit of new tokens, before the model was done; `finish` is the reason for its end: `stop`,
    `length`, or the endpoint's word (`whatif.engine.language.finish_reasons`). `response` is as the model gave it, so
    it may contain reasoning; `reasoning` is what an endpoint gave beside it. `without_reasoning` separates the two.
    `reasoning_tokens` are those of `response_tokens` that are reasoning, where an endpoint or a checkpoint counts them.

    What was sent: `image_form` is how the images were shown (see `ImageForm`), `image_sizes` are width and height of
    each image in pixels as the model's processor made it, `image_tokens` is the number of tokens of all images
    together; None where it is not known.

    `program` is the program whose result this is, for a model that answers by programs.

    `seconds` is the wall-clock time that this answer was waited for. The values of all answers of a run add up to the
    run's time, for any number of requests or questions at once. It is a measurement, so it does not count when
    answers are compared.

    `transient` marks an error that may not occur again: all tries failed, or a budget or quota was reached. Any other
    error is final, for example an image that cannot be decoded.
    """

    letter: str | None = None
    status: Status = "ok"
    reason: str | None = None
    option_scores: tuple[OptionScore, ...] | None = None
    response: str | None = None
    reasoning: str | None = None
    request_key: str | None = None
    prompt_tokens: int | None = None
    response_tokens: int | None = None
    reasoning_tokens: int | None = None
    cut_off: bool = False
    finish: str | None = None
    image_form: ImageForm | None = None
    image_sizes: tuple[tuple[int, int], ...] | None = None
    image_tokens: int | None = None
    program: ProgramRun | None = None
    transient: bool = False
    seconds: float | None = field(default=None, compare=False)

    def without_reasoning(self) -> Answer:
        """The same with all reasoning in `reasoning`, and in `response` what follows it; `none` if it was cut off."""
        marked, response, cut_off = split_reasoning(self.response or "")
        if response == (self.response or ""):
            return self
        reasoning = "\n\n".join(filter(None, (self.reasoning, marked))) or None
        said = replace(self, response=response, reasoning=reasoning)
        if not cut_off or self.status != "ok":
            return said
        whole = CUT_OFF if self.finish is None else NEVER_LEFT  # of a file, it is not known why a response ended
        reason = cut_off_reason(self.response_tokens) if self.cut_off else whole
        return replace(said, status="none", reason=reason)


def answer_to_empty_option(options: Sequence[str]) -> Answer | None:
    """The answer to a question with an empty option, which cannot be ranked; None if no option is empty."""
    for letter, option in zip(LETTERS, options, strict=False):
        if not option.strip():
            return Answer(status="error", reason=f"option {letter} is empty: there is nothing to rank")
    return None


class Model(Protocol):
    """A model, as an adapter makes it."""

    @property
    def identity(self) -> Mapping[str, Any] | None:
        """Together with the question, the key of stored answers: everything else that determines the answer.

        The adapter and its version, the checkpoint and its revision (for a local folder the digest of its files), the
        data type of its weights, the generation settings; plain JSON values. None for baselines, whose answers are
        not stored.
        """

    def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
        """One answer for each question, in the same order. A model gets a whole shard, so that it can use batches."""


def note_of(model: Model) -> Callable[[], str]:
    """A function that returns the model's current remark for the progress display (`note`, such as tokens and cost).

    The remark of most models is empty.
    """
    return lambda: str(getattr(model, "note", ""))


def unconditional_of(model: Model) -> tuple[Unconditional, ...]:
    """The unconditional likelihoods of options that a model is asked for (`unconditional`): none of most models.

    They are further requests. A local checkpoint has both, or only the second if it does not look at images.
    """
    return tuple(getattr(model, "unconditional", ()))


def takes_images(model: Model) -> bool:
    """Whether a model gets the images of questions (`takes_images`); most do."""
    return bool(getattr(model, "takes_images", True))


@contextmanager
def closing(model: Model) -> Iterator[None]:
    """Ends what a model has started, such as a server, at the end of the block; most models have nothing to end."""
    try:
        yield
    finally:
        getattr(model, "close", lambda: None)()


@runtime_checkable
class Recorded(Protocol):
    """A model whose answers were given elsewhere, possibly to only some of the questions."""

    def look_up(self, questions: Sequence[Question]) -> str | None:
        """Receives all questions of a set before some are asked; returns why none has an answer, or None."""


@runtime_checkable
class KnowsDrawnImages(Protocol):
    """A model that can be told what drawn images show: by the id of an image, None for one that was not drawn.

    `drawn_only` means that it can answer no question about other images.
    """

    depicted: Callable[[str], Depicted | None]
    drawn_only: bool


@runtime_checkable
class HasParts(Protocol):
    """A model that asks other models."""

    def store_parts(self, keep: Callable[[Model], Model]) -> None:
        """Replaces each of the models that it asks by what `keep` returns: the same model with a store before it."""


def load(name: str, settings: Any, seed: int) -> Model:
    """The model of the adapter `name`, made with its settings from `params.yaml`.

    Raises WhatifError when the adapter does not exist or its model cannot be loaded.
    """
    if name not in ADAPTERS:
        raise WhatifError(f"adapter: {name!r} is unknown; choose one of {', '.join(sorted(ADAPTERS))}")
    return cast("Model", looked_up(ADAPTERS[name])(settings, seed))


def load_matcher(name: str, settings: Any) -> Matcher:
    """The matcher of the adapter `name`, made with its settings. Raises WhatifError when it cannot be loaded."""
    return cast("Matcher", looked_up(ADAPTERS[name])(settings))
