"""The settings of generators of images: one class per adapter, chosen by the field `adapter`.

A benchmark may add adapters of its own to `GeneratorSettings`.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, model_validator

from whatif.engine.params.addresses import BaseUrl, KeyVariable
from whatif.engine.params.base import Settings, Share, Span
from whatif.engine.params.checkpoints import DiffusionCheckpoint, LocalCheckpoint
from whatif.engine.params.extra_body import ExtraBody

_OF_REQUESTS = ("prompt", "size", "quality", "response_format", "seed")  # further fields that settings or requests set


class DiffusersGenerator(LocalCheckpoint):
    """A text-to-image pipeline of diffusers, loaded by its own class: Stable Diffusion 1 to 3, SDXL, Flux, ..."""

    adapter: Literal["diffusers"]
    batch_size: int = Field(default=1, ge=1, le=1024)  # images at once
    steps: int = Field(ge=1, le=1000)  # of denoising
    guidance: float | None = Field(default=None, ge=0)  # scale of the guidance; null: the default of the pipeline
    width: int | None = Field(default=None, ge=8, le=4096)  # pixels; null: the default of the pipeline
    height: int | None = Field(default=None, ge=8, le=4096)
    negative_prompt: str | None = Field(default=None, pattern=r"\S")  # what images must not show; null: none
    licence: str = Field(default="unknown", min_length=1)  # licence of the generated images, for example `CC0-1.0`

    @model_validator(mode="after")
    def _both_sides(self) -> DiffusersGenerator:
        if (self.width is None) != (self.height is None):
            raise ValueError("give both width and height, or neither")
        return self

    @model_validator(mode="after")
    def _guided(self) -> DiffusersGenerator:
        if self.negative_prompt is not None and self.guidance is not None and self.guidance <= 1:
            raise ValueError(f"negative_prompt has no effect at a guidance of {self.guidance:g}; raise it above 1")
        return self


class ImagesApiGenerator(Settings):
    """A model behind an OpenAI-compatible endpoint that draws images (`POST {base_url}/images/generations`)."""

    adapter: Literal["images-api"]
    model: str = Field(min_length=1)
    base_url: BaseUrl
    key_variable: KeyVariable | None = None
    size: str | None = Field(default=None, pattern=r"^[1-9]\d*x[1-9]\d*$")  # `1024x1024`; null: the endpoint's default
    quality: str | None = Field(default=None, min_length=1)  # by the endpoint's names; null: its default
    # null: not sent, for endpoints that always send the image itself and know no such field.
    response_format: Literal["b64_json"] | None = "b64_json"
    seed_field: str | None = Field(default=None, min_length=1)  # the endpoint's name for the seed; null: it has none
    concurrency: int = Field(default=4, ge=1, le=256)  # requests at once
    timeout_seconds: float = Field(default=300, gt=0, le=3600)
    retries: int = Field(default=6, ge=0, le=20)
    max_response_bytes: int = Field(default=64 * 2**20, ge=2**10, le=2**30)
    # For the images of a job (one part of a benchmark) together, over all runs, refused ones included.
    image_budget: int | None = Field(default=None, ge=1)
    extra_body: ExtraBody | None = None  # additional fields of each request
    licence: str = Field(default="unknown", min_length=1)

    @model_validator(mode="after")
    def _set_once(self) -> ImagesApiGenerator:
        ours = {*_OF_REQUESTS, *([] if self.seed_field is None else [self.seed_field])}
        if twice := sorted(ours & set(self.extra_body or {})):
            raise ValueError(f"`{twice[0]}` is not allowed in extra_body: other keys of this entry set it")
        if self.seed_field in ("model", "n", *_OF_REQUESTS[:-1]):
            raise ValueError(f"`{self.seed_field}` is not allowed as seed_field: it is another field of each request")
        return self


class PromptToPromptGenerator(DiffusionCheckpoint):
    """A StableDiffusionPipeline that draws the effect from the cause: both share noise and early attention."""

    adapter: Literal["prompt-to-prompt"]
    p: Share  # fraction of the denoising steps with shared self-attention, sampled for each candidate
    guidance: Span  # sampled for each candidate


ModelOfGenerator: TypeAlias = DiffusersGenerator | ImagesApiGenerator | PromptToPromptGenerator
GeneratorSettings = Annotated[ModelOfGenerator, Field(discriminator="adapter")]
