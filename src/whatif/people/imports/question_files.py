"""Labels that people give by editing a file: a corrected copy, or a list of what they rejected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import user_path
from whatif.people.imports.items import ACCEPTED, REJECTED, Item, Items
from whatif.people.imports.labels import MISSING, Finding, Label, Place, UnusableError, plain, quoted
from whatif.people.imports.records import (
    Record,
    check_columns,
    columns_of,
    read_json,
    read_records,
    too_many_fields,
)
from whatif.people.imports.released_copy import EMPTIED, REMOVE_ROW, is_released_form, read_released_copy
from whatif.people.imports.settings import LabelFile
from whatif.people.label_files import text_of


def read_corrected_copy(path: Path, name: str, file: LabelFile, items: Items, column: str) -> Iterator[Label | Finding]:
    """One label for each item: `accept` with the fields that were changed, or `reject` if its row was removed.

    The copy is compared with `file.parent`, or with the fields of the items. `column` has the ids of the items. Rows
    with an emptied field are findings, because an empty value may be a mistake.

    Raises WhatifError when a file cannot be read, has no such column, or none of the fields.
    """
    copied = read_records(path, name, "corrected items")
    if not copied:
        raise WhatifError(f"{path}: has no rows, so all items would be rejected; give a copy with the rows to keep")
    columns = columns_of(copied)
    if file.columns.item is None and column.lower() not in columns and is_released_form(columns):
        yield from read_released_copy(path, name, file, items, copied)
        return
    check_columns(path, columns, (column, *file.columns.corrected.values()), "corrected items")
    before = _parent(file, column)
    known = {item.item_id: item.fields for item in items.by_id.values()} if before is None else before
    fields = _fields(path, file, items, copied, before)
    about = (file.annotator or "", column)
    seen = set()
    for record in copied:
        label = Label(record.fields[column.lower()], record.place, columns=(column, "side", "decision"))
        key = label.item if before is not None else _resolved(label, items)
        if key is not None:
            seen.add(key)
        if record.surplus:
            yield too_many_fields(record)
            continue
        old = known.get(key, {}) if key is not None else {}
        changed = {field: record.fields.get(name_in_file.lower(), "") for field, name_in_file in fields.items()}
        changed = {field: "" if plain(new) in MISSING else new for field, new in changed.items()}
        changed = {
            field: new for field, new in changed.items() if key in known and _is_changed(old.get(field, ""), new)
        }
        emptied = sorted(field for field, new in changed.items() if not new)
        if emptied:
            told = f"{fields[emptied[0]]} is empty, and was {quoted(old.get(emptied[0], ''))}"
            yield Finding(record.place, EMPTIED, f"{told}; {REMOVE_ROW}")
            continue
        yield _label(label.item, record.place, ACCEPTED, about, changed)
    if not seen & set(known):  # otherwise, the copy of another file would reject all items
        original = "the items" if file.parent is None else file.parent
        raise WhatifError(
            f"{path}: {copied[0].place.row}: {column} is {quoted(copied[0].fields[column.lower()])}; no row has an id "
            f"of {original}, for example {quoted(min(known, default=''))}; give a copy of it"
        )
    for number, key in enumerate(sorted(set(known) - seen), 1):
        yield _label(key, Place(name, number, "removed row"), REJECTED, about)


def read_rejected_ids(path: Path, name: str, file: LabelFile, items: Items, column: str) -> Iterator[Label | Finding]:
    """`reject` for each listed item and, if the settings say so, `accept` for all others.

    A file with the suffix .txt has one id a line, a .json a list of ids; others have a column with the ids.
    """
    about = (file.annotator or "", column)
    listed = set()
    for record in _id_records(path, name, column):
        label = _label(record.fields[column.lower()], record.place, REJECTED, about)
        if not label.item:
            continue
        listed.add(_resolved(label, items))
        yield too_many_fields(record) if record.surplus else label
    if file.rest and listed == {None}:
        raise WhatifError(
            f"{path}: none of its ids is known, so all items would be accepted; give a list of these items"
        )
    if file.rest:
        for number, item in enumerate(sorted(set(items.by_id) - listed), 1):
            yield _label(item, Place(name, number, "unlisted item"), file.rest, about)


def _id_records(path: Path, name: str, column: str) -> list[Record]:
    kind = "rejected ids"
    suffix = path.suffix.lower()
    if suffix == ".json":
        entries = read_json(path, kind)
        if all(isinstance(entry, str) for entry in entries):
            rows = [(Place(name, number, "row"), entry) for number, entry in enumerate(entries, 1)]
            return [Record(place, {column.lower(): entry.strip()}) for place, entry in rows]
    if suffix == ".txt":
        return [Record(place, {column.lower(): line}) for place, line in _lines(path, name)]
    records = read_records(path, name, kind, (column,))
    check_columns(path, columns_of(records), (column,) if records else (), kind)
    return records


def _lines(path: Path, name: str) -> list[tuple[Place, str]]:
    lines = enumerate(text_of(path, "a file of rejected ids").split("\n"), 1)
    return [(Place(name, number), line.strip()) for number, line in lines if line.strip()]


def _parent(file: LabelFile, column: str) -> dict[str, Mapping[str, str]] | None:
    if file.parent is None:
        return None
    path = user_path(file.parent)
    found: dict[str, Mapping[str, str]] = {}
    for record in read_records(path, path.name, "items", (column, *file.columns.corrected.values())):
        key = record.fields[column.lower()]
        if key in found:
            raise WhatifError(
                f"{path}: {record.place.row}: {column} {quoted(key)} occurs twice; the rows of a parent differ in it"
            )
        columns = file.columns.corrected or {name: name for name in record.fields if name != column.lower()}
        found[key] = {field: record.fields.get(name.lower(), "") for field, name in columns.items()}
    return found


def _fields(
    path: Path,
    file: LabelFile,
    items: Items,
    copied: Sequence[Record],
    before: Mapping[str, Mapping[str, str]] | None,
) -> dict[str, str]:
    """Field of the items -> column of the copy."""
    if file.columns.corrected:
        return dict(file.columns.corrected)
    found = columns_of(copied)
    if before is not None:
        known = dict.fromkeys(field for fields in before.values() for field in fields)
        return {field: field for field in known if field in found}
    fields = {field: field for field in items.correctable if field.lower() in found}
    if not fields:
        wanted = ", ".join(items.correctable) or "none"
        raise WhatifError(
            f"{path}: has none of the fields that can be corrected ({wanted}); name their columns in "
            "columns.corrected, or give the file that was copied as parent"
        )
    return fields


def _resolved(label: Label, items: Items) -> str | None:
    try:
        item: Item = items.resolve(label, {})[0]
    except UnusableError:
        return None
    return item.item_id


def _is_changed(old: str, new: str) -> bool:
    return " ".join(old.split()) != " ".join(new.split())


def _label(
    item: str, place: Place, decision: str, about: tuple[str, str], corrected: Mapping[str, str] | None = None
) -> Label:
    """A label by one annotator; `about` has the annotator and the column of ids."""
    annotator, column = about
    columns = (column, "side", "decision")
    return Label(item, place, means=decision, annotator=annotator, corrected=corrected or {}, columns=columns)
