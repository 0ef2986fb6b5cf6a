"""Suggestions for a settings file: a similar key for an unknown one, or one of another class; what a section needs."""

from __future__ import annotations

import difflib
import re
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

# Words in the keys of other tools -> the words in our keys.
_SYNONYMS = {
    "attempts": "retries",
    "endpoint": "url",
    "env": "variable",
    "environment": "variable",
    "file": "predictions",
    "label": "name",
    "length": "tokens",
    "path": "checkpoint",
    "precision": "dtype",
    "responses": "predictions",
    "title": "name",
    "weights": "checkpoint",
    "workers": "concurrency",
}
_UNINFORMATIVE = frozenset({"api", "model"})  # any key of a model might begin with them
_LEAST_RATIO = 0.6  # of letters in common, as defined by `difflib`
_LEAST_SHARE = 0.5  # of words in common
_STEM = 5  # words with this many equal first letters count as the same: quantize, quantization


def suggestion(keys: Sequence[Any], values: Any, root: type[BaseModel]) -> str:
    """The end of the message about an unknown key at the path `keys` of a file with `values` for `root`."""
    unknown = str(keys[-1])
    meant, all_kinds = _classes_at(keys[:-1], values, root)
    known = _keys_of(meant)
    elsewhere = [kind for kind in all_kinds if unknown in _keys_of([kind])]
    if elsewhere and len(meant) == 1:
        tags = sorted(tag for kind in elsewhere for tag in _tags(kind))
        return f"; it is a key of {', '.join(tags)}, not of {' or '.join(_tags(meant[0]))}"
    alike = max(known, key=lambda one: (_likeness(unknown, one), one), default=None)
    if alike is not None and _likeness(unknown, alike) > 0:
        return f"; did you mean `{alike}`?"
    return f"; it must be one of {', '.join(known)}" if known else ""


def needed_keys(keys: Sequence[Any], values: Any, root: type[BaseModel]) -> str:
    """The end of the message about a missing key at the path `keys`: what a section needs; empty for a single value."""
    kinds, _ = _classes_at(keys, values, root)
    required = [
        {field.alias or name: None for name, field in kind.model_fields.items() if field.is_required()}
        for kind in kinds
    ]
    common = [key for key in (required[0] if required else ()) if all(key in one for one in required)]
    if common:
        return f"; it needs {_listed(common)}"
    if required and not any(required):
        return f"; all of its keys are optional ({_listed(_keys_of(kinds))}), so `{{}}` is enough"
    return ""


def example_line(keys: Sequence[Any], values: Any, root: type[BaseModel]) -> str:
    """The end of the message about a missing key: the line to write, if its field has examples."""
    kinds, _ = _classes_at(keys[:-1], values, root)
    for kind in kinds:
        for name, field in kind.model_fields.items():
            if keys[-1] == (field.alias or name) and field.examples:
                return f"; write {' or '.join(f'`{keys[-1]}: {example}`' for example in field.examples)}"
    return ""


def _listed(keys: Sequence[str]) -> str:
    return ", ".join(f"`{key}`" for key in keys)


def _classes_at(
    keys: Sequence[Any], values: Any, root: type[BaseModel]
) -> tuple[list[type[BaseModel]], list[type[BaseModel]]]:
    """The classes that the mapping at a path is read as, and all classes that are allowed there with another tag."""
    kinds: list[Any] = [root]
    value = values
    for key in keys:
        kinds = [inner for kind in kinds for one in _members(kind, value) for inner in _inside(one, key)]
        inside = (isinstance(value, Mapping) and key in value) or (isinstance(value, list) and key in range(len(value)))
        value = value[key] if inside else None
    meant, possible = (
        [one for kind in kinds for one in _members(kind, of) if isinstance(one, type) and issubclass(one, BaseModel)]
        for of in (value, None)
    )
    return meant, possible


def _members(kind: Any, value: Any) -> Iterator[Any]:
    """The member types of an annotation; for a tagged union whose tag is in `value`, only the type with this tag."""
    if get_origin(kind) is Annotated:
        inner, *metadata = get_args(kind)
        tag = next((one.discriminator for one in metadata if isinstance(one, FieldInfo) and one.discriminator), None)
        members = list(_members(inner, value))
        given = value.get(tag) if tag is not None and isinstance(value, Mapping) else None
        tagged = [one for one in members if given is not None and given in _tags(one, str(tag))]
        yield from tagged or members
    elif get_origin(kind) in (Union, types.UnionType):
        for one in get_args(kind):
            yield from _members(one, value)
    else:
        yield kind


def _inside(kind: Any, key: Any) -> Iterator[Any]:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        for name, field in kind.model_fields.items():
            if key in (name, field.alias):
                yield Annotated[field.annotation, field]
    elif get_origin(kind) in (dict, list):
        yield get_args(kind)[-1]


def _tags(kind: type[BaseModel], field: str = "adapter") -> list[str]:
    """The values of a class's tag, or the name of the class if it has no tag."""
    annotation = kind.model_fields[field].annotation if field in getattr(kind, "model_fields", {}) else None
    return [str(tag) for tag in get_args(annotation)] if get_origin(annotation) is Literal else [kind.__name__]


def _keys_of(kinds: Sequence[type[BaseModel]]) -> list[str]:
    return sorted({field.alias or name for kind in kinds for name, field in kind.model_fields.items()})


def _likeness(unknown: str, known: str) -> float:
    """The similarity of two keys, by letters or by words; 0 below the thresholds."""
    ratio = difflib.SequenceMatcher(None, unknown, known).ratio()
    share = _shared_words(_words(unknown), _words(known))
    return max(ratio if ratio >= _LEAST_RATIO else 0.0, share if share >= _LEAST_SHARE else 0.0)


def _words(key: str) -> set[str]:
    found = [_SYNONYMS.get(word, word) for word in re.findall(r"[a-z0-9]+", key.lower())]
    return {word for word in found if word not in _UNINFORMATIVE} or set(found)


def _shared_words(first: set[str], second: set[str]) -> float:
    shared = sum(any(_same(one, other) for other in second) for one in first)
    return shared / (len(first) + len(second) - shared)


def _same(first: str, second: str) -> bool:
    return first == second or (len(first) >= _STEM and first[:_STEM] == second[:_STEM])
