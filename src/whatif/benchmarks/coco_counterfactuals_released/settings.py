"""The settings of the released COCO-Counterfactuals, by stage."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import Field

from whatif.benchmarks.coco_counterfactuals.settings import AggregatePictures, VerifyPictures
from whatif.engine.params.base import BenchmarkSettings, Settings, SourcePath
from whatif.engine.params.resolution import Resolution


class ExtractReleasedPairs(Settings):
    """The released data set, and the photographs of its original captions."""

    data_set: SourcePath | None = None  # folder or zip with examples.jsonl (or metadata.jsonl) and its images
    captions: SourcePath | None = None  # captions_val2017.json, which links an original caption to its photograph
    image_folders: list[SourcePath] = Field(default_factory=list)  # folders of the photographs
    limit: int | None = Field(default=None, ge=1)  # number of pairs, sampled at random; null takes all


class CocoCounterfactualsReleasedSettings(BenchmarkSettings):
    """The sections of the released COCO-Counterfactuals in `params.yaml`."""

    extract: ExtractReleasedPairs
    verify: VerifyPictures
    aggregate: AggregatePictures


class ReportSettings(NamedTuple):
    """The settings of the tables: their own, the rule of the labels, and the origin of the error categories."""

    aggregate: AggregatePictures
    resolution: Resolution
    error_categories: str | None
