"""The settings of a model's reasoning: how much, how many tokens, and what its chat template is given."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, JsonValue, model_validator

from whatif.engine.params.base import Settings
from whatif.engine.params.extra_body import check_json

LEAST_ROOM = 1024  # tokens: fewer leave a model that reasons no room for its answer
EFFORT_VARIABLE = "reasoning_effort"  # the name of `effort` in chat completions, and in chat templates that know it
# What switches reasoning on or off in the chat templates of Qwen, SmolLM, GLM; DeepSeek, Granite, Kimi.
_SWITCHES = ("enable_thinking", "thinking")
# What a template gets from whatif, from the tokeniser or from the library, and the library's own arguments.
_OF_TEMPLATES = ("messages", "tools", "documents", "add_generation_prompt", "continue_final_message")
_OF_THE_LIBRARY = (
    *("conversation", "conversations", "chat_template", "tokenize", "tokenizer_kwargs", "processor_kwargs", "padding"),
    *("truncation", "max_length", "return_dict", "return_tensors", "return_assistant_tokens_mask"),
    *("sanitize_control_tokens", "load_audio_from_video", "raise_exception", "strftime_now", "namespace"),
)
_SPECIAL_TOKENS = (
    *("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"),
    *("additional_special_tokens", "image_token", "video_token", "audio_token"),
)
NOT_THEIRS = frozenset((*_OF_TEMPLATES, *_OF_THE_LIBRARY, *_SPECIAL_TOKENS))  # names that users cannot give


def _checked(given: dict[str, Any]) -> dict[str, Any]:
    for name in given:
        if name in NOT_THEIRS:
            raise ValueError(f"`{name}` is not allowed in template_kwargs: whatif or the tokeniser sets it")
        if not name.isidentifier():
            raise ValueError(f"`{name}` is no name of a variable of a chat template")
    return check_json(given)


TemplateKwargs = Annotated[dict[str, JsonValue], Field(min_length=1), AfterValidator(_checked)]


class Reasoning(Settings):
    """How a model reasons before it answers. What is not set is not sent."""

    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = None
    # Tokens of reasoning, beside the answer's max_new_tokens.
    budget_tokens: int | None = Field(default=None, ge=1, le=262_144)
    template_kwargs: TemplateKwargs | None = None  # for example {enable_thinking: true}

    @property
    def is_on(self) -> bool:
        """Whether it is switched on, by an effort or by a switch of the chat template."""
        given = self.template_kwargs or {}
        return self.effort not in (None, "none") or any(given.get(name) is True for name in _SWITCHES)

    @property
    def room(self) -> int:
        """The tokens of reasoning for which a limit of new tokens has room beside the answer."""
        return self.budget_tokens or 0

    @property
    def identity(self) -> dict[str, Any]:
        """What is set, for the key of stored answers."""
        return self.model_dump(mode="json", exclude_none=True)

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of a request for a chat completion, as vLLM, SGLang, llama-server and OpenAI name them."""
        sent = {EFFORT_VARIABLE: self.effort, "chat_template_kwargs": self.template_kwargs}
        return {name: value for name, value in sent.items() if value is not None}

    @property
    def variables(self) -> dict[str, Any]:
        """The variables that a chat template on this machine is given."""
        return {**({} if self.effort is None else {EFFORT_VARIABLE: self.effort}), **(self.template_kwargs or {})}

    @model_validator(mode="after")
    def _consistent(self) -> Reasoning:
        if not self.identity:
            raise ValueError("set effort, budget_tokens or template_kwargs, or remove `reasoning`")
        given = self.template_kwargs or {}
        if self.effort is not None and EFFORT_VARIABLE in given:
            raise ValueError(f"the effort is given twice; remove {EFFORT_VARIABLE} from template_kwargs")
        is_off = self.effort == "none" or any(given.get(name) is False for name in _SWITCHES)
        if self.budget_tokens is not None and is_off and not self.is_on:
            raise ValueError("reasoning is switched off, so budget_tokens has no use; remove one of the two")
        return self


def check_room(reasoning: Reasoning | None, max_new_tokens: int) -> None:
    """Raises ValueError when a model that reasons has no room for its answer."""
    if reasoning is None or not reasoning.is_on or reasoning.budget_tokens is not None or max_new_tokens >= LEAST_ROOM:
        return
    raise ValueError(
        f"reasoning is on, and its tokens count towards max_new_tokens ({max_new_tokens}), so answers would be cut "
        f"off; write `max_new_tokens: {LEAST_ROOM}` or more, or leave it and set reasoning.budget_tokens, for example "
        f"`budget_tokens: {2 * LEAST_ROOM}`"
    )
