"""The columns of a label file, resolved: presets, the names given in the settings, and columns with numbers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from whatif.engine.errors import WhatifError
from whatif.people.imports.items import ACCEPTED
from whatif.people.imports.labels import FINAL_DECISIONS, MISSING, Finding, Label, plain
from whatif.people.imports.records import Record, check_columns, columns_of, too_many_fields
from whatif.people.imports.settings import CORRECTED, NEEDED, NUMBERED, PRESETS, ColumnMap, LabelFile
from whatif.people.label_files import listed

_NAMES = ("item", "side", "annotator", "decision", "comment", "time", "duration", "first", "second", "adjudicated")
_ABOUT = ("item", "side", "annotator", "first", "second")
_SECONDS = {"milliseconds": 0.001, "seconds": 1.0, "minutes": 60.0}


@dataclass(frozen=True)
class Layout:
    """The columns of one label in a row, as the settings write them; None for those that the file does not have."""

    names: ColumnMap
    part: str  # tells several labels in a row apart
    annotator: str | None  # of all labels of this layout; None if a column names them

    @cached_property
    def _columns(self) -> dict[str, str]:
        """What a column is for -> its name in lower case."""
        return {name: getattr(self.names, name).lower() for name in _NAMES if getattr(self.names, name)}

    @cached_property
    def _corrected(self) -> dict[str, str]:
        return {field: column.lower() for field, column in self.names.corrected.items()}

    @cached_property
    def decided_in(self) -> tuple[str, ...]:
        """The columns with the decision and the corrections."""
        return (self._columns.get("decision", ""), *self._corrected.values())

    @property
    def about(self) -> list[str]:
        """The columns that say whose label it is, of what."""
        return [self._columns[name] for name in _ABOUT if name in self._columns]

    def is_given(self, record: Record) -> bool:
        """Whether a row has this label or corrections."""
        return any(map(record.fields.get, self.decided_in))

    def label(self, record: Record, seconds_per_unit: float) -> Label:
        """The label in a row."""
        fields, columns, place = record.fields, self._columns, record.place
        cells = {name: fields.get(column, "") for name, column in columns.items()}
        corrected = {field: fields[column] for field, column in self._corrected.items() if fields.get(column)}
        comment, told = cells.get("comment", ""), cells.get("duration", "")
        seconds = _number(told)
        if seconds is None and told:
            comment = f"{comment} ({self.names.duration}: {told})".strip()
        shown = (cells.get("first", ""), cells.get("second", ""))
        return Label(
            item=cells.get("item", ""),
            side=cells.get("side", ""),
            annotator=cells.get("annotator", "") or self.annotator or "",
            decision=cells.get("decision", ""),
            means=ACCEPTED if corrected and "decision" not in columns else "",
            corrected=corrected,
            comment=comment,
            time=cells.get("time", ""),
            seconds=None if seconds is None else round(seconds * seconds_per_unit, 6),
            shown=shown if "first" in columns and "second" in columns else None,
            place=replace(place, part=self.part) if self.part else place,
            columns=(self.names.item or "item", self.names.side or "side", self.names.decision or "decision"),
            is_gold=record.is_gold,
        )


def merged(file: LabelFile, correctable: Sequence[str]) -> ColumnMap:
    """The columns of the file's format, with those of the settings in their place.

    Raises WhatifError when the settings name a field that nobody may correct.
    """
    given = file.columns.given()
    preset = _preset(file)
    if correctable:
        for field in file.columns.corrected:
            if field not in correctable:
                raise WhatifError(
                    f"{file.path}: corrected: {field[:40]} is no field of these items; use {', '.join(correctable)}"
                )
    ending = f"_{NUMBERED}" if NUMBERED in (given.get("decision") or preset["decision"] or "") else ""
    usual = () if file.format == "columns" else correctable
    before = "Answer." if file.format == "mturk" else ""
    preset["corrected"] = {field: f"{before}{CORRECTED}{field}{ending}" for field in usual}
    return _whole(file, {**preset, **given})


def _whole(file: LabelFile, columns: dict[str, Any]) -> ColumnMap:
    """The columns of the format and of the settings together. Raises WhatifError when they contradict each other."""
    try:
        return ColumnMap(**columns)
    except ValidationError as error:
        told = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise WhatifError(f"{file.path}: columns: {told} (format {file.format})") from error


def _preset(file: LabelFile) -> dict[str, Any]:
    """The columns of the file's format, without those that do not go with the decision that the settings name."""
    preset = PRESETS[file.format].model_dump()
    decision = file.columns.decision
    if decision and NUMBERED not in decision:  # one label in a row, although the preset may have several
        preset = {name: None if NUMBERED in (value or "") else value for name, value in preset.items()}
    if decision == preset["adjudicated"]:  # a column is not read twice
        preset["adjudicated"] = None
    return preset


def needed_columns(file: LabelFile) -> list[str]:
    """The columns without a number that the file must have."""
    given = file.columns.given()
    columns = _whole(file, {**_preset(file), **given})
    needed = dict.fromkeys([*NEEDED.get(file.format, ()), *(name for name in _NAMES if given.get(name))])
    if file.annotator is not None:
        needed.pop("annotator", None)
    if file.columns.corrected and not file.columns.decision:
        needed.pop("decision", None)
    names = [getattr(columns, name) for name in needed] + list(file.columns.corrected.values())
    return [name for name in names if name and NUMBERED not in name]


