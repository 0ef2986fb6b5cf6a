"""The settings of models: one class per adapter, chosen by the field `adapter`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from whatif.language.prompts import form_named, forms, is_text
from whatif.language.strategies import strategies
from whatif.params.base import Settings, SourcePath
from whatif.params.decoding import Decoding, EndpointDecoding
from whatif.params.extra_body import ExtraBody
from whatif.params.prices import Prices
from whatif.params.server_command import CHECKPOINT, ServerCommand

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def _installed(name: str, info: ValidationInfo) -> str:
    known = (info.context or {}).get("benchmarks")
    if known is not None and name not in known:
        raise ValueError(f"it must be one of the installed benchmarks: {', '.join(known)}")
    return name


BenchmarkName = Annotated[str, AfterValidator(_installed)]
# How a model answers a question with options (see `whatif.scoring.rank`): it ranks their texts or their letters, or
# answers in words. `open` is for responses made elsewhere to questions that did not show the options.
MultipleChoice: TypeAlias = Literal["rank-text", "rank-letter", "words", "open"]
# How the likelihoods of options are compared (see `whatif.scoring.ranking_rules`).
RankingRule: TypeAlias = Literal["mean", "sum", "minus-without-image", "minus-without-prompt"]


SystemMessage = Annotated[str, Field(pattern=r"\S")]  # precedes the question, in the role `system`


def _text_or_form(setting: str) -> str:
    if is_text(setting):
        if setting.count("{question}") > 1:
            raise ValueError("{question} must occur in it once")
    elif setting not in forms():
        raise ValueError(f"it must be a text with {{question}}, or one of the prompt forms {', '.join(forms())}")
    return setting


# The text around every prompt, or the name of a prompt form (see `whatif.language.prompts`).
Prompt = Annotated[str, AfterValidator(_text_or_form)]


class _Model(Settings):
    """The settings that every model has."""

    name: str | None = None  # shown in tables; default: the key
    benchmarks: list[BenchmarkName] | None = None  # evaluated only on these; null: all; []: none, as for a mere judge

    def is_evaluated_on(self, benchmark: str) -> bool:
        """Whether the entry lists this benchmark or lists none."""
        return self.benchmarks is None or benchmark in self.benchmarks


class _Answerer(_Model):
    """The settings that every model that answers questions has."""

    limit: int | None = Field(default=None, ge=1)  # pairs per benchmark, as a pilot sample; null: all

    @property
    def answers_open_questions(self) -> bool:
        """Whether it can answer a question without options."""
        return True

    @property
    def prompt_form(self) -> str | None:
        """The name of the prompt form that words its questions; None: the strategies do."""
        return form_named(getattr(self, "prompt", None))

    @property
    def samples(self) -> int:
        """How often it is asked each question that it answers in words."""
        decoding: Decoding | EndpointDecoding | None = getattr(self, "decoding", None)
        return 1 if decoding is None else decoding.samples

    @property
    def answers_in_words(self) -> bool:
        """Whether it can be asked for an option in words, whatever its `multiple_choice` is."""
        return True

    @property
    def can_judge(self) -> bool:
        """Whether it can be asked about the response of another model, in a conversation of its own."""
        return True


class Baseline(_Answerer):
    """Answers without reading the image or the question: a baseline that a model should beat."""

    adapter: Literal["random", "first-option", "majority"]

    @property
    def answers_open_questions(self) -> bool:
        """True except for `first-option`, which needs options to choose from."""
        return self.adapter != "first-option"

    @property
    def answers_in_words(self) -> bool:
        """False: it chooses one of the options."""
        return False

    @property
    def multiple_choice(self) -> MultipleChoice:
        """A baseline chooses one of the options."""
        return "rank-text"

    @property
    def can_judge(self) -> bool:
        """A baseline does not read what it is asked."""
        return False


class LocalCheckpoint(Settings):
    """A checkpoint of the Hugging Face libraries, from the hub or from a folder, that runs on this machine."""

    checkpoint: SourcePath  # hub id, path of a folder, or `embedded:NAME`
    revision: str | None = None
    dtype: Literal["float32", "float16", "bfloat16"] = "float32"
    device: str = "cpu"
    batch_size: int = Field(default=8, ge=1, le=1024)  # questions, captions or images at once


class DiffusionCheckpoint(LocalCheckpoint):
    """A StableDiffusionPipeline with its scheduler and its number of steps."""

    steps: int = Field(ge=1, le=1000)
    scheduler: Literal["ddim", "euler-ancestral"] | None = None  # null: the checkpoint's own
    cross_attention: bool = False  # whether image pairs also share cross-attention maps
    shared_start: float = Field(default=0, ge=0, lt=1)  # share of the steps in which both images are the same
    licence: str = Field(default="unknown", min_length=1)  # licence of the generated images, for example `CC0-1.0`


class CheckpointSettings(_Answerer, LocalCheckpoint):
    """A checkpoint that answers questions; its batches are halved when memory runs out."""

    max_new_tokens: int = Field(default=64, ge=1, le=4096)  # maximum length of an answer in words
    decoding: Decoding = Decoding()  # of answers in words; default: greedy
    multiple_choice: Literal["rank-text", "rank-letter", "words"] = "rank-text"
    # How accelerate distributes the weights over the devices that it finds; null: all weights are on `device`.
    device_map: Literal["auto", "balanced", "balanced_low_0", "sequential"] | None = None
    quantization: Literal["4bit", "8bit"] | None = None  # by bitsandbytes; null: none

    @model_validator(mode="after")
    def _one_place(self) -> CheckpointSettings:
        if self.device_map is not None and "device" in self.model_fields_set:
            raise ValueError("device_map chooses the devices; give either device or device_map")
        return self


# How a model is shown several images: each in its place, or all on one canvas, for models that take one image.
SeveralImages: TypeAlias = Literal["in place", "composite"]


class HuggingFaceChat(CheckpointSettings):
    """A vision-language model with a chat template, which `AutoModelForImageTextToText` loads."""

    adapter: Literal["hf-chat"]
    several_images: SeveralImages = "in place"
    system: SystemMessage | None = None
    prompt: Prompt | None = None  # null: the prompt alone
    # Limits of width times height of an image, for families that take images of any size (Qwen-VL); null: the
    # checkpoint's own.
    min_pixels: int | None = Field(default=None, ge=1)
    max_pixels: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _ordered_limits(self) -> HuggingFaceChat:
        if self.min_pixels is not None and self.max_pixels is not None and self.min_pixels > self.max_pixels:
            raise ValueError(f"min_pixels ({self.min_pixels}) exceeds max_pixels ({self.max_pixels})")
        return self


class HuggingFaceBlip(CheckpointSettings):
    """A BLIP-2 or an InstructBLIP; they have no chat template."""

    adapter: Literal["hf-blip"]
    prompt: Prompt = "Question: {question} Answer:"

    @property
    def can_judge(self) -> bool:
        """It takes no system message and no examples."""
        return False


class BlindTextModel(CheckpointSettings):
    """A language model that reads the question but never sees the image."""

    adapter: Literal["blind"]
    system: SystemMessage | None = None  # of a checkpoint with a chat template
    prompt: Prompt = "Question: {question}\nAnswer:"  # of a checkpoint without a chat template


class DualEncoder(_Model, LocalCheckpoint):
    """A matcher that embeds captions and images separately (CLIP, FLAVA, BridgeTower) and scores them by their cosine.

    Only this kind of matcher can be used for retrieval.
    """

    adapter: Literal["dual-encoder"]


class CrossEncoder(_Model, LocalCheckpoint):
    """A matcher that reads a caption and an image together (ViLT, BridgeTower)."""

    adapter: Literal["cross-encoder"]


# The role in which an endpoint takes a system message; `user`: its text precedes the first text of the user.
SystemRole: TypeAlias = Literal["system", "developer", "user"]
# How an endpoint is asked for JSON: by its schema, as any JSON object, or by the text of the question alone.
JsonMode: TypeAlias = Literal["schema", "object", "none"]


class EndpointModel(_Answerer):
    """The settings of requests to an OpenAI-compatible endpoint, wherever it is."""

    key_variable: str | None = Field(default=None, pattern=r"^[A-Z_][A-Z0-9_]*$", max_length=64)  # environment variable
    concurrency: int = Field(default=8, ge=1, le=256)  # requests at once
    max_new_tokens: int = Field(default=64, ge=1, le=65_536)
    token_limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"  # the endpoint's name for max_new_tokens
    decoding: EndpointDecoding = EndpointDecoding()  # default: a temperature of 0
    prompt: Prompt | None = None  # null: the prompt alone
    timeout_seconds: float = Field(default=120, gt=0, le=3600)
    retries: int = Field(default=6, ge=0, le=20)
    # Maximum size of a decoded response; a larger one gives an error for its question. Only endpoints that send more
    # than a short answer, such as long reasoning, need more than the default.
    max_response_bytes: int = Field(default=8 * 2**20, ge=2**10, le=2**30)
    # For all prompts and answers of a job (one part of a benchmark, one strategy) together, over all runs.
    token_budget: int | None = Field(default=None, ge=1)
    price_per_million_prompt_tokens: float | None = Field(default=None, ge=0)
    price_per_million_response_tokens: float | None = Field(default=None, ge=0)
    multiple_choice: Literal["rank-text", "rank-letter", "words"] = "words"
    # The number of most probable tokens among which `rank-letter` finds the letters; some endpoints allow fewer.
    top_logprobs: int = Field(default=20, ge=1, le=20)
    # How the endpoint returns the log-probabilities of a prompt, which `rank-text` needs; null: it does not.
    prompt_log_probabilities: Literal["vllm"] | None = None
    several_images: SeveralImages = "in place"
    system: SystemMessage | None = None
    system_role: SystemRole = "system"
    json_mode: JsonMode = "schema"
    extra_body: ExtraBody | None = None  # additional fields of each request

    @model_validator(mode="after")
    def _can_rank_texts(self) -> EndpointModel:
        if self.multiple_choice == "rank-text" and self.prompt_log_probabilities is None:
            raise ValueError(
                "`multiple_choice: rank-text` needs an endpoint that returns the log-probabilities of a prompt; set "
                "`prompt_log_probabilities: vllm` if it does, or use `rank-letter` or `words`"
            )
        return self

    @model_validator(mode="before")
    @classmethod
    def _moved(cls, values: Any) -> Any:
        if isinstance(values, Mapping) and "temperature" in values:
            raise ValueError(f"temperature is part of decoding; write `decoding: {{temperature: {_yaml(values)}}}`")
        return values

    @model_validator(mode="after")
    def _set_once(self) -> EndpointModel:
        twice = sorted(set(self.decoding.sent()) & set(self.extra_body or {}))
        if twice:
            raise ValueError(f"`{twice[0]}` is in decoding and in extra_body; give it in decoding alone")
        return self

    @property
    def prices(self) -> Prices | None:
        """The prices of its tokens; None if they are not given."""
        prompt, response = self.price_per_million_prompt_tokens, self.price_per_million_response_tokens
        return None if prompt is None or response is None else Prices(prompt, response)

    @model_validator(mode="after")
    def _both_prices(self) -> EndpointModel:
        if (self.price_per_million_prompt_tokens is None) != (self.price_per_million_response_tokens is None):
            raise ValueError("give the prices of both prompt tokens and response tokens, or neither")
        return self


class ApiModel(EndpointModel):
    """A model behind an OpenAI-compatible endpoint that is running: a provider's, or your own."""

    adapter: Literal["api"]
    model: str = Field(min_length=1)
    base_url: str = Field(pattern=r"^https?://[^\s/?#@]+(/[^\s?#@]*)?$")


