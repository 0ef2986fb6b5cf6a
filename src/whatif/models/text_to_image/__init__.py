"""Generators of images from text: the types that they share, and a registry of the adapters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, cast

from whatif.engine.errors import WhatifError
from whatif.engine.looked_up import looked_up

# Adapter -> module and function that makes a generator from its settings.
ADAPTERS = {
    "diffusers": "whatif.models.text_to_image.diffusers_generator:diffusers_generator",
    "images-api": "whatif.models.text_to_image.images_api:images_api_generator",
    "prompt-to-prompt": "whatif.models.text_to_image.identity_kept:identity_kept_generator",
}
Status: TypeAlias = Literal["ok", "none", "error"]


@dataclass(frozen=True)
class ImageRequest:
    """What is to be drawn: one image, or a pair of images whose identity is kept.

    name: names what is drawn, the same for all candidates of it; with `number`, it decides the place in a batch.
    number: of the candidate, from 0.
    prompts: one text, or two for a generator that draws pairs: of the first image and of the second.
    seed: of the noise, below 2**31.
    """

    name: str
    number: int
    prompts: tuple[str, ...]
    seed: int


@dataclass(frozen=True)
class Drawing:
    """What a generator made of a request: an encoded image for each prompt, or the reason why there is none.

    `none` is a final reply without a usable image, such as a refusal; it is stored like an image. An `error` is not
    stored; a `transient` one may not occur again.
    """

    images: tuple[bytes, ...] = ()
    status: Status = "ok"
    reason: str | None = None
    transient: bool = False


class ImageGenerator(Protocol):
    """A generator of images, as an adapter makes it."""

    @property
    def identity(self) -> Mapping[str, Any]:
        """Everything that determines an image beside its request and its place; plain JSON values."""

    @property
    def prompts(self) -> int:
        """The number of prompts of a request, which is the number of its images: 1 or 2."""

    @property
    def note(self) -> str:
        """A remark on this run, such as the number of paid images; empty if there is none."""

    def place(self, request: ImageRequest) -> int:
        """The place of a request in a batch, from 0: an image may depend on it, but on nothing else in the batch."""

    def count_stored(self, number: int) -> None:
        """Counts stored replies to requests of this job: a budget is for all of them together."""

    def draw_as_they_come(self, requests: Sequence[ImageRequest]) -> Iterator[tuple[int, Drawing]]:
        """The place of each request in `requests` and what was drawn, each once, in any order."""


def code_of(adapter: str) -> list[str]:
    """The module and function of an adapter, for the version of the code; empty for one that is not in `ADAPTERS`."""
    return [ADAPTERS[adapter]] if adapter in ADAPTERS else []


def load(settings: Any, seed: int) -> ImageGenerator:
    """The generator of these settings; `seed` is that of the waits between tries.

    Nothing is loaded or sent until something is drawn, except a checkpoint of the hub, whose commit is its identity.
    Raises WhatifError when the adapter is unknown, or as its function does.
    """
    if settings.adapter not in ADAPTERS:
        raise WhatifError(f"adapter: {settings.adapter!r} is unknown; choose one of {', '.join(sorted(ADAPTERS))}")
    return cast("ImageGenerator", looked_up(ADAPTERS[settings.adapter])(settings, seed))
