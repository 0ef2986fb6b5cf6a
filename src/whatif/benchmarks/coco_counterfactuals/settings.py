"""The settings of COCO-Counterfactuals, by stage."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import Field, field_validator

from whatif.language.tagging import KNOWN, is_tagger
from whatif.params.base import BenchmarkSettings, Settings, Share, SourcePath, Span
from whatif.params.models import DiffusionCheckpoint, LocalCheckpoint


class ExtractCaptions(Settings):
    """Which captions get counterfactuals, and where the pictures lie that they were written for (3.3)."""

    captions: SourcePath | None = None  # captions_val2017.json, or CSV or JSONL with id, caption and perhaps image
    image_folders: list[SourcePath] = Field(default_factory=list)  # folders of the photographs
    scenes: int = Field(ge=1, le=1_000_000)  # of the embedded world, when no captions are named
    longest: int = Field(ge=1, le=1000)  # words of a caption
    limit: int | None = Field(default=None, ge=1)  # captions, drawn at random; null takes all
    tagger: str  # what finds nouns: `nltk`, `pattern` or `spacy:MODEL`

    @field_validator("tagger")
    @classmethod
    def _known(cls, name: str) -> str:
        if not is_tagger(name):
            raise ValueError(f"there are {KNOWN}")
        return name


class ChooseCaptions(Settings):
    """Which of the candidates that were measured becomes the counterfactual of a caption."""

    similarity: Span  # of both captions: a cosine between these, ends excluded
    wordnet: SourcePath | None = (
        None  # folder of WordNet 3.0, or `installed` where NLTK or Debian put it; null does without
    )
    drop_kinds_of: bool  # drop pairs in which one noun is a kind of the other: woman -> girl, person -> man (A.3.1)


class GenerateCaptions(Settings):
    """How counterfactual captions are made (3.1, B.1.1)."""

    replacements: int = Field(ge=1, le=100)  # of each noun
    masked_language: LocalCheckpoint
    similarity: LocalCheckpoint  # of sentence-transformers
    perplexity: LocalCheckpoint
    choose: ChooseCaptions


class GeneratePictures(Settings):
    """How the pictures of each caption pair are made (3.2, B.1.2)."""

    candidates: int = Field(ge=1, le=1000)
    p: Share  # of the denoising in which both pictures have the same self-attention
    guidance: Span
    diffusion: DiffusionCheckpoint
    clip: LocalCheckpoint


class GenerateCocoCounterfactuals(Settings):
    """Captions first, then pictures."""

    shards: int = Field(ge=1, le=999)  # of the captions, and again of the caption pairs
    captions: GenerateCaptions
    pictures: GeneratePictures


class FilterPictures(Settings):
    """What CLIP must say of a pair of pictures to keep it: the least cosines (B.1.2)."""

    caption_image: float = Field(ge=-1, le=1)
    image_image: float = Field(ge=-1, le=1)
    directional: float = Field(ge=-1, le=1)


class VerifyPictures(Settings):
    """Whose word is taken for which caption a picture shows (4.1)."""

    labels: SourcePath | None = (
        None  # CSV that `whatif export picture-tasks` asked people to fill; null: the recogniser
    )
    error_categories: SourcePath | None = None  # CSV of item_id and category, for Table 7; null: told by the recogniser
    labelled_three_times: float = Field(ge=0, le=1)  # the share of pictures that agreement is measured on


class AggregatePictures(Settings):
    """How the numbers of Tables 1, 2, 7, 10, 13 and Figure 3 are made."""

    confidence: float = Field(gt=0.5, lt=1)
    resamples: int = Field(ge=100, le=1_000_000)  # of the bootstrap of annotators' agreement
    least_errors: int = Field(ge=1)  # of a pair of subjects to be shown in Table 10
    shown_pairs: int = Field(ge=1, le=100)  # in the gallery


class CocoCounterfactualsSettings(BenchmarkSettings):
    """Its sections in `params.yaml`."""

    extract: ExtractCaptions
    generate: GenerateCocoCounterfactuals
    filter: FilterPictures
    verify: VerifyPictures
    aggregate: AggregatePictures


class ReplaceSettings(NamedTuple):
    """What the replacements of nouns depend on."""

    tagger: str
    masked_language: LocalCheckpoint
    replacements: int


class MeasureSettings(NamedTuple):
    """What measures candidates of captions."""

    similarity: LocalCheckpoint
    perplexity: LocalCheckpoint


class KeepSettings(NamedTuple):
    """Which candidates of images are kept, and how these are drawn again."""

    filter: FilterPictures
    pictures: GeneratePictures


class JudgeSettings(NamedTuple):
    """What judges the images; `captions` says whether they are drawn ones."""

    verify: VerifyPictures
    captions: str | None


class ReportSettings(NamedTuple):
    """What the tables depend on: their own settings, whose error categories they count, and how images were made.

    `chose` is the checkpoint by which the images were chosen.
    """

    aggregate: AggregatePictures
    error_categories: str | None
    candidates: int
    chose: str
