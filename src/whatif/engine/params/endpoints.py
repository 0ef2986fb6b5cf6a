"""The settings of models behind an OpenAI-compatible endpoint: one class per adapter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from pydantic import Field, model_validator

from whatif.engine.params.addresses import BaseUrl, KeyVariable
from whatif.engine.params.base import SourcePath
from whatif.engine.params.decoding import EndpointDecoding
from whatif.engine.params.extra_body import ExtraBody
from whatif.engine.params.model_entries import Prompt, Prompted, SeveralImages, SystemMessage
from whatif.engine.params.prices import Prices
from whatif.engine.params.reasoning import Reasoning, check_room
from whatif.engine.params.server_command import CHECKPOINT, ServerCommand

# The role in which an endpoint takes a system message; `user`: its text precedes the first text of the user.
SystemRole: TypeAlias = Literal["system", "developer", "user"]
# How an endpoint is asked for JSON: by its schema, as any JSON object, or by the text of the question alone.
JsonMode: TypeAlias = Literal["schema", "object", "none"]


class EndpointModel(Prompted):
    """The settings of requests to an OpenAI-compatible endpoint, wherever it is."""

    key_variable: KeyVariable | None = None
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
    # Values of `finish_reason` that an endpoint has for complete replies and that are not known here; read as `stop`.
    complete_finish_reasons: list[str] = Field(default=[])
    # For all prompts and answers of a job (one part of a benchmark, one strategy) together, over all runs.
    token_budget: int | None = Field(default=None, ge=1)
    price_per_million_prompt_tokens: float | None = Field(default=None, ge=0)
    price_per_million_response_tokens: float | None = Field(default=None, ge=0)
    multiple_choice: Literal["rank-text", "rank-letter", "words"] = "words"
    # The number of most probable tokens among which `rank-letter` finds the letters; some endpoints allow fewer.
    top_logprobs: int = Field(default=20, ge=1, le=20)
    # How the endpoint returns the log-probabilities of a prompt, which `rank-text` needs; null: it does not.
    prompt_log_probabilities: Literal["vllm"] | None = None
    takes_images: bool = True  # false: a language model, which is sent the texts of a conversation only
    several_images: SeveralImages = "in place"
    system: SystemMessage | None = None
    system_role: SystemRole = "system"
    json_mode: JsonMode = "schema"
    extra_body: ExtraBody | None = None  # additional fields of each request
    # The budget is not sent, because endpoints have no common field for it: it is room in the limit of new tokens.
    reasoning: Reasoning | None = None

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
        fields = {} if self.reasoning is None else self.reasoning.fields
        if again := sorted(set(fields) & set(self.extra_body or {})):
            raise ValueError(f"`{again[0]}` is sent for reasoning and is in extra_body; remove it from extra_body")
        return self

    @model_validator(mode="after")
    def _has_room(self) -> EndpointModel:
        check_room(self.reasoning, self.max_new_tokens)
        return self

    @property
    def room_for_reasoning(self) -> int:
        """Tokens by which the limit of new tokens exceeds that of the answer."""
        return 0 if self.reasoning is None else self.reasoning.room

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
    base_url: BaseUrl


class ServedModel(EndpointModel):
    """A model behind an OpenAI-compatible server that each job starts and stops (vLLM, SGLang, transformers)."""

    adapter: Literal["served"]
    # Starts the server, without a shell. `{checkpoint}`, `{host}` and `{port}` are replaced; if host and port do not
    # occur, `--host` and `--port` are added.
    command: ServerCommand
    model: str | None = Field(default=None, min_length=1)  # name that the server lists; null: the checkpoint's
    # Hub id, or path of a folder or GGUF file, for `{checkpoint}`.
    checkpoint: SourcePath | None = Field(default=None, min_length=1)
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


def _yaml(values: Mapping[str, Any]) -> str:
    value = values["temperature"]
    return "null" if value is None else f"{value}"
