"""The settings of the benchmark of the embedded scenes, by stage."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import Field, field_validator

from whatif.benchmarks.shared.human_attempts import HumanAttempts
from whatif.engine.language.strategies import strategies
from whatif.engine.params.base import BenchmarkSettings, Settings, Share, Span
from whatif.engine.params.checkpoints import DiffusionCheckpoint, LocalCheckpoint
from whatif.engine.params.judge import JudgeSettings, Judging
from whatif.engine.params.probes import Probing


class ExtractScenes(Settings):
    """The number of scenes with questions, and the side of their images in pixels."""

    number: int = Field(ge=1, le=1_000_000)
    side: int = Field(ge=32, le=1024)


class GenerateScenes(Settings):
    """The number of caption pairs, and how the image pairs of each are made (COCO-Counterfactuals B.1.2)."""

    pairs: int = Field(ge=1, le=1_000_000)
    candidates: int = Field(ge=1, le=1000)
    shards: int = Field(ge=1, le=999)
    p: Share  # fraction of the denoising steps with shared self-attention
    guidance: Span
    diffusion: DiffusionCheckpoint


class FilterScenes(Settings):
    """The minimum CLIP cosines of an accepted pair of images (COCO-Counterfactuals B.1.2)."""

    caption_image: float = Field(ge=-1, le=1)
    image_image: float = Field(ge=-1, le=1)
    directional: float = Field(ge=-1, le=1)
    movement: float | None = Field(ge=0, le=1)  # maximum movement of the thing, in sides of the image
    clip: LocalCheckpoint


class VerifyScenes(Settings):
    """The minimum overlap of a thing with the outline of its noun, from 0 to 1, to be recognised."""

    least_score: float = Field(ge=0, le=1)


class EvaluateScenes(Judging, Probing, HumanAttempts):
    """The prompting strategy of the questions."""

    strategy: str

    @field_validator("strategy")
    @classmethod
    def _known(cls, name: str) -> str:
        known = strategies(shots=False)
        if name not in known:
            raise ValueError(f"must be one of {', '.join(known)}")
        return name


class AggregateScenes(Settings):
    """How the results are computed, and how many scenes and pairs of images are in the views of the site."""

    confidence: float = Field(gt=0.5, lt=1)
    shown_scenes: int = Field(ge=1, le=100)
    shown_pairs: int = Field(ge=1, le=100)


class ScenesSettings(BenchmarkSettings):
    """The sections of the benchmark in `params.yaml`."""

    extract: ExtractScenes
    generate: GenerateScenes
    filter: FilterScenes
    verify: VerifyScenes
    evaluate: EvaluateScenes
    aggregate: AggregateScenes


class ReportSettings(NamedTuple):
    """What the report depends on: its own settings, the requested numbers of pairs and candidates, and the judge.

    `drawn_by` and `chose` are the checkpoints that drew the images of the pairs and chose among them.
    """

    aggregate: AggregateScenes
    pairs: int
    candidates: int
    judge: JudgeSettings | None
    drawn_by: str
    chose: str
