"""A typed view of `params.yaml`: every knob, its type, its range; an unknown key or a bad value is an error."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from whatif.errors import WhatifError

PARAMS_FILE = "params.yaml"
BENCHMARKS = ("cvqa-synthetic",)
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class Settings(BaseModel):
    """A part of `params.yaml`: immutable, and closed to keys that it does not name."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, strict=True)


class Range(Settings):
    """Whole numbers from `low` to `high`, both included."""

    low: int = Field(ge=0)
    high: int = Field(ge=0)

    @model_validator(mode="after")
    def _ordered(self) -> Range:
        if self.low > self.high:
            raise ValueError(f"low ({self.low}) must not be above high ({self.high})")
        return self


class Icons50(Settings):
    """A folder of the Icons-50 data set (class folders of pictures), the flower pictures of C-VQA 3.3."""

    folder: str | None = None
    classes: list[str] = Field(min_length=1)


class ExtractPuzzles(Settings):
    """Where the flower pictures come from, and their side in pixels."""

    icons50: Icons50
    flower_picture_size: int = Field(ge=16, le=512)


class GeneratePuzzles(Settings):
    """How many puzzles, how they are drawn and how their wrong options are made (C-VQA 3.3)."""

    puzzles_per_template: int = Field(ge=1, le=150_000)
    shards: int = Field(ge=1, le=999)
    image_size: int = Field(ge=192, le=1024)  # pixels
    options: Literal["exchangeable", "released"]
    flowers_per_region: Range
    dots_per_circle: Range
    smallest_region: float = Field(gt=0, le=0.1)  # share of the picture's area
    smallest_gap: float = Field(ge=0, le=2)  # between neighbours, in their radii


class FilterPuzzles(Settings):
    """When a puzzle is too crowded to be read; same units as where it is generated."""

    smallest_region: float = Field(ge=0, le=0.1)
    smallest_gap: float = Field(ge=0, le=2)


class EvaluatePuzzles(Settings):
    """How a model is asked: the words of an option that its loss is taken over."""

    rank: Literal["letter", "text"]


class AggregatePuzzles(Settings):
    """How the numbers of Table 7 are made."""

    confidence: float = Field(gt=0.5, lt=1)
    resamples: int = Field(ge=100, le=1_000_000)  # of the bootstrap
    audit_folds: int = Field(ge=2, le=20)
    released_questions: str | None = None  # path of the released CSV, to audit beside ours


class Extract(Settings):
    """Sources of each benchmark."""

    cvqa_synthetic: ExtractPuzzles = Field(alias="cvqa-synthetic")


class Generate(Settings):
    """Counterfactual generation of each benchmark."""

    cvqa_synthetic: GeneratePuzzles = Field(alias="cvqa-synthetic")


class Filter(Settings):
    """Automatic filters of each benchmark."""

    cvqa_synthetic: FilterPuzzles = Field(alias="cvqa-synthetic")


class Evaluate(Settings):
    """How models are asked in each benchmark."""

    cvqa_synthetic: EvaluatePuzzles = Field(alias="cvqa-synthetic")


class Aggregate(Settings):
    """How the numbers of each benchmark are made."""

    cvqa_synthetic: AggregatePuzzles = Field(alias="cvqa-synthetic")


class Baseline(Settings):
    """Answers without a look at picture or words: the lines that a model must pass."""

    adapter: Literal["random", "first-option", "majority"]
    name: str | None = None


class HuggingFaceChat(Settings):
    """A checkpoint that `AutoModelForImageTextToText` loads, from the hub or from a folder."""

    adapter: Literal["hf-chat"]
    name: str | None = None  # as printed in tables; the checkpoint when not given
    checkpoint: str  # hub id, or path of a folder
    revision: str | None = None
    dtype: Literal["float32", "float16", "bfloat16"] = "float32"
    device: str = "cpu"


ModelSettings = Annotated[Baseline | HuggingFaceChat, Field(discriminator="adapter")]
