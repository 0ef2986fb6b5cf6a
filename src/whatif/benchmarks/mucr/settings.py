"""The settings of MuCR, by stage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, field_validator, model_validator

from whatif.benchmarks.mucr.schemas import RELEASED, VISUAL_FORMS, Form, Language, Style
from whatif.benchmarks.shared.human_attempts import HumanAttempts
from whatif.engine.language.strategies import DIRECT, strategies
from whatif.engine.params.base import BenchmarkSettings, Settings, SourcePath
from whatif.engine.params.checkpoints import LocalCheckpoint
from whatif.engine.params.fine_tuning import FineTuning
from whatif.engine.params.generators import ModelOfGenerator
from whatif.engine.params.judge import JudgeSettings, Judging
from whatif.engine.params.model_entries import RankingRule
from whatif.engine.params.probes import Probing
from whatif.engine.params.resolution import Resolution
from whatif.people.imports.settings import LabelFiles

NAME = "mucr"
Key = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]


class DrawnGroups(Settings):
    """Groups of the drawn world, if the pairs come from no file."""

    groups: int = Field(ge=1, le=100_000)


class ExtractMucr(Settings):
    """The source of the pairs: the released set, core captions from a file, or drawn scenes."""

    released: SourcePath | None = None  # a file of the released form, with images in image_folders
    captions: SourcePath | None = None  # core captions, with the history of their refinement (MuCR A.3)
    image_folders: list[SourcePath] = Field(default_factory=list)
    scenes: DrawnGroups


class Descriptions(Settings):
    """How contextual descriptions are written (MuCR 3.1, A.4)."""

    model: str | None = None  # a key of `models`; null: computed for drawn scenes, else the captions themselves
    prompt_file: SourcePath | None = None  # YAML with the prompt; null: that of this package
    shortest: int = Field(ge=1)  # words of a description
    longest: int = Field(ge=1)

    @model_validator(mode="after")
    def _in_order(self) -> Descriptions:
        if self.shortest > self.longest:
            raise ValueError(f"shortest is {self.shortest}, more than longest, {self.longest}; exchange them")
        return self


class DrawnImages(Settings):
    """Images of the drawn world: for pairs from drawn scenes only."""

    adapter: Literal["scenes"]
    side: int = Field(ge=64, le=512)  # pixels


Generator = Annotated[ModelOfGenerator | DrawnImages, Field(discriminator="adapter")]


class GenerateMucr(Settings):
    """How cues, descriptions and images are made."""

    annotations: LabelFiles | None = None  # people's cue phrases and explanations; null: those of the source
    resolution: Resolution = Resolution(rule="single")
    descriptions: Descriptions
    styles: list[Style] = Field(min_length=1)
    candidates: int = Field(ge=1, le=1000)  # images of each sentence and style
    parts: int = Field(ge=1, le=999)  # jobs of each generator
    generators: dict[Key, Generator] = Field(min_length=1)

    @field_validator("styles")
    @classmethod
    def _once(cls, styles: list[Style]) -> list[Style]:
        if len(set(styles)) < len(styles):
            raise ValueError("names a style twice; keep one")
        return styles

    @field_validator("generators")
    @classmethod
    def _not_reserved(cls, generators: dict[str, Any]) -> dict[str, Any]:
        if RELEASED in generators:
            raise ValueError(f"`{RELEASED}` means images of the released form; rename this generator")
        return generators


class FilterMucr(Settings):
    """CLIP's selection among the candidates, before people choose."""

    clip: LocalCheckpoint
    caption_image: float = Field(ge=-1, le=1)  # minimum cosine similarity of an image and its description
    likeness: float = Field(ge=-1, le=1)  # minimum cosine similarity of the two images
    kept: int = Field(ge=1, le=1000)  # pairs of images that people choose from, for each pair and style


class Questions(Settings):
    """Which questions are asked, and how they are shown."""

    sample: int | None = Field(default=None, ge=1)  # number of pairs of test groups, drawn at random; null: all
    train_share: float = Field(ge=0, lt=1)  # share of the groups for fine-tuning and examples
    forms: list[Form] = Field(min_length=1)  # of the main questions; `text` and `composite` are always among them
    hints: bool  # whether questions are also asked with the descriptions as text (Table 2)
    context: bool  # whether the chosen effect is also looked for among rejected siblings (Figure 11)
    languages: list[Language] = Field(min_length=1)  # of C2E (Figure 14)
    input_side: int = Field(ge=64, le=4096)  # pixels to which models scale the longer side of an image
    least_label_height: int = Field(ge=4)  # of a label at that size, in pixels

    @field_validator("forms")
    @classmethod
    def _main(cls, forms: list[Form]) -> list[Form]:
        if len(set(forms)) < len(forms) or not {"text", VISUAL_FORMS[0]} <= set(forms):
            raise ValueError(f"must name each form once, `text` and `{VISUAL_FORMS[0]}` among them")
        return forms

    @field_validator("languages")
    @classmethod
    def _english(cls, languages: list[Language]) -> list[Language]:
        if len(set(languages)) < len(languages) or "en" not in languages:
            raise ValueError("must name each language once, `en` among them")
        return languages


