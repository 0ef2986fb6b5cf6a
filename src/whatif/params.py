"""A typed view of `params.yaml`: every knob, its type, its range; an unknown key or a bad value is an error."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from whatif.errors import WhatifError
from whatif.params_findings import finding_line, refuse_duplicates

PARAMS_FILE = "params.yaml"
BENCHMARKS = ("cvqa-synthetic",)
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class Settings(BaseModel):
    """A part of `params.yaml`: immutable, and closed to keys that it does not name."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, strict=True)


class Range(Settings):
    """Whole numbers from `low` to `high`, both included."""

    low: int = Field(ge=0)
    high: int = Field(ge=0)

    @model_validator(mode="after")
    def _ordered(self) -> Range:
        if self.low > self.high:
            raise ValueError(f"low ({self.low}) must not be above high ({self.high})")
        return self


class Icons50(Settings):
    """A folder of the Icons-50 data set (class folders of pictures), the flower pictures of C-VQA 3.3."""

    folder: str | None = None
    classes: list[str] = Field(min_length=1)


class ExtractPuzzles(Settings):
    """Where the flower pictures come from, and their side in pixels."""

    icons50: Icons50
    flower_picture_size: int = Field(ge=16, le=512)


class GeneratePuzzles(Settings):
    """How many puzzles, how they are drawn and how their wrong options are made (C-VQA 3.3)."""

    puzzles_per_template: int = Field(ge=1, le=150_000)
    shards: int = Field(ge=1, le=999)
    image_size: int = Field(ge=192, le=1024)  # pixels
    options: Literal["exchangeable", "released"]
    flowers_per_region: Range
    dots_per_circle: Range
    smallest_region: float = Field(gt=0, le=0.1)  # share of the picture's area
    smallest_gap: float = Field(ge=0, le=2)  # between neighbours, in their radii


class FilterPuzzles(Settings):
    """When a puzzle is too crowded to be read; same units as where it is generated."""

    smallest_region: float = Field(ge=0, le=0.1)
    smallest_gap: float = Field(ge=0, le=2)


class EvaluatePuzzles(Settings):
    """How a model is asked: the words of an option that its loss is taken over."""

    rank: Literal["letter", "text"]


class AggregatePuzzles(Settings):
    """How the numbers of Table 7 are made."""

    confidence: float = Field(gt=0.5, lt=1)
    resamples: int = Field(ge=100, le=1_000_000)  # of the bootstrap
    audit_folds: int = Field(ge=2, le=20)
    released_questions: str | None = None  # path of the released CSV, to audit beside ours


class Extract(Settings):
    """Sources of each benchmark."""

    cvqa_synthetic: ExtractPuzzles = Field(alias="cvqa-synthetic")


class Generate(Settings):
    """Counterfactual generation of each benchmark."""

    cvqa_synthetic: GeneratePuzzles = Field(alias="cvqa-synthetic")


class Filter(Settings):
    """Automatic filters of each benchmark."""

    cvqa_synthetic: FilterPuzzles = Field(alias="cvqa-synthetic")


class Evaluate(Settings):
    """How models are asked in each benchmark."""

    cvqa_synthetic: EvaluatePuzzles = Field(alias="cvqa-synthetic")


class Aggregate(Settings):
    """How the numbers of each benchmark are made."""

    cvqa_synthetic: AggregatePuzzles = Field(alias="cvqa-synthetic")


class _Model(Settings):
    """What every model of `params.yaml` may have."""

    name: str | None = None  # as printed in tables; the key when not given

    def printed_name(self, key: str) -> str:
        """The name of this model in tables."""
        return self.name or key


class Baseline(_Model):
    """Answers without a look at picture or words: the lines that a model must pass."""

    adapter: Literal["random", "first-option", "majority"]


class HuggingFaceChat(_Model):
    """A checkpoint that `AutoModelForImageTextToText` loads, from the hub or from a folder."""

    adapter: Literal["hf-chat"]
    checkpoint: str  # hub id, or path of a folder
    revision: str | None = None
    dtype: Literal["float32", "float16", "bfloat16"] = "float32"
    device: str = "cpu"


def _model_key(key: str) -> str:
    if not _SLUG.fullmatch(key):
        raise ValueError(
            "a key must be lower-case words and digits joined by hyphens, without dots or spaces, for example "
            f"`{_slug(key)}`; a hub id belongs in the field `checkpoint`"
        )
    return key


ModelKey = Annotated[str, AfterValidator(_model_key)]
ModelSettings = Annotated[Baseline | HuggingFaceChat, Field(discriminator="adapter")]


class Params(Settings):
    """The whole of `params.yaml`."""

    seed: int = Field(ge=0, lt=2**32)
    benchmarks: list[Literal["cvqa-synthetic"]] = Field(min_length=1)
    extract: Extract
    generate: Generate
    filter: Filter
    evaluate: Evaluate
    models: dict[ModelKey, ModelSettings] = Field(min_length=1)
    aggregate: Aggregate

    @model_validator(mode="after")
    def _once(self) -> Params:
        if len(set(self.benchmarks)) < len(self.benchmarks):
            raise ValueError("benchmarks: each one once")
        return self

    def lookup(self, path: str) -> Any:
        """The value at a dotted path, for example `generate.cvqa-synthetic`.

        Raises KeyError when there is none.
        """
        value: Any = self
        for key in path.split("."):
            value = value[key] if isinstance(value, Mapping) else _field(value, key)
        return value


def _field(settings: Any, key: str) -> Any:
    for name, field in type(settings).model_fields.items():
        if key in (name, field.alias):
            return getattr(settings, name)
    raise KeyError(key)


def plain(value: Any) -> Any:
    """A value of the parameters as JSON knows it, with the keys of `params.yaml`."""
    if isinstance(value, Settings):
        return value.model_dump(mode="json", by_alias=True)
    return {key: plain(inner) for key, inner in value.items()} if isinstance(value, dict) else value


def load(path: Path = Path(PARAMS_FILE)) -> Params:
    """Reads and checks `params.yaml`.

    Raises WhatifError with one line a finding: file, line, path of the key, what is wrong, what would be right.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise WhatifError(
            f"{path}: cannot be read ({error.strerror}); run whatif in the root of the project"
        ) from error
    except UnicodeDecodeError as error:
        raise WhatifError(f"{path}: is not UTF-8 (byte {error.start}); save it as UTF-8") from error
    try:
        tree = yaml.compose(text, Loader=yaml.SafeLoader)
        refuse_duplicates(tree, path)
        values = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise WhatifError(f"{path}:{line}: not valid YAML: {error.problem}") from error
    except (yaml.YAMLError, RecursionError) as error:
        raise WhatifError(f"{path}: not valid YAML: {str(error).splitlines()[0]}") from error
    return check(values, path, tree)


def check(values: Any, path: Path = Path(PARAMS_FILE), tree: yaml.Node | None = None) -> Params:
    """Values as read from a file, checked; see `load` for what raises."""
    if not isinstance(values, dict):
        raise WhatifError(f"{path}: must hold keys and values; the first ones are `seed` and `benchmarks`")
    try:
        return Params.model_validate(values)
    except ValidationError as error:
        lines = [finding_line(finding, values, path, tree, Params) for finding in error.errors()]
        raise WhatifError("\n".join(sorted(set(lines)))) from None


def _slug(key: str) -> str:
    return "-".join(re.findall(r"[a-z0-9]+", key.lower())) or "my-model"
