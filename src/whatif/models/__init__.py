"""What answers multiple-choice questions: a model, or a baseline that a model must pass.

An adapter is an outer function `(settings, seed) -> Answerer`; the answerer that it returns does the work. Adapters
are found by name and imported when they are loaded, so that the command line needs neither torch nor transformers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from whatif.errors import WhatifError

if TYPE_CHECKING:
    from PIL.Image import Image

ADAPTERS: dict[str, str] = {
    "random": "whatif.models.baselines:random_choice",
    "first-option": "whatif.models.baselines:first_option",
    "majority": "whatif.models.baselines:majority",
    "hf-chat": "whatif.models.hugging_face_chat:hugging_face_chat",
}

Status: TypeAlias = Literal["ok", "ambiguous", "none", "error"]


@dataclass(frozen=True)
class ChoiceQuestion:
    """A question as it is put to a model, which never sees the right answer.

    `prompt` is all that is said beside the images; `options` are the words whose loss is compared, in the order of
    the letters A, B, C, ... `images` fetches the decoded pictures and may raise OSError for one that is broken.
    `majority_letter` is the letter that is right most often among all questions of this group and variant: it is
    there for the baseline `majority` alone.
    """

    question_id: str
    group: str
    variant: str
    prompt: str
    options: tuple[str, ...]
    images: Callable[[], Sequence[Image]]
    majority_letter: str | None = None


@dataclass(frozen=True)
class ChoiceAnswer:
    """What came of a question: a letter when the status is `ok`, otherwise the reason why there is none.

    `choice_scores` are mean log-likelihoods per token in nats, one an option, higher is better; None when nothing
    was ranked. `response` is what a model said in words; None when it only ranked. `response_tokens` counts the
    tokens of all options together when options were ranked.
    """

    letter: str | None
    status: Status = "ok"
    reason: str | None = None
    choice_scores: tuple[float, ...] | None = None
    response: str | None = None
    request_key: str | None = None
    prompt_tokens: int | None = None
    response_tokens: int | None = None


# One answer a question, in the same order. An answerer gets a whole shard, so that it may work in batches.
Answerer: TypeAlias = Callable[[Sequence[ChoiceQuestion]], Iterator[ChoiceAnswer]]


def load(name: str, settings: Any, seed: int) -> Answerer:
    """The answerer of the adapter `name`, made with its settings from `params.yaml`.

    Raises WhatifError when there is no such adapter, or when its model cannot be loaded.
    """
    if name not in ADAPTERS:
        raise WhatifError(f"adapter: there is no {name!r}; the known ones are {', '.join(sorted(ADAPTERS))}")
    module, function = ADAPTERS[name].split(":")
    return cast("Answerer", getattr(import_module(module), function)(settings, seed))
