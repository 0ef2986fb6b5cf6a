"""What the settings of all models have in common."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, model_validator

from whatif.engine.files.named_folders import EMBEDDED
from whatif.engine.language.prompts import form_named, forms, is_text, same_wording
from whatif.engine.params.base import Settings, SourcePath
from whatif.engine.params.decoding import Decoding, EndpointDecoding


def _installed(name: str, info: ValidationInfo) -> str:
    known = (info.context or {}).get("benchmarks")
    if known is not None and name not in known:
        raise ValueError(f"it must be one of the installed benchmarks: {', '.join(known)}")
    return name


BenchmarkName = Annotated[str, AfterValidator(_installed)]


def _number_or_file(value: Any) -> Any:
    if value is None or (isinstance(value, str) and value) or (type(value) is int and value > 0):
        return value
    raise ValueError("it must be a number of pairs, at least 1, or a file with the ids of pairs")


# The pairs that a model is asked: a number, the path of a text file with an id in each line, or all.
Limit: TypeAlias = Annotated[int | SourcePath | None, BeforeValidator(_number_or_file)]
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


# The text around every prompt, or the name of a prompt form (see `whatif.engine.language.prompts`).
Prompt = Annotated[str, AfterValidator(_text_or_form)]


def _to_compare(settings: list[str]) -> list[str]:
    if len(settings) < 2:
        raise ValueError("give two prompts or more to compare; a single one is `prompt`")
    for place, setting in enumerate(settings):
        for other in settings[:place]:
            if setting == other:
                raise ValueError(f"{setting!r} occurs twice; keep one")
            if same_wording(setting, other):
                raise ValueError(f"{other!r} and {setting!r} have the same wording; keep one")
    return settings


# How a model is shown several images: each in its place, or all on one canvas, for models that take one image.
SeveralImages: TypeAlias = Literal["in place", "composite"]


# What answers for a model: a model of the user's own, a checkpoint that ships with whatif, programs that rules write
# without a model, or a baseline that guesses.
Kind: TypeAlias = Literal["own", "embedded", "rules", "guess"]


class ModelEntry(Settings):
    """The settings that every model has."""

    name: str | None = None  # shown in tables; default: the key
    benchmarks: list[BenchmarkName] | None = None  # evaluated only on these; null: all; []: none, as for a mere judge

    @property
    def kind(self) -> Kind:
        """What answers for it."""
        return "embedded" if str(getattr(self, "checkpoint", "")).startswith(EMBEDDED) else "own"

    def is_evaluated_on(self, benchmark: str) -> bool:
        """Whether the entry lists this benchmark or lists none."""
        return self.benchmarks is None or benchmark in self.benchmarks


class Answerer(ModelEntry):
    """The settings that every model that answers questions has."""

    limit: Limit = None  # pairs per benchmark, as a pilot sample, or a file with the ids of pairs; null: all

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


class Prompted(Answerer):
    """The settings that every model has whose prompt can be worded; a subclass has the field `prompt`."""

    # Several values of `prompt`: the model is evaluated with each, as an entry of its own (`one_entry_a_prompt`). An
    # answer depends on its own prompt alone, so the list is part of no key.
    prompts: Annotated[list[Prompt], AfterValidator(_to_compare)] | None = Field(default=None, exclude=True)

    @model_validator(mode="after")
    def _one_or_several(self) -> Self:
        if self.prompts is not None and "prompt" in self.model_fields_set:
            raise ValueError("give either prompt, a single one, or prompts, a list of those to compare")
        return self