class ServedModel(EndpointModel):
    """A model behind an OpenAI-compatible server that each job starts and stops (vLLM, SGLang, transformers)."""

    adapter: Literal["served"]
    # Starts the server, without a shell. `{checkpoint}`, `{host}` and `{port}` are replaced; if host and port do not
    # occur, `--host` and `--port` are added.
    command: ServerCommand
    model: str | None = Field(default=None, min_length=1)  # name that the server lists; null: the checkpoint's
    checkpoint: SourcePath | None = Field(default=None, min_length=1)  # hub id or path of a folder, for `{checkpoint}`
    concurrency: int = Field(default=16, ge=1, le=256)
    startup_seconds: float = Field(default=900, gt=0, le=86_400)  # until the server must answer
    engine_version: str | None = Field(default=None, min_length=1)  # null: found out from the command
    device: str = "cuda"  # decides whether a job on a cluster requests a GPU; the command decides what is used

    @model_validator(mode="after")
    def _one_model(self) -> ServedModel:
        if (self.checkpoint is None) == (CHECKPOINT in self.command):
            raise ValueError(f"give both checkpoint and its placeholder {CHECKPOINT} in command, or neither")
        if self.model is None and self.checkpoint is None:
            raise ValueError("give model, the name of the model that the server lists")
        return self