class VerifyMucr(Settings):
    """How one pair of images is chosen for each pair and style, and the questions that follow."""

    choices: LabelFiles | None = None  # people's choices; null: the best pair by CLIP
    resolution: Resolution = Resolution(rule="majority")
    questions: Questions


class TunedModels(Settings):
    """Fine-tuning with the correct choices (MuCR 7, Table 4): one job for each model and seed."""

    models: list[str]  # keys of `models` with the adapter hf-chat; [] for no fine-tuning
    seeds: list[Annotated[int, Field(ge=0)]] = Field(min_length=1)
    recipe: FineTuning

    @field_validator("models", "seeds")
    @classmethod
    def _once(cls, values: list[str] | list[int]) -> list[str] | list[int]:
        if len(set(values)) < len(values):
            raise ValueError("names one twice; keep one")
        return values


class EvaluateMucr(Judging, Probing, HumanAttempts):
    """How models are asked."""

    strategies: list[str] = Field(min_length=1)  # those after the first are asked in the form `composite` only
    fine_tuning: TunedModels

    @field_validator("strategies")
    @classmethod
    def _known(cls, names: list[str]) -> list[str]:
        known = strategies()
        for name in names:
            if name not in known or names.count(name) > 1:
                raise ValueError(f"each must be one of {', '.join(known)}, once")
        return names

    @model_validator(mode="after")
    def _compared(self) -> EvaluateMucr:
        if self.fine_tuning.models and DIRECT not in self.strategies:
            raise ValueError(
                f"fine_tuning: tuned models are compared with their answers to the strategy {DIRECT!r}; add it to "
                "strategies, or set fine_tuning.models to []"
            )
        return self


class AggregateMucr(Settings):
    """How the results are computed."""

    confidence: float = Field(gt=0.5, lt=1)
    resamples: int = Field(ge=100, le=1_000_000)  # of the bootstrap and the permutation tests
    rule: RankingRule
    audit_folds: int = Field(ge=2, le=100)
    shown_pairs: int = Field(ge=1, le=100)  # in each view of the site


class MucrSettings(BenchmarkSettings):
    """The sections of MuCR in `params.yaml`."""

    extract: ExtractMucr
    generate: GenerateMucr
    filter: FilterMucr
    verify: VerifyMucr
    evaluate: EvaluateMucr
    aggregate: AggregateMucr

    def check(self, models: Mapping[str, Any]) -> None:
        """Checks that the models that write descriptions or are fine-tuned exist and can do it."""
        writer = self.generate.descriptions.model
        able = [key for key, model in models.items() if getattr(model, "can_judge", False)]
        if writer is not None and writer not in able:
            known = ", ".join(able) or "none; add a model with the adapter api, served or hf-chat"
            raise ValueError(
                f"generate.{{name}}.descriptions.model: {writer!r} is no model that can write; those that can: {known}"
            )
        local = [key for key, model in models.items() if getattr(model, "adapter", None) == "hf-chat"]
        for key in self.evaluate.fine_tuning.models:
            if key not in local:
                raise ValueError(
                    f"evaluate.{{name}}.fine_tuning.models: {key!r} is no checkpoint that can be fine-tuned; those "
                    f"that can: {', '.join(local) or 'none; add a model with the adapter hf-chat'}"
                )
            if not models[key].is_evaluated_on(NAME):
                raise ValueError(
                    f"models.{key}.benchmarks: lacks {NAME}; evaluate.{{name}}.fine_tuning compares it with its "
                    "answers before the training, so add it"
                )


class SourceSettings(NamedTuple):
    """What the pairs and the released images depend on."""

    extract: ExtractMucr
    styles: list[Style]


class DrawSettings(NamedTuple):
    """What the candidates depend on."""

    styles: list[Style]
    candidates: int
    generators: dict[Key, Generator]  # of a job: its own


class QuestionSettings(NamedTuple):
    """What the questions depend on."""

    questions: Questions
    styles: list[Style]


class ReportSettings(NamedTuple):
    """What the tables depend on."""

    aggregate: AggregateMucr
    strategies: list[str]
    questions: Questions
    resolution: Resolution  # of the choices of images
    released: str | None  # the file of the released form, if the pairs come from one
    judge: JudgeSettings | None = None
