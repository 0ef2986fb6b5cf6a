"""Reads settings from YAML files and checks them; each mistake is reported as one readable line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import read_bytes
from whatif.engine.files.well_formed import escaped
from whatif.engine.files.yaml_values import LARGEST, parse_yaml
from whatif.engine.params.base import Settings
from whatif.engine.params.server_command import has_secret
from whatif.engine.params.suggestions import example_line, needed_keys, suggestion

Root = TypeVar("Root", bound=Settings)
_REMEDY = "restore it, for example with `git checkout`"
_LONGEST_SHOWN = 120  # characters of a section that an error quotes


def read_settings(root: type[Root], path: Path, remedy: str = _REMEDY) -> Root:
    """Reads and checks a file of settings; `remedy` says what to do if the file cannot be read.

    Raises WhatifError with one line per finding: file, line, path of the key, what is wrong, what would be right.
    """
    values, tree = read_yaml(path, remedy)
    return check_settings(root, values, path, tree)


def read_yaml(path: Path, remedy: str = _REMEDY) -> tuple[Any, yaml.Node | None]:
    """The values of a file, and the file as nodes. Raises WhatifError when it cannot be read, and as `parse_yaml`."""
    try:
        text = read_bytes(path, LARGEST).decode("utf-8")
    except OSError as error:
        raise WhatifError(f"{path}: cannot be read ({error.strerror}); {remedy}") from error
    except UnicodeDecodeError as error:
        raise WhatifError(f"{path}: is not UTF-8 (byte {error.start}); save it as UTF-8") from error
    return parse_yaml(text, path)


def check_settings(
    root: type[Root],
    values: Any,
    path: Path,
    tree: yaml.Node | None = None,
    context: Mapping[str, Any] | None = None,
) -> Root:
    """Checks values that were read from a file; `tree` has the YAML nodes of the file, for line numbers.

    `context` is passed to the validators of single values.

    Raises WhatifError as `read_settings` does.
    """
    if not isinstance(values, dict):
        first = " and ".join(f"`{field.alias or name}`" for name, field in list(root.model_fields.items())[:2])
        raise WhatifError(f"{path}: must contain keys and values, such as {first}")
    try:
        return root.model_validate(values, context=context)
    except ValidationError as error:
        lines = [_finding_line(_without_secret(finding), values, path, tree, root) for finding in error.errors()]
        raise WhatifError("\n".join(sorted(set(lines)))) from None


def _without_secret(finding: Any) -> Any:
    """A finding without values that may be secrets: an API key in place of a variable's name, in a URL or a command."""
    where, value = finding["loc"], finding["input"]
    secret = where[-1:] in (("key_variable",), ("base_url",)) or "extra_body" in where
    secret = secret or (where[-1:] == ("command",) and has_secret(str(value)))
    return {**finding, "input": "(not shown)"} if secret else finding


def _finding_line(finding: Any, values: Any, path: Path, tree: yaml.Node | None, root: type[BaseModel]) -> str:
    """One of pydantic's findings about `values`, read from `path`, as a readable line."""
    if not finding["loc"]:
        # Raised by a check over several keys; its message names the wrong one.
        return f"{path}: {finding['msg'].removeprefix('Value error, ')}"
    keys = _keys_in_file(finding["loc"], values)
    where = f"{path}:{line_of(keys, tree)}: " if tree else f"{path}: "
    name = ".".join(escaped(str(key)) for key in keys)
    kind, message = finding["type"], finding["msg"].removeprefix("Value error, ")
    if kind == "extra_forbidden":
        return f"{where}{name}: unknown key{suggestion(keys, values, root)}"
    is_empty = kind in ("model_type", "dict_type", "model_attributes_type") and finding["input"] is None
    if kind == "missing" or is_empty:
        needed = needed_keys(keys, values, root) or ("; it must contain keys and values" if is_empty else "")
        return f"{where}{name}: is {'empty' if is_empty else 'missing'}{needed}{example_line(keys, values, root)}"
    if kind == "union_tag_not_found":
        return f"{where}{name}: has no adapter; give one, for example `adapter: random`"
    if kind == "union_tag_invalid":
        context = finding["ctx"]
        return f"{where}{name}.adapter: is {context['tag']!r}; it must be one of {context['expected_tags']}"
    if kind in ("model_type", "dict_type"):
        message = "it must contain keys and values"
    value = finding["input"]
    # A model may contain a secret; and of a long section, the message alone names what contradicts itself.
    whole_entry = isinstance(value, dict | list) and ("adapter" in value or len(repr(value)) > _LONGEST_SHOWN)
    shown = "" if whole_entry else f"is {value!r}; "
    return f"{where}{name}: {shown}{message[:1].lower()}{message[1:]}"


def _keys_in_file(location: tuple[Any, ...], values: Any) -> list[Any]:
    """The path of keys in the file for the location of an error, without the tags that pydantic adds for a union."""
    keys: list[Any] = []
    for number, key in enumerate(location):
        inside = isinstance(values, dict) and key in values
        is_index = isinstance(values, list) and isinstance(key, int) and key < len(values)
        if inside or is_index:
            values = values[key]
            keys.append(key)
        elif number == len(location) - 1 and key != "[key]" and not _is_tag(key, values):
            keys.append(key)
    return keys


def _is_tag(key: Any, values: Any) -> bool:
    """Whether a part of a location is a tag, such as the adapter `hf-chat`, rather than a key of the file."""
    return isinstance(values, dict) and key == values.get("adapter")


def line_of(keys: list[Any], tree: yaml.Node | None) -> int:
    """The line of a key, given by its path, in a file; the last one that exists, where a key is missing."""
    line, node = 1, tree
    for key in keys:
        if isinstance(node, yaml.MappingNode):
            found = [(k, v) for k, v in node.value if k.value == str(key)]
            if not found:
                break
            line, node = found[0][0].start_mark.line + 1, found[0][1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(key, int):
            node = node.value[key]
            line = node.start_mark.line + 1
    return line
