"""The settings of a benchmark over released files, by stage; sections of `params.yaml` name the files."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from pydantic import Field, field_validator

from whatif.benchmarks.from_yaml.settings import NAME, SLUG, Expression, Text
from whatif.benchmarks.shared.human_attempts import HumanAttempts
from whatif.engine.language.strategies import DIRECT, strategies
from whatif.engine.params.base import BenchmarkSettings, Settings, SourcePath
from whatif.engine.params.judge import JudgeSettings, Judging
from whatif.engine.params.probes import Probing


class ReleasedQuestion(Settings):
    """A question that every row has which satisfies `where`: expressions over its columns, and a text with names."""

    names: dict[Annotated[str, Field(pattern=f"^{NAME}$")], Expression] = Field(default={})
    where: Expression = "True"
    id: Expression  # unique among all questions
    set: Expression  # of questions that depend on each other: the cluster of intervals, and the unit of samples
    group: Expression = '"all"'
    variant: Expression = '"original"'
    question: Text
    picture: Expression | None = None  # path in the folder, picture in a Parquet file, or list of them; nothing: none
    options: Expression | None = None
    answer: Expression  # with options: one of them, or its letter
    answers: Expression | None = None  # those of several people, for the accuracy of VQA
    prior: Expression | None = None  # the wrong answer that prior knowledge suggests
    units: dict[Annotated[str, Field(pattern=r"\S", max_length=40)], Expression] = Field(default={})  # nothing: in none


class ExtractReleased(Settings):
    """The released files, and the questions that each of their rows has, by name."""

    files: list[SourcePath] = Field(default=[])
    joined: list[SourcePath] = Field(default=[])  # further columns of the same rows, by `key`
    key: str | None = Field(default=None, min_length=1)
    folder: SourcePath | None = None  # of the pictures
    licence: str = Field(default="unknown", min_length=1)  # of the pictures
    limit: int | None = Field(default=None, ge=1)  # sets of questions, drawn by seed and name; null: all
    questions: dict[Annotated[str, Field(pattern=f"^{SLUG}$", max_length=40)], ReleasedQuestion] = Field(min_length=1)


class EvaluateReleased(HumanAttempts, Judging, Probing):
    """People's answers, the prompting strategy, and how many parts the questions to each model are divided into."""

    strategy: str = DIRECT
    shards: int = Field(default=1, ge=1, le=999)

    @field_validator("strategy")
    @classmethod
    def _known(cls, name: str) -> str:
        known = strategies(shots=False)
        if name not in known:
            raise ValueError(f"must be one of {', '.join(known)}")
        return name


class AggregateReleased(Settings):
    """The level of the intervals."""

    confidence: float = Field(default=0.95, gt=0.5, lt=1)


class ReleasedSettings(BenchmarkSettings):
    """The sections of a benchmark over released files."""

    extract: ExtractReleased
    evaluate: EvaluateReleased = EvaluateReleased()
    aggregate: AggregateReleased = AggregateReleased()


class ReleasedFile(ReleasedSettings):
    """A whole file: what the benchmark says of itself, and its sections."""

    title: str = Field(pattern=r"\S", max_length=100)
    about: str = Field(pattern=r"\S", max_length=1_000)  # what is counterfactual in it, and how models are asked
    homepage: str = ""
    download: str = ""  # the command by which one gets the files, or where they are
    citation: str = ""
    licence: str = ""  # of the questions, for a card


class ReportSettings(NamedTuple):
    """What the report depends on."""

    confidence: float
    judge: JudgeSettings | None
