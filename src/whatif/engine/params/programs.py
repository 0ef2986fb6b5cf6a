"""The settings of models that answer by programs: who writes them, their tools, and their limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, model_validator

from whatif.engine.params.base import Settings, SourcePath
from whatif.engine.params.checkpoints import BlindTextModel, HuggingFaceBlip, HuggingFaceChat, LocalCheckpoint
from whatif.engine.params.endpoints import ApiModel, ServedModel
from whatif.engine.params.model_entries import Answerer, Kind, ModelEntry, MultipleChoice


class RuleWriter(Settings):
    """Writes programs by rules, without a model.

    `rules` understands the presuppositions of drawn scenes and puzzles; `literal` ignores every presupposition.
    """

    adapter: Literal["rules", "literal"]


class FileWriter(Settings):
    """Programs that were written elsewhere."""

    adapter: Literal["file"]
    programs: SourcePath  # a CSV, JSON or JSONL with the columns below
    # The columns of the programs of the original and of the counterfactual question, as in files of C-VQA's authors.
    columns: list[str] = Field(default=["code", "new code"], min_length=2, max_length=2)

    @model_validator(mode="after")
    def _two(self) -> FileWriter:
        if self.columns[0] == self.columns[1]:
            raise ValueError(
                "give two different columns: of the programs of the original and of the counterfactual question"
            )
        return self


Writer: TypeAlias = Annotated[
    RuleWriter | FileWriter | HuggingFaceChat | BlindTextModel | ApiModel | ServedModel, Field(discriminator="adapter")
]
# A model that answers a simple question about an image, as a tool of a program.
QueryModel: TypeAlias = Annotated[
    HuggingFaceChat | HuggingFaceBlip | ApiModel | ServedModel, Field(discriminator="adapter")
]


class OracleTools(Settings):
    """Tools that know what a drawn image shows."""

    kind: Literal["oracle"]


class Detector(LocalCheckpoint):
    """An open-vocabulary detector that `AutoModelForZeroShotObjectDetection` loads: OWLv2, Grounding DINO."""

    least_score: float = Field(default=0.1, ge=0, le=1)  # boxes below this score do not count
    largest_overlap: float = Field(default=0.5, gt=0, le=1)  # of two boxes (IoU above this), the better one counts


class ModelTools(Settings):
    """Tools that look at the pixels, each with a checkpoint of its own."""

    kind: Literal["models"]
    detector: Detector  # find, exists
    query: QueryModel  # simple_query
    matcher: LocalCheckpoint  # a CLIP: best_text_match, verify_property
    depth: LocalCheckpoint | None = None  # compute_depth; null: a program that calls it fails


Tools: TypeAlias = Annotated[OracleTools | ModelTools, Field(discriminator="kind")]


class Limits(Settings):
    """The limits of one program. What the tools need does not count."""

    seconds: float = Field(default=10, gt=0, le=600)  # wall-clock time
    cpu_seconds: int = Field(default=5, ge=1, le=600)
    memory_mib: int = Field(default=512, ge=64, le=16_384)
    output_kib: int = Field(default=64, ge=1, le=256)  # of what a program prints, and of its result
    file_mib: int = Field(default=1, ge=1, le=64)  # of its scratch folder
    calls: int = Field(default=500, ge=1, le=10_000)  # of tools


class ProgramModel(Answerer):
    """A model that writes a program for each question, and answers with the program's result (C-VQA 4.1)."""

    writer: Writer
    tools: Tools
    # `none` runs programs in a bare interpreter, for machines that are thrown away. It is recorded with each answer.
    sandbox: Literal["bubblewrap", "none"] = "bubblewrap"
    limits: Limits = Limits()
    # Of the tokens of an answer, which are those of its program; null: the writer's.
    price_per_million_prompt_tokens: float | None = Field(default=None, ge=0)
    price_per_million_response_tokens: float | None = Field(default=None, ge=0)

    @model_validator(mode="before")
    @classmethod
    def _prices_of_the_writer(cls, values: Any) -> Any:
        writer = values.get("writer") if isinstance(values, Mapping) else None
        if not isinstance(writer, Mapping):
            return values
        prices = {name: writer[name] for name in cls.model_fields if name.startswith("price_") and name in writer}
        return {**prices, **values}

    @model_validator(mode="after")
    def _one_program(self) -> ProgramModel:
        parts: dict[str, Any] = {"writer": self.writer, "tools.query": getattr(self.tools, "query", None)}
        for place, entry in parts.items():
            decoding = getattr(entry, "decoding", None)
            if decoding is not None and decoding.samples > 1:
                raise ValueError(f"{place}: decoding.samples is {decoding.samples}; here it must be 1")
            if getattr(entry, "prompts", None) is not None:
                raise ValueError(f"{place}: prompts are compared for a model of its own; give a single prompt here")
        return self

    @property
    def kind(self) -> Kind:
        """That of the model that writes its programs; `rules` if no model does."""
        if isinstance(self.writer, RuleWriter):
            return "rules"
        return self.writer.kind if isinstance(self.writer, ModelEntry) else super().kind

    @property
    def multiple_choice(self) -> MultipleChoice:
        """A program does not see the options: its result is compared with them."""
        return "open"

    @property
    def answers_in_words(self) -> bool:
        """False: the form of its answer is that of its programs."""
        return False

    @property
    def can_judge(self) -> bool:
        """It writes programs about pictures."""
        return False

    @property
    def adapters(self) -> tuple[str, ...]:
        """The adapters of the models that it is made of."""
        parts: list[Any] = [self.writer, getattr(self.tools, "query", None)]
        return tuple(one.adapter for one in parts if hasattr(one, "checkpoint") or hasattr(one, "base_url"))


class ViperGpt(ProgramModel):
    """Programs in Python over image patches, as those of ViperGPT."""

    adapter: Literal["vipergpt"]
    interface_file: SourcePath | None = None  # the text of a prompt with {question}; null: ours

    @model_validator(mode="after")
    def _read_by_a_model(self) -> ViperGpt:
        _check_prompt("interface_file", self.interface_file, self.writer)
        return self


class VisProg(ProgramModel):
    """Programs in a language of steps, as those of VisProg."""

    adapter: Literal["visprog"]
    examples_file: SourcePath | None = None  # the text of a prompt with {question}; null: ours

    @model_validator(mode="after")
    def _read_by_a_model(self) -> VisProg:
        _check_prompt("examples_file", self.examples_file, self.writer)
        return self


def _check_prompt(field: str, named: str | None, writer: Any) -> None:
    if named is not None and isinstance(writer, RuleWriter | FileWriter):
        raise ValueError(
            f"{field} is the prompt of a model that writes programs, and the writer `{writer.adapter}` reads none; "
            "leave it out, or choose another writer"
        )
