"""The settings of COCO-Counterfactuals, by stage."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from pydantic import Field, field_validator

from whatif.engine.language.tagging import KNOWN, is_tagger
from whatif.engine.params.base import BenchmarkSettings, Settings, Share, SourcePath, Span
from whatif.engine.params.checkpoints import DiffusionCheckpoint, EarlyStop, LocalCheckpoint
from whatif.engine.params.resolution import Resolution
from whatif.people.imports.settings import LabelFiles

Manner: TypeAlias = Literal["swap", "released"]


class ExtractCaptions(Settings):
    """The captions that get counterfactuals, and the folders of their images (3.3)."""

    captions: SourcePath | None = None  # captions_val2017.json, or CSV or JSONL with id, caption and optionally image
    image_folders: list[SourcePath] = Field(default_factory=list)  # folders of the photographs
    scenes: int = Field(ge=1, le=1_000_000)  # number of embedded scenes, if no captions are given
    longest: int = Field(ge=1, le=1000)  # maximum caption length, in words
    limit: int | None = Field(default=None, ge=1)  # number of captions, sampled at random; null takes all
    tagger: str  # finds nouns: `nltk`, `pattern` or `spacy:MODEL`

    @field_validator("tagger")
    @classmethod
    def _known(cls, name: str) -> str:
        if not is_tagger(name):
            raise ValueError(f"choose one of {KNOWN}")
        return name


class ChooseCaptions(Settings):
    """How the counterfactual of a caption is chosen from its measured candidates."""

    # Cosine similarity of both captions, strictly between these; in the manner `released`, `high` is included.
    similarity: Span
    wordnet: SourcePath | None = None  # folder of WordNet 3.0, or `installed` for that of NLTK or Debian; null: none
    drop_kinds_of: bool  # drop pairs in which one noun is a kind of the other: woman -> girl, person -> man (A.3.1)


class GenerateCaptions(Settings):
    """How counterfactual captions are made (3.1, B.1.1)."""

    manner: Manner = "swap"  # `swap`: only the noun changes; `released`: as in `whatif.engine.language.released_swap`
    replacements: int = Field(ge=1, le=100)  # number for each noun
    masked_language: LocalCheckpoint
    similarity: LocalCheckpoint  # a checkpoint of sentence-transformers
    perplexity: LocalCheckpoint
    choose: ChooseCaptions


class GeneratePictures(Settings):
    """How the images of each caption pair are made (3.2, B.1.2)."""

    candidates: int = Field(ge=1, le=1000)
    p: Share  # fraction of the denoising steps with shared self-attention
    guidance: Span
    diffusion: DiffusionCheckpoint
    clip: LocalCheckpoint
    stop: EarlyStop | None = None  # which candidates are not drawn to their end; null: none


class GenerateCocoCounterfactuals(Settings):
    """How counterfactuals are made: captions first, then images."""

    shards: int = Field(ge=1, le=999)  # parts of the captions, and of the caption pairs
    captions: GenerateCaptions
    pictures: GeneratePictures


class FilterPictures(Settings):
    """The minimum CLIP cosines of an accepted pair of images (B.1.2), and the pairs that are drawn in two ways."""

    caption_image: float = Field(ge=-1, le=1)
    image_image: float = Field(ge=-1, le=1)
    directional: float = Field(ge=-1, le=1)
    # Number of accepted pairs that are also drawn without Prompt-to-Prompt, for Figure 2.
    without_prompt_to_prompt: int = Field(default=0, ge=0, le=1000)


class VerifyPictures(Settings):
    """How it is decided which caption an image shows (4.1)."""

    labels: LabelFiles | None = None  # files of people's labels; null: the recogniser
    resolution: Resolution = Resolution()  # makes one decision out of several labels of an image
    error_categories: SourcePath | None = None  # CSV of item_id and category, for Table 7; null: by the recogniser
    labelled_three_times: float = Field(ge=0, le=1)  # the fraction of images for the measurement of agreement


class AggregatePictures(Settings):
    """How the results of Tables 1, 2, 7, 10, 13 and Figure 3 are computed."""

    confidence: float = Field(gt=0.5, lt=1)
    resamples: int = Field(ge=100, le=1_000_000)  # of the bootstrap of annotators' agreement
    least_errors: int = Field(ge=1)  # minimum errors of a pair of subjects in Table 10
    shown_pairs: int = Field(ge=1, le=100)  # number of pairs in a view of the site
    shown_errors: int = Field(default=2, ge=0, le=100)  # of each category, in its view of the site


class CocoCounterfactualsSettings(BenchmarkSettings):
    """The sections of COCO-Counterfactuals in `params.yaml`."""

    extract: ExtractCaptions
    generate: GenerateCocoCounterfactuals
    filter: FilterPictures
    verify: VerifyPictures
    aggregate: AggregatePictures


class ReplaceSettings(NamedTuple):
    """The settings of the replacements of nouns."""

    tagger: str
    masked_language: LocalCheckpoint
    replacements: int
    manner: Manner


class ChoiceOfCaptions(NamedTuple):
    """The settings of the choice among candidates, and the manner in which these were made."""

    choose: ChooseCaptions
    manner: Manner


class MeasureSettings(NamedTuple):
    """The checkpoints that measure candidates of captions."""

    similarity: LocalCheckpoint
    perplexity: LocalCheckpoint


class KeepSettings(NamedTuple):
    """The thresholds that select candidates of images, and the settings that draw them again."""

    caption_image: float
    image_image: float
    directional: float
    pictures: GeneratePictures


class UnsharedSettings(NamedTuple):
    """The number of pairs that are drawn without sharing, and the checkpoints that draw and measure them."""

    number: int
    diffusion: DiffusionCheckpoint
    clip: LocalCheckpoint


class JudgeSettings(NamedTuple):
    """The settings that judge the images; `captions` is set if they are not of drawn scenes."""

    verify: VerifyPictures
    captions: str | None


class ReportSettings(NamedTuple):
    """The settings of the tables: their own, the rule of the labels, and the origins of error categories and images.

    `chose` is the checkpoint by which the images were chosen, and `drawn_by` the one that drew them.
    """

    aggregate: AggregatePictures
    resolution: Resolution
    error_categories: str | None
    candidates: int
    chose: str
    drawn_by: str
