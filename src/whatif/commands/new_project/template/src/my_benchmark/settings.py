"""The settings of the benchmark, by stage: what `params.yaml` may say, with types and limits."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from whatif.benchmark import BenchmarkSettings, Settings

Change = Literal["painted", "removed"]


class ExtractSettings(Settings):
    """The number of pictures."""

    pictures: int = Field(ge=1, le=100_000)


class GenerateSettings(Settings):
    """The changes that counterfactual questions suppose; each gives one pair of questions for each picture."""

    changes: list[Change] = Field(min_length=1)


class FilterSettings(Settings):
    """The maximum number of balls on a shelf; a picture with more is too crowded."""

    most_balls: int = Field(ge=1, le=9)


class AggregateSettings(Settings):
    """The confidence of intervals, and the number of cross-validation folds in the shortcut audit."""

    confidence: float = Field(gt=0.5, lt=1)
    audit_folds: int = Field(ge=2, le=50)


class OwnSettings(BenchmarkSettings):
    """The sections of this benchmark in `params.yaml`: one field for each stage that has settings."""

    extract: ExtractSettings
    generate: GenerateSettings
    filter: FilterSettings
    aggregate: AggregateSettings
