"""The whole of `params.yaml`: every setting with its type and range. An unknown key or a bad value is an error.

Each stage has sections for the benchmarks, which are typed by the settings of the benchmark.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import AfterValidator, Field, create_model

from whatif.engine.errors import WhatifError
from whatif.engine.params.base import STAGES, BenchmarkSettings, Settings
from whatif.engine.params.defaults import Defaults, over_defaults
from whatif.engine.params.files import check_settings
from whatif.engine.params.gates import Gate, gate
from whatif.engine.params.judge import DefaultJudge, check_judge, with_judge
from whatif.engine.params.model_entries import BenchmarkName
from whatif.engine.params.models import ModelKey, ModelSettings
from whatif.engine.params.probes import Probes, with_probes
from whatif.engine.params.several_prompts import one_entry_a_prompt

PARAMS_FILE = "params.yaml"

Kinds = Mapping[str, type[BenchmarkSettings]]  # benchmark -> the class of its settings
Own = TypeVar("Own", bound=BenchmarkSettings)
_GateRule = Annotated[str, AfterValidator(lambda text: gate(text).text)]


@dataclass(frozen=True)
class Params:
    """The checked settings of a pipeline.

    benchmarks: the selected ones, in the order of the file. models: the models by key, with an entry for each prompt of
    one with several. sections: the settings of each selected benchmark. folder: the project, with the folder of
    benchmarks in YAML files. judge: of all benchmarks that name no other one; their sections have it already. probes:
    likewise. gates: what `whatif diff --gates` checks; no job reads them.
    """

    seed: int
    benchmarks: Sequence[str]
    models: Mapping[str, ModelSettings]
    sections: Mapping[str, BenchmarkSettings]
    folder: Path = Path()
    judge: DefaultJudge | None = None
    probes: Sequence[str] = ()
    gates: Sequence[Gate] = ()

    def section(self, benchmark: str, kind: type[Own]) -> Own:
        """The settings of a benchmark. Raises KeyError when it is not selected."""
        found = self.sections[benchmark]
        assert isinstance(found, kind)
        return found

    def lookup(self, path: str) -> Any:
        """The value at a dotted path of `params.yaml`, for example `generate.cvqa-synthetic`.

        Raises KeyError when there is no such value.
        """
        first, *rest = path.split(".")
        if first in STAGES:
            benchmark, *rest = rest
            value: Any = _field(self.sections[benchmark], first)
        else:
            value = {name: getattr(self, name) for name in ("seed", "benchmarks", "models", "judge", "probes")}[first]
        for key in rest:
            value = value[key] if isinstance(value, Mapping) else _field(value, key)
        return value


def check(
    values: Any,
    kinds: Kinds,
    names: Sequence[str],
    path: Path = Path(PARAMS_FILE),
    tree: yaml.Node | None = None,
    *,
    defaults: Defaults | None = None,
) -> Params:
    """Checks values that were read from a file; `tree` has the YAML nodes of the file, for line numbers.

    `kinds` has the settings class of every benchmark that the values mention; `names` are all installed benchmarks.
    `defaults` has the values of benchmarks that the file need not name.
    Raises WhatifError with one line per finding: file, line, path of the key, what is wrong, what would be right.
    """
    chosen = selected(values)
    laid = over_defaults(values, kinds, defaults or {})
    read = check_settings(_root(tuple(kinds.items()), tuple(chosen)), laid, path, tree, {"benchmarks": names})
    whole: Any = read
    if len(set(whole.benchmarks)) < len(whole.benchmarks):
        raise WhatifError(f"{path}: benchmarks: a name occurs twice; keep one")
    try:
        models = one_entry_a_prompt(whole.models)
    except ValueError as error:
        raise WhatifError(f"{path}: {error}") from None
    sections = {}
    for name in whole.benchmarks:
        try:
            if whole.judge is not None:
                check_judge(whole.judge, models, "judge")
            judged = with_judge(_section(kinds[name], name, read), whole.judge, models)
            sections[name] = with_probes(judged, whole.probes)
            sections[name].check(models)
        except ValueError as error:
            raise WhatifError(f"{path}: {str(error).replace('{name}', name)}") from None
    return Params(
        whole.seed,
        tuple(whole.benchmarks),
        models,
        sections,
        path.parent,
        whole.judge,
        whole.probes,
        tuple(map(gate, whole.gates)),
    )


def mentioned(values: Any) -> list[str]:
    """The names of benchmarks that the values select or have a section for, as far as the values are well-formed."""
    stages = [values.get(stage) for stage in STAGES] if isinstance(values, dict) else []
    sections = [name for stage in stages if isinstance(stage, dict) for name in stage]
    return list(dict.fromkeys(name for name in (*selected(values), *sections) if isinstance(name, str)))


def without(values: Any, names: Collection[str]) -> Any:
    """The values without the sections of some benchmarks."""
    if not names or not isinstance(values, dict):
        return values
    return {
        stage: {name: section for name, section in of.items() if name not in names}
        if stage in STAGES and isinstance(of, dict)
        else of
        for stage, of in values.items()
    }


def plain(value: Any) -> Any:
    """A value of the parameters as JSON values, with the keys of `params.yaml`."""
    if isinstance(value, Settings):
        return value.model_dump(mode="json", by_alias=True)
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return {key: plain(inner) for key, inner in value.items()} if isinstance(value, dict) else value


def selected(values: Any) -> list[str]:
    """The names of the benchmarks that the values select, as far as the values are well-formed."""
    names = values.get("benchmarks") if isinstance(values, dict) else None
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


@lru_cache(maxsize=16)  # building its validators takes longer than the check itself
def _root(kinds: tuple[tuple[str, type[BenchmarkSettings]], ...], chosen: tuple[str, ...]) -> type[Settings]:
    """The class of a whole file: a section is required where its benchmark is selected and declares no default."""
    stages = {stage: _stage(stage, dict(kinds), chosen) for stage in STAGES}
    fields: dict[str, Any] = {
        "seed": (int, Field(ge=0, lt=2**32)),
        "benchmarks": (list[BenchmarkName], Field(min_length=1)),
        "models": (dict[ModelKey, ModelSettings], Field(min_length=1)),
        "judge": (DefaultJudge | None, None),
        "probes": (Probes, []),
        "gates": (list[_GateRule], []),
        **{name: (kind, ...) if _requires(kind) else (kind | None, None) for name, kind in stages.items()},
    }
    return create_model("Params", __base__=Settings, **fields)


def _stage(stage: str, kinds: Kinds, chosen: Sequence[str]) -> type[Settings]:
    fields: dict[str, Any] = {}
    for name, kind in kinds.items():
        if stage in kind.model_fields:
            declared = kind.model_fields[stage]
            if name not in chosen:
                fields[_python_name(name)] = (declared.annotation | None, Field(default=None, alias=name))  # type: ignore[operator]
            else:
                default = ... if declared.is_required() else declared.default
                fields[_python_name(name)] = (declared.annotation, Field(default=default, alias=name))
    return create_model(stage.title(), __base__=Settings, **fields)


def _requires(kind: type[Settings]) -> bool:
    return any(field.is_required() for field in kind.model_fields.values())


def _section(kind: type[BenchmarkSettings], name: str, read: Settings) -> BenchmarkSettings:
    found = {}
    for stage in STAGES:
        if stage in kind.model_fields:
            section = getattr(read, stage)
            found[stage] = kind.model_fields[stage].default if section is None else getattr(section, _python_name(name))
    return kind.model_construct(**found)


def _python_name(name: str) -> str:
    return name.replace("-", "_")


def _field(settings: Any, key: str) -> Any:
    for name, field in type(settings).model_fields.items():
        if key in (name, field.alias):
            return getattr(settings, name)
    raise KeyError(key)
