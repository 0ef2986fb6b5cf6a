"""The settings of the released COCO-Counterfactuals, by stage."""

from __future__ import annotations

from pydantic import Field

from whatif.benchmarks.coco_counterfactuals.settings import AggregatePictures, VerifyPictures
from whatif.params.base import BenchmarkSettings, Settings


class ExtractReleasedPairs(Settings):
    """Where the released data set lies, and what its original captions were written for."""

    data_set: str | None = None  # folder or zip with examples.jsonl and its pictures
    captions: str | None = None  # captions_val2017.json: by it an original caption is joined to its photograph
    image_folders: list[str] = Field(default_factory=list)  # folders of the photographs
    limit: int | None = Field(default=None, ge=1)  # pairs, drawn at random; null takes all


class CocoCounterfactualsReleasedSettings(BenchmarkSettings):
    """Its sections in `params.yaml`."""

    extract: ExtractReleasedPairs
    verify: VerifyPictures
    aggregate: AggregatePictures
