"""The entries of `models` in `params.yaml`: one class per adapter, chosen by the field `adapter`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator

from whatif.engine.language.strategies import DIRECT, strategies
from whatif.engine.params.base import SourcePath
from whatif.engine.params.checkpoints import BlindTextModel, CrossEncoder, DualEncoder, HuggingFaceBlip, HuggingFaceChat
from whatif.engine.params.endpoints import ApiModel, ServedModel
from whatif.engine.params.model_entries import Answerer, Kind, MultipleChoice
from whatif.engine.params.programs import ProgramModel, ViperGpt, VisProg
from whatif.engine.params.reasoning import Reasoning

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class Baseline(Answerer):
    """Answers without reading the image or the question: a baseline that a model should beat."""

    adapter: Literal["random", "first-option", "majority"]

    @property
    def kind(self) -> Kind:
        """It guesses."""
        return "guess"

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


class Replay(Answerer):
    """Reads predictions that were made elsewhere from a file."""

    adapter: Literal["replay"]
    predictions: SourcePath = Field(min_length=1)  # path of a .csv, .tsv, .json, .jsonl, each also .gz, or .xlsx
    # In a file of the C-VQA authors: the columns of the responses to the original and the counterfactual question.
    response_columns: list[str] | None = Field(default=None, min_length=2, max_length=2)
    # The strategy with which the questions were asked; the file has no answers to others. null: see `strategy_among`.
    strategy: str | None = None
    # For responses, `words`: the questions showed their lettered options; `open`: they did not, so a letter is not an
    # answer. For losses, `rank-text` or `rank-letter`: of the texts of the options or of their letters.
    multiple_choice: MultipleChoice = "words"
    takes_images: bool = True  # false: the file is of a language model, which was asked questions in text only
    # How many responses to each question the file has; if several, its column `sample` numbers them from 0.
    samples_in_file: int = Field(default=1, ge=1, alias="samples")

    @property
    def samples(self) -> int:
        """How often each question was asked."""
        return self.samples_in_file

    def strategy_among(self, asked: Sequence[str]) -> str:
        """The only strategy of a benchmark for which the file is read: its own if that is among those `asked`.

        Otherwise, it is `direct`, or the first one if `direct` is not asked.
        """
        return next((name for name in (self.strategy or DIRECT, DIRECT) if name in asked), asked[0])

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

    @model_validator(mode="after")
    def _samples_of_responses(self) -> Replay:
        if self.samples > 1 and (self.response_columns is not None or self.multiple_choice.startswith("rank")):
            raise ValueError(
                "several samples are rows with question_id, response and sample, which have no response_columns and "
                "cannot be ranked; leave out `samples`, or set multiple_choice to `words` or `open`"
            )
        return self

    @property
    def answers_in_words(self) -> bool:
        """False: a file has the answers that it has."""
        return False

    @field_validator("strategy")
    @classmethod
    def _known(cls, name: str | None) -> str | None:
        if name is not None and name not in strategies():
            raise ValueError(f"it must be one of {', '.join(strategies())}")
        return name


def _model_key(key: str) -> str:
    if not _SLUG.fullmatch(key):
        raise ValueError(
            "a key must be lower-case words and digits joined by hyphens, without dots or spaces, for example "
            f"`{_slug(key)}`; put a hub id into the field `checkpoint`"
        )
    return key


def _reasons_in_words(entry: Any) -> Any:
    """A model that reasons answers in words: options are ranked right after the prompt, before any reasoning."""
    reasoning: Reasoning | None = getattr(entry, "reasoning", None)
    if reasoning is None or not (reasoning.is_on or reasoning.budget_tokens) or entry.benchmarks == []:
        return entry
    if entry.multiple_choice != "words":
        raise ValueError(
            f"`multiple_choice: {entry.multiple_choice}` ranks options without any reasoning; write "
            "`multiple_choice: words`, or remove `reasoning`"
        )
    return entry


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
    | Replay
    | ViperGpt
    | VisProg,
    Field(discriminator="adapter"),
    AfterValidator(_reasons_in_words),
]


def answerers(models: Mapping[str, Any], benchmark: str, *, open_questions: bool = False) -> list[str]:
    """The keys of the models that answer questions of a benchmark, sorted; with `open_questions`, without options."""
    return [
        key
        for key in _evaluated(models, benchmark, Answerer)
        if models[key].answers_open_questions or not open_questions
    ]


def programmers(models: Mapping[str, Any], benchmark: str) -> list[str]:
    """The keys of the models that answer questions of a benchmark by programs, sorted."""
    return _evaluated(models, benchmark, ProgramModel)


def matchers(models: Mapping[str, Any], benchmark: str) -> list[str]:
    """The keys of the models that score how well captions and images of a benchmark match, sorted."""
    return _evaluated(models, benchmark, DualEncoder | CrossEncoder)


def dual_encoders(models: Mapping[str, Any], benchmark: str) -> list[str]:
    """The keys of the matchers that embed captions and images separately and are used for retrieval, sorted."""
    return _evaluated(models, benchmark, DualEncoder)


def _evaluated(models: Mapping[str, Any], benchmark: str, kind: Any) -> list[str]:
    return sorted(key for key, one in models.items() if isinstance(one, kind) and one.is_evaluated_on(benchmark))


def _slug(key: str) -> str:
    return "-".join(re.findall(r"[a-z0-9]+", key.lower())) or "my-model"
