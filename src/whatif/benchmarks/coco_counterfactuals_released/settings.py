"""The settings of the released COCO-Counterfactuals, by stage."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import Field

from whatif.benchmarks.coco_counterfactuals.settings import AggregatePictures, VerifyPictures
from whatif.params.base import BenchmarkSettings, Settings, SourcePath


class ExtractReleasedPairs(Settings):
    """Where the released data set lies, and what its original captions were written for."""

    data_set: SourcePath | None = None  # folder or zip with examples.jsonl and its pictures
    captions: SourcePath | None = None  # captions_val2017.json: by it an original caption is joined to its photograph
    image_folders: list[SourcePath] = Field(default_factory=list)  # folders of the photographs
    limit: int | None = Field(default=None, ge=1)  # pairs, drawn at random; null takes all


class CocoCounterfactualsReleasedSettings(BenchmarkSettings):
    """Its sections in `params.yaml`."""

    extract: ExtractReleasedPairs
    verify: VerifyPictures
    aggregate: AggregatePictures


class ReportSettings(NamedTuple):
    """What the tables depend on: their own settings, and whose error categories they count."""

    aggregate: AggregatePictures
    error_categories: str | None
