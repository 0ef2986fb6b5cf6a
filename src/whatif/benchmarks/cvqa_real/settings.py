"""The settings of C-VQA-Real, by stage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import Field, field_validator

from whatif.benchmarks.shared.question_labels import VerifyQuestions
from whatif.language.strategies import strategies
from whatif.params.base import BenchmarkSettings, Settings, SourcePath
from whatif.params.judge import JudgeSettings, check_judge
from whatif.params.resolution import Resolution


class ExtractCvqaReal(Settings):
    """The released questions, and the folders of their photographs."""

    questions: SourcePath | None = None  # path of C-VQA-Real_questions.csv
    image_folders: list[SourcePath] = Field(default_factory=list)  # folders of COCO photographs, of 2014 or 2017
    gender_annotations: SourcePath | None = None  # CSV with columns id and bb_gender, for the analysis of C-VQA 4.3


class EvaluateCvqaReal(Settings):
    """How models are asked: the prompting strategies, the number of parts, and models asked only a sample."""

    strategies: list[str] = Field(min_length=1)
    shards: int = Field(ge=1, le=999)
    sample_share: float = Field(gt=0, le=1)  # fraction of each group, for the models below (C-VQA Table 5)
    sampled_models: list[str] = Field(default_factory=list)
    judge: JudgeSettings | None = None  # reads responses in which the rules find no single answer

    @field_validator("strategies")
    @classmethod
    def _known(cls, names: list[str]) -> list[str]:
        known = strategies(shots=False)
        for name in names:
            if name not in known or names.count(name) > 1:
                raise ValueError(f"each must be one of {', '.join(known)}, once")
        return names


class AggregateCvqaReal(Settings):
    """How the results of Tables 3, 4 and 5 are computed."""

    confidence: float = Field(gt=0.5, lt=1)
    resamples: int = Field(ge=100, le=1_000_000)  # of the permutation test of the gender gap


class CvqaRealSettings(BenchmarkSettings):
    """The sections of C-VQA-Real in `params.yaml`."""

    extract: ExtractCvqaReal
    verify: VerifyQuestions
    evaluate: EvaluateCvqaReal
    aggregate: AggregateCvqaReal

    def check(self, models: Mapping[str, Any]) -> None:
        """Checks that the sampled models and the judge are among those of `params.yaml`."""
        check_judge(self.evaluate.judge, models)
        for key in self.evaluate.sampled_models:
            if key not in models:
                known = ", ".join(models)
                raise ValueError(f"evaluate.{{name}}.sampled_models: {key!r} is not a key of models: {known}")


class SourceSettings(NamedTuple):
    """The sources of the questions and photographs."""

    questions: str | None
    image_folders: list[str]


class SampleSettings(NamedTuple):
    """The models that are asked only some of the questions, and the fraction."""

    sample_share: float
    sampled_models: list[str]


class ReportSettings(NamedTuple):
    """The settings of the tables."""

    aggregate: AggregateCvqaReal
    strategies: list[str]
    sample_share: float
    sampled_models: list[str]
    gender_annotations: str | None
    judge: JudgeSettings | None
    resolution: Resolution
