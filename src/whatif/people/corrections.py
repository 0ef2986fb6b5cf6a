"""Corrections that annotators made, applied to the rows of a table, with the history of every changed field."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from whatif.engine.artifacts.reader import canonical_json
from whatif.people.items import Row
from whatif.people.resolution import Correction

Check: TypeAlias = Callable[[Row], str | None]  # what is wrong with a corrected row, or None

UNKNOWN_ITEM, REFUSED = "unknown item", "correction refused"  # reasons of rejections


@dataclass(frozen=True)
class Applied:
    """The result of `apply_corrections`: a row is in `rows`, corrected or as it was, or its item is in `rejections`."""

    rows: list[dict[str, Any]]  # in the order of the table
    corrections: list[dict[str, Any]]  # rows of the table `corrections`, sorted by item and field
    rejections: list[dict[str, str]]  # rows of the table `rejections`, sorted by item


def apply_corrections(
    rows: Iterable[Row],
    corrections: Mapping[str, Mapping[str, Correction]],
    *,
    fields: Collection[str],
    check: Check,
    key: str = "question_id",
) -> Applied:
    """The rows of a table with the corrections of `Resolved.corrections`; `key` is the column with the item's id.

    `fields` are the columns that may be corrected. `check` gets each row that was changed and returns what is wrong
    with it, for example an answer that cannot be scored, or None. A row is rejected, with all of its corrections, if a
    corrected column is not in `fields`, if a new value has another type than the old one, or if `check` finds a fault.
    Corrections of items that are not in the table are rejected, too. A new value that is equal to the old one changes
    nothing and is not in the history.
    """
    kept, history, rejected = [], [], []
    waiting = dict(corrections)
    for row in rows:
        item = row[key]
        changed, changes = dict(row), []
        fault = None
        for name, correction in sorted(waiting.pop(item, {}).items()):
            fault = fault or _fault(row, name, correction, fields)
            if fault is None and (before := canonical_json(row[name])) != correction.value:
                changed[name] = json.loads(correction.value)
                changes.append(
                    {
                        "item_id": item,
                        "field": name,
                        "annotators": list(correction.annotators),
                        "before": before,
                        "after": correction.value,
                    }
                )
        if fault is None and changes:
            fault = check(changed)
            fault = fault and f"{_told(changes)}: {fault}"
        if fault:
            rejected.append({"item_id": item, "reason": REFUSED, "detail": fault})
        else:
            kept.append(changed)
            history += changes
    for item, of_item in waiting.items():
        detail = f"{', '.join(sorted(of_item))}: corrected, but the item is not in the table"
        rejected.append({"item_id": item, "reason": UNKNOWN_ITEM, "detail": detail})
    return Applied(
        kept,
        sorted(history, key=lambda one: (one["item_id"], one["field"])),
        sorted(rejected, key=lambda one: one["item_id"]),
    )


def _fault(row: Row, name: str, correction: Correction, fields: Collection[str]) -> str | None:
    by = ", ".join(correction.annotators)
    if name not in fields or name not in row:
        return f"{name}: {by} corrected it, but only {', '.join(sorted(fields))} may be corrected"
    before, after = row[name], json.loads(correction.value)
    if _kind(after) != _kind(before):
        return f"{name}: {by} made it {correction.value[:80]}, {_kind(after)}; it must be {_kind(before)}"
    return None


def _kind(value: Any) -> str:
    """The type of a JSON value in words; of a list with the types of its elements."""
    if isinstance(value, list):
        kinds = sorted({_kind(one) for one in value})
        return f"a list of {' and '.join(kinds)}" if kinds else "an empty list"
    names = {str: "text", bool: "true or false", int: "a number", float: "a number", dict: "an object"}
    return "null" if value is None else names[type(value)]


def _told(changes: Iterable[Mapping[str, Any]]) -> str:
    return ", ".join(f"{one['field']} from {one['before'][:60]} to {one['after'][:60]}" for one in changes)
