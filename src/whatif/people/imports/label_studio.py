"""Reads exports of Label Studio 1.x: JSON, JSON-MIN and CSV, annotated with the labelling interface of our own export.

An annotation of the JSON export becomes a record with the task's data, a column for each control of the interface, and
`annotator`, `created_at` and `lead_time`, which are the columns that JSON-MIN and CSV have.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.people.imports.labels import Finding, Place, quoted
from whatif.people.imports.records import (
    Record,
    as_fields,
    as_one,
    as_text,
    check_columns,
    read_json,
    read_records,
)
from whatif.people.imports.settings import ColumnMap
from whatif.people.label_files import listed

_KIND = "labels from Label Studio"
_ANNOTATIONS = ("annotations", "completions")  # the second before version 1.0
_VALUES = {"choices": "choices", "textarea": "text"}  # type of a control -> where its result has the value
_OURS = "annotate a project with the labelling interface of our own export, or name its controls in columns"


def read_label_studio(path: Path, name: str, columns: ColumnMap) -> list[Record | Finding]:
    """The annotations of an export, and those that are not counted because they were cancelled.

    `columns` names the key of the task's data that is our task id, and the controls of the interface.

    Raises WhatifError when the file is no such export, and when its tasks or its interface are not ours.
    """
    if path.suffix.lower() != ".json":
        records = read_records(path, name, _KIND)
        if records:
            _check_data(path, records[0].fields, columns, "line 1")
            check_columns(path, records[0].fields, [columns.decision or "decision"], _KIND)
        return [_one_value(record, columns) for record in records]
    tasks = read_json(path, _KIND)
    if not all(isinstance(task, dict) for task in tasks):
        number = next(number for number, task in enumerate(tasks, 1) if not isinstance(task, dict))
        raise WhatifError(f"{path}: task {number}: is not an object; give the JSON or JSON-MIN export of Label Studio")
    if any(key in task for task in tasks for key in _ANNOTATIONS):
        return list(_annotations(path, name, tasks, columns))
    if tasks and "annotation_id" not in tasks[0]:
        raise WhatifError(
            f"{path}: task 1: has neither annotations nor annotation_id; give the JSON, JSON-MIN or CSV export of "
            "Label Studio"
        )
    return _minimal(path, name, tasks, columns)


def _annotations(
    path: Path, name: str, tasks: Sequence[dict[str, Any]], columns: ColumnMap
) -> Iterator[Record | Finding]:
    controls = {one.lower() for one in (columns.decision, columns.comment, *columns.corrected.values()) if one}
    empty = {**dict.fromkeys(controls, ""), "annotator": "", "created_at": "", "lead_time": ""}
    labelled = strange = 0
    example = ""
    for number, task in enumerate(tasks, 1):
        place = Place(name, number, "task")
        data = task.get("data")
        if not isinstance(data, dict):
            raise WhatifError(f"{path}: task {number}: has no data; give the JSON export of Label Studio")
        fields = as_fields(path, place, data)
        _check_data(path, fields, columns, f"task {number}: data")
        fields |= empty
        annotations = next((task[key] for key in _ANNOTATIONS if key in task), None)
        if not isinstance(annotations, list):
            raise WhatifError(f"{path}: task {number}: annotations is not a list; give the JSON export of Label Studio")
        if not annotations:
            yield Record(place, fields)
        for position, annotation in enumerate(annotations, 1):
            if not isinstance(annotation, dict) or not isinstance(annotation.get("result", []), list):
                raise WhatifError(f"{path}: task {number}: annotation {position} has no list `result`; export it again")
            known = annotation.get("id")
            here = Place(name, number, "task", f"annotation {listed([as_text(position if known is None else known)])}")
            if annotation.get("was_cancelled") is True or annotation.get("skipped") is True:
                yield Finding(here, "cancelled", f"{listed([_annotator(annotation)])} skipped the task")
                continue
            results, others = _results(path, here, annotation.get("result", []), controls)
            if others and (columns.decision or "").lower() not in results:
                strange += 1
                example = example or f"{here.row}: has results of {others[0]}"
                yield Finding(
                    here, "other interface", f"has results of {others[0]}, none of `{columns.decision}`; {_OURS}"
                )
                continue
            labelled += 1
            about = {
                "annotator": _annotator(annotation),
                "created_at": as_text(annotation.get("created_at")),
                "lead_time": as_text(annotation.get("lead_time")),
            }
            yield Record(here, {**fields, **about, **results}, is_gold=annotation.get("ground_truth") is True)
    if strange and not labelled:
        raise WhatifError(f"{path}: {example}, and no annotation has one of `{columns.decision}`; {_OURS}")


def _results(path: Path, place: Place, results: Sequence[Any], controls: set[str]) -> tuple[dict[str, str], list[str]]:
    """The values of our controls by name in lower case, and descriptions of results of other controls."""
    found: dict[str, list[str]] = {}
    others = []
    for result in results:
        control = as_text(result.get("from_name")) if isinstance(result, dict) else ""
        kind = as_text(result.get("type")).lower() if isinstance(result, dict) else ""
        if control.lower() not in controls:
            if isinstance(result, dict) and "from_name" not in result and kind != "relation":
                raise WhatifError(f"{path}: {place.row}: a result has no from_name; export it again from Label Studio")
            others.append(f"control {quoted(control)} of type {listed([kind])}")
            continue
        if kind not in _VALUES:
            raise WhatifError(
                f"{path}: {place.row}: control {control} is of type {listed([kind])}, not choices or textarea; {_OURS}"
            )
        value = result.get("value")
        texts = value.get(_VALUES[kind]) if isinstance(value, dict) else None
        texts = [texts] if isinstance(texts, str) else texts
        if not isinstance(texts, list):
            raise WhatifError(
                f"{path}: {place.row}: control {control} has no {_VALUES[kind]} in its value; export it again"
            )
        found.setdefault(control.lower(), []).extend(as_text(text).strip() for text in texts)
    return {control: as_one(texts) for control, texts in found.items()}, others


def _minimal(path: Path, name: str, tasks: Sequence[dict[str, Any]], columns: ColumnMap) -> list[Record | Finding]:
    records = []
    for number, task in enumerate(tasks, 1):
        place = Place(name, number, "task", f"annotation {listed([as_text(task.get('annotation_id'))])}")
        known = {"annotation_id": task.get("annotation_id"), "annotator": _name(task.get("annotator"))}
        fields = as_fields(path, place, {**task, **known})
        _check_data(path, fields, columns, f"task {number}")
        records.append(_one_value(Record(place, fields), columns))
    control = (columns.decision or "").lower()
    annotated = [record for record in records if record.fields["annotation_id"]]
    if annotated and not any(control in record.fields for record in annotated):
        found = listed(records[0].fields)
        raise WhatifError(f"{path}: no task has `{columns.decision}`; found: {found}; {_OURS}")
    return [Record(record.place, {control: "", **record.fields}) for record in records]


def _one_value(record: Record, columns: ColumnMap) -> Record:
    """A record in which values that the export writes as JSON are texts."""
    fields = dict(record.fields)
    for control in (columns.decision, columns.comment, *columns.corrected.values()):
        text = fields.get(control.lower(), "") if control else ""
        if control and text.startswith(("{", "[")):
            fields[control.lower()] = as_one(_texts(text))
    return Record(record.place, fields, record.surplus, record.is_gold)


def _texts(text: str) -> list[str]:
    """The values of a control with several: `{"choices": [...]}`, `{"text": [...]}`, or a list of them."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return [text]
    found: list[str] = []
    for one in value if isinstance(value, list) and len(value) != 1 else [value]:
        inner = next((one[key] for key in _VALUES.values() if key in one), None) if isinstance(one, dict) else one
        parts = inner if isinstance(inner, list) and isinstance(one, dict) else [inner]
        if not all(isinstance(part, str) for part in parts):
            return [text]  # somebody wrote a comment in brackets
        found += [str(part) for part in parts]
    return found


def _annotator(annotation: dict[str, Any]) -> str:
    return _name(annotation.get("completed_by"))


def _name(value: Any) -> str:
    """The annotator: an e-mail address if there is one, otherwise the id."""
    if isinstance(value, dict):
        return as_text(value.get("email") or value.get("id")).strip()
    return as_text(value).strip()


def _check_data(path: Path, fields: dict[str, str], columns: ColumnMap, where: str) -> None:
    if columns.item and columns.item.lower() not in fields:
        raise WhatifError(
            f"{path}: {where}: there is no {columns.item}; found: {listed(fields)}; give the tasks of our own export "
            "to Label Studio, or name the id in columns.item"
        )
