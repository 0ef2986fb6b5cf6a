"""The settings of CFMM, by stage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from pydantic import Field, field_validator

from whatif.benchmarks.shared.human_attempts import HumanAttempts
from whatif.benchmarks.shared.question_labels import VerifyQuestions
from whatif.engine.language.strategies import strategies
from whatif.engine.params.base import BenchmarkSettings, Settings, SourcePath
from whatif.engine.params.judge import JudgeSettings, Judging
from whatif.engine.params.model_entries import RankingRule
from whatif.engine.params.probes import Probing
from whatif.engine.params.resolution import Resolution
from whatif.people.imports.settings import LabelFiles

SecondOption = Literal["basic-answer", "first-counterfactual", "basic-option", "model"]


class DrawnItems(Settings):
    """Items of the drawn world."""

    items_per_category: int = Field(ge=1, le=100_000)
    side: int = Field(ge=32, le=1024)  # of the images, in pixels
    unchanged: float = Field(ge=0, le=1)  # share of the counterfactual questions whose presupposition changes nothing
    options: Literal["exchangeable", "basic"]  # the wrong option: see `whatif.world.category_items`


class ExtractCfmm(Settings):
    """The source of the images: items from a file, photographs of MS-COCO, or drawn scenes."""

    items: SourcePath | None = None  # a file of finished items: images with all their questions and answers
    instances: SourcePath | None = None  # instances_val2014.json
    captions: SourcePath | None = None  # captions_val2014.json, shown to annotators
    image_folders: list[SourcePath] = Field(default_factory=list)
    least_objects: int = Field(ge=0)  # an image with fewer objects or categories is not rich enough
    least_categories: int = Field(ge=0)
    limit: int | None = Field(default=None, ge=1)  # number of images, drawn at random
    scenes: DrawnItems
    examples: SourcePath | None = None  # a file of examples with their reasons, for the strategies with `shots`


class Expansion(Settings):
    """The chat model that writes three further counterfactual questions for each item (CFMM 3.3, B)."""

    model: str = Field(min_length=1)  # a key of `models`
    prompt_file: SourcePath | None = None  # YAML: category -> system prompt; null: those of this package


class GenerateCfmm(Settings):
    """How questions are written: by annotators, whose work a second person checks, and by a chat model."""

    annotations: LabelFiles | None = None  # the annotators' questions; null only for drawn scenes and finished items
    resolution: Resolution = Resolution(rule="single")
    check: VerifyQuestions = VerifyQuestions()  # by a second person, before the expansion
    expansion: Expansion | None = None
    second_option: list[SecondOption] = Field(min_length=1)  # rules for the wrong option, in order

    @field_validator("second_option")
    @classmethod
    def _once(cls, rules: list[SecondOption]) -> list[SecondOption]:
        if len(set(rules)) < len(rules):
            raise ValueError("names a rule twice; keep one")
        return rules


class FilterCfmm(Settings):
    """Which questions are rejected automatically (CFMM 3.3)."""

    leakage: bool  # whether the answer, a synonym or its stem may not be in the if clause
    longest_answer: int = Field(ge=1)  # words
    least_counterfactuals: int = Field(ge=1, le=4)  # an item with fewer is rejected
    highest_same_as_basic: float = Field(gt=0, le=1)  # share of the counterfactual questions of a category


class EvaluateCfmm(Judging, Probing, HumanAttempts):
    """How models are asked."""

    strategies: list[str] = Field(min_length=1)

    @field_validator("strategies")
    @classmethod
    def _known(cls, names: list[str]) -> list[str]:
        known = strategies()
        for name in names:
            if name not in known or names.count(name) > 1:
                raise ValueError(f"each must be one of {', '.join(known)}, once")
        return names


class AggregateCfmm(Settings):
    """How the results are computed."""

    confidence: float = Field(gt=0.5, lt=1)
    resamples: int = Field(ge=100, le=1_000_000)  # of the bootstrap and the permutation tests
    rule: RankingRule
    audit_folds: int = Field(ge=2, le=100)
    shown_items: int = Field(ge=1, le=100)  # of each category, in each view of items


class CfmmSettings(BenchmarkSettings):
    """The sections of CFMM in `params.yaml`."""

    extract: ExtractCfmm
    generate: GenerateCfmm
    filter: FilterCfmm
    verify: VerifyQuestions
    evaluate: EvaluateCfmm
    aggregate: AggregateCfmm

    def check(self, models: Mapping[str, Any]) -> None:
        """Checks that the model of the expansion can be asked, and that annotations are given where they are needed."""
        expansion = self.generate.expansion
        able = [key for key, model in models.items() if getattr(model, "can_judge", False)]
        if expansion is not None and expansion.model not in able:
            known = ", ".join(able) or "none; add a model with the adapter api, served or hf-chat"
            raise ValueError(
                f"generate.{{name}}.expansion.model: {expansion.model!r} is no model that can write questions; those "
                f"that can: {known}"
            )


class WriteSettings(NamedTuple):
    """What the annotators' questions are made from."""

    extract: ExtractCfmm
    annotations: LabelFiles | None
    resolution: Resolution
    second_option: list[SecondOption]


class ExpandSettings(NamedTuple):
    """How further questions are written."""

    expansion: Expansion | None
    second_option: list[SecondOption]


class ReportSettings(NamedTuple):
    """What the tables depend on."""

    aggregate: AggregateCfmm
    strategies: list[str]
    second_option: list[SecondOption]
    resolution: Resolution
    items: str | None  # the file of finished items, if the questions come from one
    judge: JudgeSettings | None = None
