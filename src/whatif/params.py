"""A typed view of `params.yaml`: every knob, its type, its range; an unknown key or a bad value is an error."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from whatif.params_benchmarks import Aggregate, Evaluate, Extract, Filter, Generate, Verify
from whatif.params_models import BenchmarkName, ModelKey, ModelSettings
from whatif.settings import Settings
from whatif.settings_files import check_settings, read_settings

PARAMS_FILE = "params.yaml"


class Params(Settings):
    """The whole of `params.yaml`."""

    seed: int = Field(ge=0, lt=2**32)
    benchmarks: list[BenchmarkName] = Field(min_length=1)
    extract: Extract
    generate: Generate
    filter: Filter
    verify: Verify
    evaluate: Evaluate
    models: dict[ModelKey, ModelSettings] = Field(min_length=1)
    aggregate: Aggregate

    @model_validator(mode="after")
    def _once(self) -> Params:
        if len(set(self.benchmarks)) < len(self.benchmarks):
            raise ValueError("benchmarks: each one once")
        for key in self.evaluate.cvqa_real.sampled_models:
            if key not in self.models:
                known = ", ".join(self.models)
                raise ValueError(f"evaluate.cvqa-real.sampled_models: {key!r} is no key of models; there are {known}")
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
    """Reads and checks `params.yaml`. Raises WhatifError with one line a finding, see `read_settings`."""
    return read_settings(Params, path)


def check(values: Any, path: Path = Path(PARAMS_FILE)) -> Params:
    """Values as read from a file, checked; raises as `load` does."""
    return check_settings(Params, values, path)
