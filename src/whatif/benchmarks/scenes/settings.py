"""The settings of the benchmark of the embedded world, by stage."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import Field, field_validator

from whatif.language.strategies import strategies
from whatif.params.base import BenchmarkSettings, Settings, Share, Span
from whatif.params.models import DiffusionCheckpoint, LocalCheckpoint


class ExtractScenes(Settings):
    """How many scenes are asked about, and the side of their pictures in pixels."""

    number: int = Field(ge=1, le=1_000_000)
    side: int = Field(ge=32, le=1024)


class GenerateScenes(Settings):
    """How many pairs of captions, and how many pairs of pictures are made for each (COCO-Counterfactuals B.1.2)."""

    pairs: int = Field(ge=1, le=1_000_000)
    candidates: int = Field(ge=1, le=1000)
    shards: int = Field(ge=1, le=999)
    p: Share  # the share of the denoising in which both pictures have the same self-attention
    guidance: Span
    diffusion: DiffusionCheckpoint


class FilterScenes(Settings):
    """What CLIP must say of a pair of pictures to keep it: the least cosines (COCO-Counterfactuals B.1.2)."""

    caption_image: float = Field(ge=-1, le=1)
    image_image: float = Field(ge=-1, le=1)
    directional: float = Field(ge=-1, le=1)
    movement: float | None = Field(ge=0, le=1)  # of the thing, in sides of the picture: more is rejected
    clip: LocalCheckpoint


class VerifyScenes(Settings):
    """How alike a thing in a picture must be to the outline of its noun to be recognised: 0 to 1."""

    least_score: float = Field(ge=0, le=1)


class EvaluateScenes(Settings):
    """In which words models are asked: a prompting strategy."""

    strategy: str

    @field_validator("strategy")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in strategies():
            raise ValueError(f"must be one of {', '.join(strategies())}")
        return name


class AggregateScenes(Settings):
    """How the numbers are made, and how many scenes and pairs of pictures the gallery shows."""

    confidence: float = Field(gt=0.5, lt=1)
    shown_scenes: int = Field(ge=1, le=100)
    shown_pairs: int = Field(ge=1, le=100)


class ScenesSettings(BenchmarkSettings):
    """Its sections in `params.yaml`."""

    extract: ExtractScenes
    generate: GenerateScenes
    filter: FilterScenes
    verify: VerifyScenes
    evaluate: EvaluateScenes
    aggregate: AggregateScenes


class ReportSettings(NamedTuple):
    """What the report depends on: its own settings, and how many pairs and candidates of each were asked for."""

    aggregate: AggregateScenes
    pairs: int
    candidates: int
