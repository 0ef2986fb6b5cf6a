"""The settings of each benchmark, by stage."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator

from whatif.params_coco_counterfactuals import (
    AggregatePictures,
    ExtractCaptions,
    ExtractReleasedPairs,
    FilterPictures,
    GenerateCocoCounterfactuals,
    VerifyPictures,
)
from whatif.params_scenes import (
    AggregateScenes,
    EvaluateScenes,
    ExtractScenes,
    FilterScenes,
    GenerateScenes,
    VerifyScenes,
)
from whatif.settings import Range, Settings
from whatif.text.strategies import strategies


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
    """How the likelihoods of options are compared where a model ranks them."""

    rule: Literal["mean", "sum"]


class AggregatePuzzles(Settings):
    """How the numbers of Table 7 are made."""

    confidence: float = Field(gt=0.5, lt=1)
    audit_folds: int = Field(ge=2, le=20)
    released_questions: str | None = None  # path of the released CSV, to audit beside ours


class ExtractCvqaReal(Settings):
    """The released questions, and where their photographs lie."""

    questions: str | None = None  # path of C-VQA-Real_questions.csv
    image_folders: list[str] = Field(default_factory=list)  # folders of COCO photographs, of 2014 or 2017
    gender_annotations: str | None = None  # CSV with columns id and bb_gender, for the analysis of C-VQA 4.3


class EvaluateCvqaReal(Settings):
    """How models are asked: with which prompting strategies, in how many parts, and whom only some of the questions."""

    strategies: list[str] = Field(min_length=1)
    shards: int = Field(ge=1, le=999)
    sample_share: float = Field(gt=0, le=1)  # of each group, for the models below (C-VQA Table 5)
    sampled_models: list[str] = Field(default_factory=list)

    @field_validator("strategies")
    @classmethod
    def _known(cls, names: list[str]) -> list[str]:
        known = strategies()
        for name in names:
            if name not in known or names.count(name) > 1:
                raise ValueError(f"each must be one of {', '.join(known)}, once")
        return names


class AggregateCvqaReal(Settings):
    """How the numbers of Tables 3, 4 and 5 are made."""

    confidence: float = Field(gt=0.5, lt=1)
    resamples: int = Field(ge=100, le=1_000_000)  # of the permutation test of the gender gap


class Extract(Settings):
    """Sources of each benchmark."""

    cvqa_synthetic: ExtractPuzzles = Field(alias="cvqa-synthetic")
    cvqa_real: ExtractCvqaReal = Field(alias="cvqa-real")
    scenes: ExtractScenes
    coco_counterfactuals: ExtractCaptions = Field(alias="coco-counterfactuals")
    coco_counterfactuals_released: ExtractReleasedPairs = Field(alias="coco-counterfactuals-released")


class Generate(Settings):
    """Counterfactual generation of each benchmark."""

    cvqa_synthetic: GeneratePuzzles = Field(alias="cvqa-synthetic")
    scenes: GenerateScenes
    coco_counterfactuals: GenerateCocoCounterfactuals = Field(alias="coco-counterfactuals")


class Filter(Settings):
    """Automatic filters of each benchmark."""

    cvqa_synthetic: FilterPuzzles = Field(alias="cvqa-synthetic")
    scenes: FilterScenes
    coco_counterfactuals: FilterPictures = Field(alias="coco-counterfactuals")


class Verify(Settings):
    """Checks by people or by recounting, of each benchmark that has something to choose there."""

    scenes: VerifyScenes
    coco_counterfactuals: VerifyPictures = Field(alias="coco-counterfactuals")
    coco_counterfactuals_released: VerifyPictures = Field(alias="coco-counterfactuals-released")


class Evaluate(Settings):
    """How models are asked in each benchmark."""

    cvqa_synthetic: EvaluatePuzzles = Field(alias="cvqa-synthetic")
    cvqa_real: EvaluateCvqaReal = Field(alias="cvqa-real")
    scenes: EvaluateScenes


class Aggregate(Settings):
    """How the numbers of each benchmark are made."""

    cvqa_synthetic: AggregatePuzzles = Field(alias="cvqa-synthetic")
    cvqa_real: AggregateCvqaReal = Field(alias="cvqa-real")
    scenes: AggregateScenes
    coco_counterfactuals: AggregatePictures = Field(alias="coco-counterfactuals")
    coco_counterfactuals_released: AggregatePictures = Field(alias="coco-counterfactuals-released")
