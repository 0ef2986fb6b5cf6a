"""Draws pairs of images that keep their identity: the second is made from the first by prompt-to-prompt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from whatif.engine.files import png
from whatif.engine.params.generators import PromptToPromptGenerator
from whatif.engine.random_streams import stream
from whatif.models.prompt_to_prompt.candidate_runs import place_of, runs_of
from whatif.models.prompt_to_prompt.image_maker import PictureDrawer
from whatif.models.text_to_image import Drawing, ImageRequest
from whatif.models.text_to_image.cut_off import CutOffPrompts

_VERSION = 1  # of drawing and encoding; increase it if a change alters any byte


class IdentityKeptImages:
    """A checkpoint that draws a pair of images for two prompts; it is loaded on first use.

    The images share noise and early self-attention (see `whatif.models.prompt_to_prompt.attention`), so that the same
    character and surroundings appear in both. The fraction of shared steps and the guidance are sampled by the seed of
    a request.
    """

    prompts = 2

    def __init__(self, settings: PromptToPromptGenerator) -> None:
        self._settings = settings
        self._drawer = PictureDrawer(settings)
        self._cut_off = CutOffPrompts()

    @property
    def note(self) -> str:
        """How many prompts of this run the checkpoint's text encoder does not read to the end."""
        return self._cut_off.note

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        """Everything that determines the images beside their request; a checkpoint of the hub is loaded to know it."""
        from whatif.models.prompt_to_prompt.pipeline import identity, is_local

        settings = self._settings
        drawn_by = identity(settings, None if is_local(settings) else self._drawer.pipeline)
        sampled = settings.model_dump(include={"steps", "p", "guidance"})
        how = {"adapter": "prompt-to-prompt images", "version": _VERSION, "batch": self._drawer.width}
        return {**drawn_by, **how, **sampled}

    def place(self, request: ImageRequest) -> int:
        """The place of a request in its batch."""
        return place_of(request.name, request.number, self._drawer.width)

    def count_stored(self, number: int) -> None:
        """Nothing: there is no budget."""

    def draw_as_they_come(self, requests: Sequence[ImageRequest]) -> Iterator[tuple[int, Drawing]]:
        """The place of each request and its two images as PNG. Raises WhatifError as `PictureDrawer` does."""
        placed = ((self.place(request), (number, request)) for number, request in enumerate(requests))
        for run in runs_of(placed, self._drawer.width):
            prompts = [prompt for asked in run if asked is not None for prompt in asked[1].prompts]
            with self._cut_off.counted(self._drawer.pipeline, prompts):
                pairs = self._drawer.draw([asked and self._row(asked[1]) for asked in run])
            for asked, pair in zip(run, pairs, strict=True):
                if asked is not None:
                    yield asked[0], Drawing(tuple(png.encode(image) for image in pair))

    def _row(self, request: ImageRequest) -> dict[str, Any]:
        sampled = stream(request.seed, "shared attention and guidance")
        p, guidance = self._settings.p, self._settings.guidance
        return {
            "caption_0": request.prompts[0],
            "caption_1": request.prompts[1],
            "seed": request.seed,
            "p": float(sampled.uniform(p.low, p.high)),
            "guidance": float(sampled.uniform(guidance.low, guidance.high)),
        }


def identity_kept_generator(settings: PromptToPromptGenerator, seed: int) -> IdentityKeptImages:
    """The generator of a checkpoint; `seed` is not used, because each request has its own."""
    return IdentityKeptImages(settings)
