"""Compares what two artifacts were made from, as their footers record it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from whatif.engine.artifacts.reader import canonical_json


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """The differences between two provenances, one line for each parameter, input or code: old -> new."""
    labels = {"parameters": "", "inputs": "input ", "sources": "source ", "code": "code of ", "tables": "table "}
    for part in sorted(set(before) | set(after)):
        old, new = before.get(part), after.get(part)
        if old == new:
            continue
        if None in (old, new) and isinstance(old or new, Mapping):
            old, new = old or {}, new or {}
        if not isinstance(old, Mapping) or not isinstance(new, Mapping):
            yield f"{part}: {old} -> {new}"
            continue
        for key in sorted(set(old) | set(new)):
            if old.get(key) != new.get(key):
                yield f"{labels.get(part, part + ' ')}{key}: {_short(old, key)} -> {_short(new, key)}"


def _short(values: Mapping[str, Any], key: str) -> str:
    if key not in values:
        return "absent"
    value = values[key]
    is_hash = isinstance(value, str) and len(value) in (16, 64) and set(value) <= set("0123456789abcdef")
    return str(value)[:8] if is_hash else canonical_json(value)
