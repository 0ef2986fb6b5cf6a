"""Reads the results of a batch of Amazon Mechanical Turk, a CSV with one row for each assignment."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.people.imports.labels import Finding, quoted
from whatif.people.imports.records import Record, as_one, as_text, check_columns, read_records

STATUSES = ("submitted", "approved", "rejected")
_KIND = "results of a batch of MTurk"
_NEEDED = ("HITId", "AssignmentId", "WorkerId", "AssignmentStatus")
_ANSWERS = "answer."
_JSON = "answer.taskanswers"
_HOURS = {"UTC": 0, "GMT": 0, "PST": -8, "PDT": -7}  # MTurk writes times in UTC or in the time of its own office
_TIME = re.compile(r"[A-Z][a-z]{2} ([A-Z][a-z]{2} [0-9]{1,2} [0-9:]{8}) ([A-Z]{3}) ([0-9]{4})")


def read_mturk(path: Path, name: str) -> list[Record | Finding]:
    """The assignments of a batch; those that were rejected are findings.

    Answers in the JSON of `Answer.taskAnswers` become columns `Answer.<name>`; so do the columns
    `Answer.<name>.<option>` of a group of radio buttons, of which one is true. Times become ISO 8601.

    Raises WhatifError when the file is no such CSV, for an unknown status, and for JSON that cannot be read.
    """
    records = read_records(path, name, _KIND)
    if records:
        check_columns(path, records[0].fields, _NEEDED, _KIND)
    found: list[Record | Finding] = []
    for record in records:
        fields = dict(record.fields)
        status = fields["assignmentstatus"].lower()
        if record.surplus:
            found.append(record)
            continue
        if status not in STATUSES:
            shown = quoted(fields["assignmentstatus"])
            raise WhatifError(
                f"{path}: {record.place.row}: AssignmentStatus is {shown}; it is Submitted, Approved or Rejected"
            )
        told = "its AssignmentStatus is Rejected" if status == "rejected" else ""
        if fields.get("reject"):
            told = told or f"its column Reject has {quoted(fields['reject'])}"
        if told:
            assignment = quoted(fields["assignmentid"])
            found.append(Finding(record.place, "rejected assignment", f"assignment {assignment}: {told}"))
            continue
        fields |= _radio_buttons(fields)
        if fields.get(_JSON):
            fields |= _task_answers(path, record)
        for column in ("submittime", "accepttime"):
            fields[column] = _iso(fields.get(column, ""))
        found.append(Record(record.place, fields))
    return found


def _task_answers(path: Path, record: Record) -> dict[str, str]:
    text = record.fields[_JSON]
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise WhatifError(
            f"{path}: {record.place.row}: Answer.taskAnswers is {quoted(text)}, which is not JSON; download the batch "
            "again"
        ) from error
    answers: dict[str, str] = {}
    for one in given if isinstance(given, list) else [given]:
        if not isinstance(one, dict):
            raise WhatifError(
                f"{path}: {record.place.row}: Answer.taskAnswers has {quoted(as_text(one))}; it is a list of objects"
            )
        answers |= {f"{_ANSWERS}{as_text(key).lower()}": _chosen(value) for key, value in one.items()}
    return answers


def _chosen(value: Any) -> str:
    """An answer as text: of radio buttons the one that is true, of a classifier its label."""
    if isinstance(value, dict):
        if value and all(isinstance(state, bool) for state in value.values()):
            return as_one([as_text(option) for option, state in value.items() if state])
        for key in ("label", "labels"):
            if key in value:
                return _chosen(value[key])
    if isinstance(value, list):
        return as_one([as_text(one) for one in value])
    return as_text(value).strip()


def _radio_buttons(fields: dict[str, str]) -> dict[str, str]:
    """Columns `answer.<name>.<option>` as one column `answer.<name>` each."""
    states: dict[str, list[tuple[str, str]]] = {}
    for column, state in fields.items():
        group, _, option = column.rpartition(".")
        if group.startswith(_ANSWERS) and group not in fields:
            states.setdefault(group, []).append((option, state.lower()))
    return {
        group: as_one([option for option, state in options if state == "true"])
        for group, options in states.items()
        if all(state in ("true", "false", "") for _, state in options)
    }


def _iso(text: str) -> str:
    """A time such as `Tue Mar 05 10:21:02 PST 2024` in ISO 8601; another text as it is."""
    found = _TIME.fullmatch(text)
    if found is None or found.group(2) not in _HOURS:
        return text
    zone = timezone(timedelta(hours=_HOURS[found.group(2)]))
    try:
        time = datetime.strptime(f"{found.group(1)} {found.group(3)}", "%b %d %H:%M:%S %Y")
    except ValueError:
        return text
    return time.replace(tzinfo=zone).isoformat()
