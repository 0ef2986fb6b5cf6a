"""The settings of what answers: one class an adapter, told apart by the field `adapter`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from whatif.language.strategies import strategies
from whatif.params.base import Settings, SourcePath
from whatif.params.extra_body import ExtraBody
from whatif.params.prices import Prices

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def _installed(name: str, info: ValidationInfo) -> str:
    known = (info.context or {}).get("benchmarks")
    if known is not None and name not in known:
        raise ValueError(f"installed benchmarks: {', '.join(known)}")
    return name


BenchmarkName = Annotated[str, AfterValidator(_installed)]
# How a question with options is put to a model (see `whatif.scoring.rank`): it ranks the options by their text or by
# their letter, or it answers in words. `open` is for answers made elsewhere to questions that did not show the options.
MultipleChoice: TypeAlias = Literal["rank-text", "rank-letter", "words", "open"]


SystemMessage = Annotated[str, Field(pattern=r"\S")]  # said before the question, in the role `system`


class _Model(Settings):
    """What every model of `params.yaml` may have."""

    name: str | None = None  # as printed in tables; the key when not given
    benchmarks: list[BenchmarkName] | None = Field(default=None, min_length=1)  # those it is evaluated on; null: all

    def is_evaluated_on(self, benchmark: str) -> bool:
        """Whether the entry lists this benchmark, or lists none."""
        return self.benchmarks is None or benchmark in self.benchmarks


class _Answerer(_Model):
    """What every model that answers questions may have."""

    limit: int | None = Field(default=None, ge=1)  # pairs of a benchmark that it is asked, as a pilot sample; null: all

    @property
    def answers_open_questions(self) -> bool:
        """Whether it can answer a question without options."""
        return True


class Baseline(_Answerer):
    """Answers without a look at picture or words: the lines that a model must pass."""

    adapter: Literal["random", "first-option", "majority"]

    @property
    def answers_open_questions(self) -> bool:
        """All but one, which needs options to choose from."""
        return self.adapter != "first-option"

    @property
    def multiple_choice(self) -> MultipleChoice:
        """A baseline picks one of the options that it is given."""
        return "rank-text"


class LocalCheckpoint(Settings):
    """A checkpoint of the Hugging Face libraries, from the hub or from a folder, that runs on this machine."""

    checkpoint: SourcePath  # hub id, path of a folder, or `embedded:NAME`
    revision: str | None = None
    dtype: Literal["float32", "float16", "bfloat16"] = "float32"
    device: str = "cpu"
    batch_size: int = Field(default=8, ge=1, le=1024)  # questions, captions or pictures at once


class DiffusionCheckpoint(LocalCheckpoint):
    """A StableDiffusionPipeline, and in how many steps of which scheduler it makes a picture."""

    steps: int = Field(ge=1, le=1000)
    scheduler: Literal["ddim", "euler-ancestral"] | None = None  # the checkpoint's own when null
    cross_attention: bool = False  # whether pairs of pictures share the maps of cross-attention too
    shared_start: float = Field(default=0, ge=0, lt=1)  # share of the steps at which a pair is one and the same picture
    licence: str = Field(default="unknown", min_length=1)  # of the pictures that it draws, as `CC0-1.0`


class CheckpointSettings(_Answerer, LocalCheckpoint):
    """A checkpoint that answers questions; its batches are halved when memory runs out."""

    max_new_tokens: int = Field(default=64, ge=1, le=4096)  # of an answer in words
    multiple_choice: Literal["rank-text", "rank-letter", "words"] = "rank-text"
    # How accelerate spreads the weights over the devices that it finds; null puts all of them on `device`.
    device_map: Literal["auto", "balanced", "balanced_low_0", "sequential"] | None = None
    quantization: Literal["4bit", "8bit"] | None = None  # bits a weight, by bitsandbytes; null keeps them as they are

    @model_validator(mode="after")
    def _one_place(self) -> CheckpointSettings:
        if self.device_map is not None and "device" in self.model_fields_set:
            raise ValueError("device_map chooses the devices itself; give device or device_map, not both")
        return self


class HuggingFaceChat(CheckpointSettings):
    """A vision-language model with a chat template, which `AutoModelForImageTextToText` loads."""

    adapter: Literal["hf-chat"]
    system: SystemMessage | None = None


Prompt = Annotated[str, Field(pattern=r"\{question\}")]  # the words of a prompt, `{question}` where the question stands


class HuggingFaceBlip(CheckpointSettings):
    """A BLIP-2 or an InstructBLIP; they have no chat template."""

    adapter: Literal["hf-blip"]
    prompt: Prompt = "Question: {question} Answer:"


class BlindTextModel(CheckpointSettings):
    """A language model that reads the question and sees no picture."""

    adapter: Literal["blind"]
    system: SystemMessage | None = None  # of a checkpoint with a chat template
    prompt: Prompt = "Question: {question}\nAnswer:"  # of a checkpoint without a chat template


class DualEncoder(_Model, LocalCheckpoint):
    """A matcher that embeds captions and pictures by themselves (CLIP, FLAVA, BridgeTower): it scores by the cosine.

    It alone can search among many of them.
    """

    adapter: Literal["dual-encoder"]


class CrossEncoder(_Model, LocalCheckpoint):
    """A matcher that reads a caption and a picture together (ViLT, BridgeTower)."""

    adapter: Literal["cross-encoder"]


class ApiModel(_Answerer):
    """A model behind an OpenAI-compatible endpoint: a provider's, or a server of one's own (vLLM, transformers)."""

    adapter: Literal["api"]
    model: str = Field(min_length=1)
    base_url: str = Field(pattern=r"^https?://[^\s/?#@]+(/[^\s?#@]*)?$")
    key_variable: str | None = Field(default=None, pattern=r"^[A-Z_][A-Z0-9_]*$", max_length=64)  # of the environment
    concurrency: int = Field(default=8, ge=1, le=256)  # requests at once
    max_new_tokens: int = Field(default=64, ge=1, le=65_536)
    token_limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"  # what the endpoint calls the line above
    temperature: float | None = Field(default=0, ge=0, le=2)  # null: not sent, for models that refuse it
    timeout_seconds: float = Field(default=120, gt=0, le=3600)
    retries: int = Field(default=6, ge=0, le=20)
    # Of a response, decoded; what is larger ends the question in an error. Answers are short: only an endpoint that
    # sends more beside them, such as long reasoning, needs more than the default.
    max_response_bytes: int = Field(default=8 * 2**20, ge=2**10, le=2**30)
    # Of all answers of a job (a part of a benchmark, a strategy) together, prompts too, in however many runs they came.
    token_budget: int | None = Field(default=None, ge=1)
    price_per_million_prompt_tokens: float | None = Field(default=None, ge=0)
    price_per_million_response_tokens: float | None = Field(default=None, ge=0)
    multiple_choice: Literal["words"] = "words"
    system: SystemMessage | None = None
    extra_body: ExtraBody | None = None  # further fields of each request, as the endpoint knows them

    @field_validator("multiple_choice", mode="before")
    @classmethod
    def _in_words(cls, form: object) -> object:
        if form != "words":
            raise ValueError("an endpoint returns no likelihoods to rank options by; it answers in `words`")
        return form

    @property
    def prices(self) -> Prices | None:
        """What its tokens cost; None when that is not said."""
        prompt, response = self.price_per_million_prompt_tokens, self.price_per_million_response_tokens
        return None if prompt is None or response is None else Prices(prompt, response)

    @model_validator(mode="after")
    def _both_prices(self) -> ApiModel:
        if (self.price_per_million_prompt_tokens is None) != (self.price_per_million_response_tokens is None):
            raise ValueError("give both prices, of prompt tokens and of response tokens, or none")
        return self


class Replay(_Answerer):
    """Says again what a model said elsewhere: reads a file of predictions."""

    adapter: Literal["replay"]
    predictions: SourcePath = Field(min_length=1)  # path of a .csv, .tsv, .json, .jsonl or .xlsx
    # The columns with the responses to the original and to the counterfactual question, in a file of the C-VQA authors.
    response_columns: list[str] | None = Field(default=None, min_length=2, max_length=2)
    strategy: str = "direct"  # how open questions were put; the file has no answers to any other strategy
    # `words`: the questions showed their lettered options. `open`: they did not, so a letter names none of them.
    multiple_choice: Literal["words", "open"] = "words"

    @field_validator("response_columns")
    @classmethod
    def _two(cls, columns: list[str] | None) -> list[str] | None:
        if columns is not None and columns[0] == columns[1]:
            raise ValueError("name two columns, of the responses to the original and to the counterfactual question")
        return columns

    @field_validator("multiple_choice", mode="before")
    @classmethod
    def _said_in_words(cls, form: object) -> object:
        if form in ("rank-text", "rank-letter"):
            raise ValueError("a file of responses holds no likelihoods to rank options by; give `words` or `open`")
        return form

    @field_validator("strategy")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in strategies():
            raise ValueError(f"it is one of {', '.join(strategies())}")
        return name


def _model_key(key: str) -> str:
    if not _SLUG.fullmatch(key):
        raise ValueError(
            "a key must be lower-case words and digits joined by hyphens, without dots or spaces, for example "
            f"`{_slug(key)}`; a hub id belongs in the field `checkpoint`"
        )
    return key


ModelKey = Annotated[str, AfterValidator(_model_key)]
ModelSettings = Annotated[
    Baseline | HuggingFaceChat | HuggingFaceBlip | BlindTextModel | DualEncoder | CrossEncoder | ApiModel | Replay,
    Field(discriminator="adapter"),
]


def answerers(models: Mapping[str, Any], benchmark: str, *, open_questions: bool = False) -> list[str]:
    """The keys of models that answer the questions of a benchmark, sorted; `open_questions` have no options."""
    return [
        key
        for key in _evaluated(models, benchmark, _Answerer)
        if models[key].answers_open_questions or not open_questions
    ]


def matchers(models: Mapping[str, Any], benchmark: str) -> list[str]:
    """The keys of models that score how well captions and pictures of a benchmark match, sorted."""
    return _evaluated(models, benchmark, DualEncoder | CrossEncoder)


def dual_encoders(models: Mapping[str, Any], benchmark: str) -> list[str]:
    """The keys of matchers that embed captions and pictures by themselves, and so can search among many; sorted."""
    return _evaluated(models, benchmark, DualEncoder)


def _evaluated(models: Mapping[str, Any], benchmark: str, kind: Any) -> list[str]:
    return sorted(key for key, one in models.items() if isinstance(one, kind) and one.is_evaluated_on(benchmark))


def _slug(key: str) -> str:
    return "-".join(re.findall(r"[a-z0-9]+", key.lower())) or "my-model"
