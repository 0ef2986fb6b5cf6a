"""The settings of the released C-VQA-Synthetic, by stage."""

from __future__ import annotations

from typing import Literal, NamedTuple

from pydantic import Field

from whatif.benchmarks.shared.human_attempts import HumanAttempts
from whatif.engine.params.base import BenchmarkSettings, Settings, SourcePath
from whatif.engine.params.judge import JudgeSettings, Judging
from whatif.engine.params.model_entries import RankingRule
from whatif.engine.params.probes import Probing


class ExtractReleasedPuzzles(Settings):
    """The released question file and the folder of its images."""

    questions: SourcePath | None = None  # path of C-VQA-Synthetic_questions.csv
    image_folder: SourcePath | None = None


class EvaluateReleasedPuzzles(Judging, Probing, HumanAttempts):
    """How models are asked (`EvaluatePuzzles` of our set), and the number of parts."""

    ask: Literal["rank", "generate"] = "rank"
    # CSV with question_id and category: why programs are wrong, since nothing is known about the images.
    program_labels: SourcePath | None = Field(default=None, min_length=1)
    shards: int = Field(ge=1, le=999)


class AggregateReleasedPuzzles(Settings):
    """How the results of Table 7 are computed, as for our set."""

    confidence: float = Field(gt=0.5, lt=1)
    rule: RankingRule = "mean"
    audit_folds: int = Field(ge=2, le=20)


class CvqaSyntheticReleasedSettings(BenchmarkSettings):
    """The sections of the released C-VQA-Synthetic in `params.yaml`."""

    extract: ExtractReleasedPuzzles
    evaluate: EvaluateReleasedPuzzles
    aggregate: AggregateReleasedPuzzles


class ReportSettings(NamedTuple):
    """The settings of the report: the level of its intervals, and how options are ranked."""

    confidence: float
    rule: RankingRule
    judge: JudgeSettings | None = None