def layouts_of(
    path: Path, file: LabelFile, found: Iterable[str], correctable: Sequence[str], kind: str
) -> list[Layout]:
    """The labels in a row of a file with the columns `found` (in lower case): one, or one for each number.

    Raises WhatifError when a needed column is missing, and when nothing says who made the labels.
    """
    columns = dict.fromkeys(found)
    check_columns(path, columns, needed_columns(file), kind)
    names = merged(file, correctable)
    if NUMBERED not in (names.decision or ""):
        kept = _existing(names, columns)
        if kept.annotator is None and file.annotator is None:
            raise WhatifError(
                f"{path}: no column says who made the labels; name it as columns.annotator, or give annotator: a name"
            )
        return [Layout(kept, "", file.annotator)]
    layouts = []
    numbers = _numbers(names.decision or "", columns)
    if not numbers:
        raise WhatifError(
            f"{path}: has no column {_with(names.decision or '', 1)}; a file of {kind} needs {names.decision} for "
            f"n = 1, 2, ..., or columns.decision names the column of labels; found: {listed(columns)}"
        )
    for number in numbers:
        one = ColumnMap(
            **{name: _with(column, number) for name in _NAMES if (column := getattr(names, name))},
            corrected={field: _with(column, number) for field, column in names.corrected.items()},
        )
        kept = _existing(one, columns)
        decision = str(one.decision)
        # Where no column says who made the labels, the name of their own column stands for the person.
        unnamed = decision if kept.annotator is None else None
        layouts.append(Layout(kept, decision, file.annotator or unnamed))
    return layouts


def adjudication(file: LabelFile, found: Iterable[str], correctable: Sequence[str]) -> Layout | None:
    """The layout of adjudicated decisions, if the file has such a column."""
    names = _existing(merged(file, correctable), dict.fromkeys(found))
    if names.adjudicated is None:
        return None
    about = ColumnMap(
        item=names.item, side=names.side, first=names.first, second=names.second, decision=names.adjudicated
    )
    return Layout(about, names.adjudicated, FINAL_DECISIONS)


def read_layouts(
    records: Sequence[Record], path: Path, file: LabelFile, correctable: Sequence[str], kind: str
) -> Iterator[Label | Finding]:
    """The labels of records, by the columns of the file; of a row without any label one that is empty."""
    if not records:
        return
    found = columns_of(records)
    layouts = layouts_of(path, file, found, correctable, kind)
    final = adjudication(file, found, correctable)
    every = [*layouts, *([final] if final else [])]
    missing = MISSING - {plain(word) for word in file.values}
    scale = _SECONDS[file.duration_unit]
    for record in records:
        if record.surplus:
            yield too_many_fields(record)
            continue
        if (damaged := _damaged(path, record, every)) is not None:
            yield damaged
            continue
        row = _without(missing, record, every)
        given = [layout for layout in every if layout.is_given(row)] or every[:1]
        yield from (layout.label(row, scale) for layout in given)


def _damaged(path: Path, record: Record, layouts: Iterable[Layout]) -> Finding | None:
    """The finding about a row in which a spreadsheet changed what a label is about; None if it did not.

    Raises WhatifError when it changed a decision or a correction. Of comments and times, the changed text is kept.
    """
    for layout in layouts if record.damage else ():
        for column in layout.decided_in:
            if (found := record.damage.get(column)) is not None:
                raise WhatifError(f"{path}: {record.place.row}: {column} {found.what}; {found.remedy}")
        for column in layout.about:
            if (found := record.damage.get(column)) is not None:
                return Finding(record.place, "damaged cell", f"{column} {found.what}")
    return None


def _without(missing: Collection[str], record: Record, layouts: Iterable[Layout]) -> Record:
    """The record with empty decisions and corrections where their cells say that there is no value."""
    emptied = {
        column: ""
        for layout in layouts
        for column in layout.decided_in
        if (text := record.fields.get(column)) and plain(text) in missing
    }
    return replace(record, fields={**record.fields, **emptied}) if emptied else record


def _existing(names: ColumnMap, columns: Iterable[str]) -> ColumnMap:
    """The columns that the file has."""
    known = set(columns)
    kept = {name: column for name in _NAMES if (column := getattr(names, name)) and column.lower() in known}
    return ColumnMap(**kept, corrected={f: c for f, c in names.corrected.items() if c.lower() in known})


def _numbers(pattern: str, columns: Iterable[str]) -> list[int]:
    before, _, after = pattern.lower().partition(NUMBERED)
    numbered = re.compile(f"{re.escape(before)}([1-9][0-9]{{0,3}}){re.escape(after)}")
    return sorted(int(match.group(1)) for column in columns if (match := numbered.fullmatch(column)))


def _with(column: str, number: int) -> str:
    return column.replace(NUMBERED, str(number))


def _number(text: str) -> float | None:
    """A duration; None if the text is no finite number from 0."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < 1e12 else None
