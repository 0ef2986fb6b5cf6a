"""Defaults of settings, in files with comments, and how `params.yaml` is laid over them.

A benchmark that is a package may have a file `defaults.yaml`: the values of its settings by stage. What `params.yaml`
says is laid over it key by key where a settings class says which keys there are. A list, a single value, and a mapping
whose keys are names that a user chooses replace the default as a whole, so that entries can be removed. So does a
mapping that names another checkpoint, because its other keys describe that checkpoint.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from whatif.engine.files.yaml_values import parse_yaml
from whatif.engine.params.base import STAGES

DEFAULTS_FILE = "defaults.yaml"
WHOLE = Path(__file__).with_name(DEFAULTS_FILE)  # explains the keys of a whole project
_CHECKPOINT = "checkpoint"

Defaults = Mapping[str, Mapping[str, Any]]  # benchmark -> stage -> the values of its section


def read_defaults(path: Path) -> dict[str, Any]:
    """The values of a file of defaults; empty if there is none."""
    if not path.is_file():
        return {}
    values, _ = parse_yaml(path.read_text(encoding="utf-8"), path)
    return values or {}


def over_defaults(values: Any, kinds: Mapping[str, type[BaseModel]], defaults: Defaults) -> Any:
    """The values of a whole `params.yaml` over the defaults of some benchmarks, as far as they are well-formed.

    `kinds` has the settings class of each benchmark.
    """
    if not isinstance(values, dict):
        return values
    found = dict(values)
    for stage in STAGES:
        sections = {name: of[stage] for name, of in defaults.items() if stage in of}
        given = {} if values.get(stage) is None else values[stage]
        if sections and isinstance(given, dict):
            laid = {
                name: over(given[name], section, kinds[name].model_fields[stage].annotation)
                if name in given
                else section
                for name, section in sections.items()
            }
            found[stage] = {**given, **laid}
    return found


def over(given: Any, default: Any, kind: Any) -> Any:
    """A value of a type over its default. Where only a mapping is allowed, nothing sets nothing."""
    settings = _settings_class(kind)
    if settings is None or not isinstance(default, dict):
        return given
    if given is None and kind is settings:
        return default
    if not isinstance(given, dict) or given.get(_CHECKPOINT, default.get(_CHECKPOINT)) != default.get(_CHECKPOINT):
        return given
    types_of = {field.alias or name: field.annotation for name, field in settings.model_fields.items()}
    laid = {
        key: over(given[key], value, types_of.get(key)) if key in given else value for key, value in default.items()
    }
    return {**laid, **{key: value for key, value in given.items() if key not in laid}}


def _settings_class(kind: Any) -> type[BaseModel] | None:
    """The only class of settings that a type allows, besides None; a union of several has none."""
    if get_origin(kind) is Annotated:
        return _settings_class(get_args(kind)[0])
    if get_origin(kind) in (Union, types.UnionType):
        members = [one for one in get_args(kind) if one is not types.NoneType]
        return _settings_class(members[0]) if len(members) == 1 else None
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None
