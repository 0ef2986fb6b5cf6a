"""Base classes of the sections of `params.yaml`: immutable settings that reject unknown keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

STAGES = ("extract", "generate", "filter", "verify", "evaluate", "aggregate")


class Outside:
    """Marks the type of a setting that names a file or folder outside the graph: its contents are tracked."""


SourcePath = Annotated[str, Outside()]


class Settings(BaseModel):
    """A part of `params.yaml`. It is immutable and rejects unknown keys."""

    # The validator of a class is built when it is first used: of most classes, only as a part of another one's.
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, strict=True, defer_build=True)


class BenchmarkSettings(Settings):
    """The sections of one benchmark: a subclass has a field for each stage with settings, named like the stage."""

    def check(self, models: Mapping[str, Any]) -> None:
        """Checks these settings against the models of `params.yaml`.

        Raises ValueError; its text begins with the path of the key, in which `{name}` is the benchmark's name.
        """


class Range(Settings):
    """Whole numbers from `low` to `high`, both included."""

    low: int = Field(ge=0)
    high: int = Field(ge=0)

    @model_validator(mode="after")
    def _ordered(self) -> Range:
        if self.low > self.high:
            raise ValueError(f"low ({self.low}) must not be above high ({self.high})")
        return self


class Span(Settings):
    """Numbers from `low` to `high`."""

    low: float
    high: float

    @model_validator(mode="after")
    def _ordered(self) -> Span:
        if self.low > self.high:
            raise ValueError(f"low ({self.low}) must not be above high ({self.high})")
        return self


class Share(Span):
    """Shares of a whole, from `low` to `high`, between 0 and 1."""

    @model_validator(mode="after")
    def _of_a_whole(self) -> Share:
        if self.low < 0 or self.high > 1:
            raise ValueError("a share must be between 0 and 1")
        return self
