"""A typed view of `params.yaml`: every knob, its type, its range; an unknown key or a bad value is an error."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, ValidationError, model_validator

from whatif.errors import WhatifError
from whatif.params_benchmarks import Aggregate, Evaluate, Extract, Filter, Generate, Verify
from whatif.params_findings import finding_line, refuse_duplicates
from whatif.params_models import ModelKey, ModelSettings
from whatif.settings import Settings

PARAMS_FILE = "params.yaml"


class Params(Settings):
    """The whole of `params.yaml`."""

    seed: int = Field(ge=0, lt=2**32)
    benchmarks: list[
        Literal["cvqa-synthetic", "cvqa-real", "scenes", "coco-counterfactuals", "coco-counterfactuals-released"]
    ] = Field(min_length=1)
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
        lines = [finding_line(_without_secret(finding), values, path, tree, Params) for finding in error.errors()]
        raise WhatifError("\n".join(sorted(set(lines)))) from None


def _without_secret(finding: Any) -> Any:
    """A finding that does not show what may be a key, pasted where the name of its variable belongs, or in a URL."""
    return {**finding, "input": "(not shown)"} if finding["loc"][-1:] in (("key_variable",), ("base_url",)) else finding