class Replay(_Answerer):
    """Reads predictions that were made elsewhere from a file."""

    adapter: Literal["replay"]
    predictions: SourcePath = Field(min_length=1)  # path of a .csv, .tsv, .json, .jsonl or .xlsx
    # In a file of the C-VQA authors: the columns of the responses to the original and the counterfactual question.
    response_columns: list[str] | None = Field(default=None, min_length=2, max_length=2)
    strategy: str = "direct"  # the strategy of the open questions; the file has no answers for other strategies
    # For responses, `words`: the questions showed their lettered options; `open`: they did not, so a letter is not an
    # answer. For losses, `rank-text` or `rank-letter`: of the texts of the options or of their letters.
    multiple_choice: MultipleChoice = "words"

    @property
    def can_judge(self) -> bool:
        """A file has no answers to a judge's questions."""
        return False

    @field_validator("response_columns")
    @classmethod
    def _two(cls, columns: list[str] | None) -> list[str] | None:
        if columns is not None and columns[0] == columns[1]:
            raise ValueError(
                "give two different columns: of the responses to the original and to the counterfactual question"
            )
        return columns

    @model_validator(mode="after")
    def _losses_or_responses(self) -> Replay:
        if self.response_columns is not None and self.multiple_choice in ("rank-text", "rank-letter"):
            raise ValueError(
                "response_columns name columns of responses, which cannot be ranked; set multiple_choice to `words` or "
                "`open`"
            )
        return self

    @property
    def answers_in_words(self) -> bool:
        """False: a file has the answers that it has."""
        return False

    @field_validator("strategy")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in strategies():
            raise ValueError(f"it must be one of {', '.join(strategies())}")
        return name


