"""The settings of C-VQA-Synthetic, by stage."""

from __future__ import annotations

from typing import Literal, NamedTuple

from pydantic import Field

from whatif.params.base import BenchmarkSettings, Range, Settings, SourcePath


class Icons50(Settings):
    """A folder of the Icons-50 data set (class folders of pictures), the flower pictures of C-VQA 3.3."""

    folder: SourcePath | None = None
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
    released_questions: SourcePath | None = None  # path of the released CSV, to audit beside ours


class CvqaSyntheticSettings(BenchmarkSettings):
    """Its sections in `params.yaml`."""

    extract: ExtractPuzzles
    generate: GeneratePuzzles
    filter: FilterPuzzles
    evaluate: EvaluatePuzzles
    aggregate: AggregatePuzzles


class AuditSettings(NamedTuple):
    """What the shortcut audit depends on."""

    audit_folds: int
    released_questions: str | None


class ReportSettings(NamedTuple):
    """What the report depends on: the level of its intervals, and how many puzzles were asked for."""

    confidence: float
    puzzles_per_template: int
