"""The settings of C-VQA-Synthetic, by stage."""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol

from pydantic import Field

from whatif.benchmarks.shared.human_attempts import HumanAttempts
from whatif.engine.params.base import BenchmarkSettings, Range, Settings, SourcePath
from whatif.engine.params.judge import JudgeSettings, Judging
from whatif.engine.params.model_entries import RankingRule
from whatif.engine.params.probes import Probing
from whatif.results.reporting.precision import Precision


class Icons50(Settings):
    """A folder of the Icons-50 data set (class folders of images), the flower images of C-VQA 3.3."""

    folder: SourcePath | None = None
    classes: list[str] = Field(min_length=1)


class ExtractPuzzles(Settings):
    """The source of the flower images, and their side in pixels."""

    icons50: Icons50
    flower_picture_size: int = Field(ge=16, le=512)


class GeneratePuzzles(Settings):
    """The number of puzzles, their layout, and how their wrong options are made (C-VQA 3.3)."""

    puzzles_per_template: int = Field(ge=1, le=166_666)  # the numbers in ids have six digits
    shards: int = Field(ge=1, le=999)
    image_size: int = Field(ge=192, le=1024)  # pixels
    options: Literal["exchangeable", "released"]
    flowers_per_region: Range
    dots_per_circle: Range
    smallest_region: float = Field(gt=0, le=0.1)  # fraction of the image's area
    smallest_gap: float = Field(ge=0, le=2)  # between neighbours, in their radii


class FilterPuzzles(Settings):
    """The limits beyond which a puzzle is too crowded; same units as for its generation."""

    smallest_region: float = Field(ge=0, le=0.1)
    smallest_gap: float = Field(ge=0, le=2)


class EvaluatePuzzles(Judging, Probing, HumanAttempts):
    """How models are asked (C-VQA 4.2).

    `rank`: as `multiple_choice` of each model says; `generate`: in words, if the model can answer so.
    """

    ask: Literal["rank", "generate"] = "rank"
    # CSV with question_id and category: why programs about images that are not drawn are wrong.
    program_labels: SourcePath | None = Field(default=None, min_length=1)


class AggregatePuzzles(Settings):
    """How the results of Table 7 are computed."""

    confidence: float = Field(gt=0.5, lt=1)
    rule: RankingRule = "mean"  # how the likelihoods of options are compared if a model ranks them
    audit_folds: int = Field(ge=2, le=20)
    released_questions: SourcePath | None = None  # path of the released CSV, to audit it as well


class CvqaSyntheticSettings(BenchmarkSettings):
    """The sections of C-VQA-Synthetic in `params.yaml`."""

    extract: ExtractPuzzles
    generate: GeneratePuzzles
    filter: FilterPuzzles
    evaluate: EvaluatePuzzles
    aggregate: AggregatePuzzles


class AuditSettings(NamedTuple):
    """The settings of the shortcut audit."""

    audit_folds: int
    released_questions: str | None


class RankedReport(Precision, Protocol):
    """What the reports of all sets of puzzles need: the level of intervals, how options are ranked, and the judge."""

    @property
    def rule(self) -> RankingRule: ...

    @property
    def judge(self) -> JudgeSettings | None: ...


class ReportSettings(NamedTuple):
    """The settings of the report: the level of its intervals, the number of puzzles, and how options are ranked."""

    confidence: float
    puzzles_per_template: int  # requested
    rule: RankingRule = "mean"
    judge: JudgeSettings | None = None