def _model_key(key: str) -> str:
    if not _SLUG.fullmatch(key):
        raise ValueError(
            "a key must be lower-case words and digits joined by hyphens, without dots or spaces, for example "
            f"`{_slug(key)}`; put a hub id into the field `checkpoint`"
        )
    return key


ModelKey = Annotated[str, AfterValidator(_model_key)]
ModelSettings = Annotated[
    Baseline
    | HuggingFaceChat
    | HuggingFaceBlip
    | BlindTextModel
    | DualEncoder
    | CrossEncoder
    | ApiModel
    | ServedModel
    | Replay,
    Field(discriminator="adapter"),
]


def answerers(models: Mapping[str, Any], benchmark: str, *, open_questions: bool = False) -> list[str]:
    """The keys of the models that answer questions of a benchmark, sorted; with `open_questions`, without options."""
    return [
        key
        for key in _evaluated(models, benchmark, _Answerer)
        if models[key].answers_open_questions or not open_questions
    ]


def matchers(models: Mapping[str, Any], benchmark: str) -> list[str]:
    """The keys of the models that score how well captions and images of a benchmark match, sorted."""
    return _evaluated(models, benchmark, DualEncoder | CrossEncoder)


def dual_encoders(models: Mapping[str, Any], benchmark: str) -> list[str]:
    """The keys of the matchers that embed captions and images separately and are used for retrieval, sorted."""
    return _evaluated(models, benchmark, DualEncoder)


def _evaluated(models: Mapping[str, Any], benchmark: str, kind: Any) -> list[str]:
    return sorted(key for key, one in models.items() if isinstance(one, kind) and one.is_evaluated_on(benchmark))


def _yaml(values: Mapping[str, Any]) -> str:
    value = values["temperature"]
    return "null" if value is None else f"{value}"


def _slug(key: str) -> str:
    return "-".join(re.findall(r"[a-z0-9]+", key.lower())) or "my-model"
