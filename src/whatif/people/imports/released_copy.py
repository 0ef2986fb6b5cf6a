"""Labels that people give by editing a copy of a released C-VQA file, which has no ids.

A row of the copy is the row of its parent with the same image and the same questions. If one of the two questions was
edited, the other one and the image identify the row.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import user_path
from whatif.formats.c_vqa import VARIANTS, read_released
from whatif.formats.c_vqa_records import COLUMNS
from whatif.people.imports.items import ACCEPTED, REJECTED, Items
from whatif.people.imports.labels import MISSING, UNKNOWN, Finding, Label, Place, plain, quoted
from whatif.people.imports.records import Record, too_many_fields
from whatif.people.imports.settings import LabelFile

Fields: TypeAlias = Mapping[str, str]  # column of the released file -> text
Key: TypeAlias = tuple[str, ...]

EMPTIED, REMOVE_ROW = "emptied field", "to reject the item, remove its whole row"  # reason and remedy
_IMAGE, _QUERY, _, _NEW_QUERY, _, _TYPE = COLUMNS
_SHOWN = ("question_id", "side", "decision")  # columns, for messages
# The columns by which a row is found, in this order: the first that leave no choice count.
_KEYS = (COLUMNS, (_IMAGE, _QUERY, _NEW_QUERY), (_IMAGE, _QUERY), (_IMAGE, _NEW_QUERY))


def is_released_form(columns: Mapping[str, None]) -> bool:
    """Whether a file has the columns of a released C-VQA file."""
    return all(column in columns for column in COLUMNS)


def read_released_copy(
    path: Path, name: str, file: LabelFile, items: Items, copied: Sequence[Record]
) -> Iterator[Label | Finding]:
    """For each row of a copy `accept` of both questions with the fields that were changed; `reject` of removed pairs.

    Rows that are found in none or in several rows of the parent are findings. A pair is removed if its row is missing
    and no such row has its image.

    Raises WhatifError when there is no parent, when it is no released file, and when no row of it is found.
    """
    if file.parent is None:
        raise WhatifError(f"{path}: has no ids; give the released file that was copied as parent")
    questions = _questions(user_path(file.parent))
    parent = {pair_id: _fields_of(pair) for pair_id, pair in questions.items()}
    found = _found([record for record in copied if not record.surplus], parent)
    if not found:  # otherwise, the copy of another file would reject all questions
        raise WhatifError(f"{path}: none of its rows is in {file.parent}; give a copy of it, or its own parent")
    unclear = set()
    for record in copied:
        pair_id = found.get(record.place)
        if pair_id is None:
            unclear.add(_text(record.fields, _IMAGE))
        if record.surplus:
            yield too_many_fields(record)
        elif pair_id is None:
            told = f"{_IMAGE} {quoted(record.fields[_IMAGE])} with these questions is not one row of {file.parent}"
            yield Finding(record.place, UNKNOWN[0], f"{told}; keep one of its two questions as it was")
        else:
            yield from _labels(record, questions[pair_id], file, items)
    removed = set(parent) - set(found.values())
    kept = sorted(pair_id for pair_id in removed if _text(parent[pair_id], _IMAGE) not in unclear)
    for number, pair_id in enumerate(kept, 1):
        question_id = questions[pair_id]["counterfactual"]["question_id"]
        if question_id in items.by_id:
            place = Place(name, number, "removed row")
            yield Label(question_id, place, means=REJECTED, annotator=file.annotator or "", columns=_SHOWN)


def _questions(path: Path) -> dict[str, dict[str, Any]]:
    """Pair -> variant -> row of the table `questions`."""
    found: dict[str, dict[str, Any]] = {}
    for row in read_released(path):
        found.setdefault(row["pair_id"], {})[row["variant"]] = row
    return found


def _fields_of(pair: Mapping[str, Mapping[str, Any]]) -> Fields:
    """The row of the released file that became these two questions."""
    told = json.loads(pair["original"]["provenance"])
    fields = {_IMAGE: told["img_path"], _TYPE: told["type"]}
    for variant, (question, answer) in VARIANTS.items():
        fields |= {question: pair[variant]["question"], answer: pair[variant]["answer"]}
    return fields


def _found(copied: Sequence[Record], parent: Mapping[str, Fields]) -> dict[Place, str]:
    """Row of the copy -> its pair, where the columns of one of `_KEYS` leave no choice."""
    found: dict[Place, str] = {}
    for columns in _KEYS:
        taken = set(found.values())
        rows: dict[Key, list[Place]] = defaultdict(list)
        pairs: dict[Key, list[str]] = defaultdict(list)
        for record in copied:
            if record.place not in found:
                rows[_key(record.fields, columns)].append(record.place)
        for pair_id, fields in parent.items():
            if pair_id not in taken:
                pairs[_key(fields, columns)].append(pair_id)
        for key, places in rows.items():
            same = pairs[key]
            if len(places) == len(same) and (len(same) == 1 or columns == COLUMNS):  # equal rows may be exchanged
                found |= dict(zip(places, same, strict=True))
    return found


def _labels(
    record: Record, pair: Mapping[str, Mapping[str, Any]], file: LabelFile, items: Items
) -> Iterator[Label | Finding]:
    """One label for each question of a row, or for the counterfactual one if the pair is not among the items."""
    corrected: dict[str, dict[str, str]] = {}
    for variant, columns in VARIANTS.items():
        corrected[variant] = {}
        for field, column in zip(("question", "answer"), columns, strict=True):
            new, old = record.fields[column], str(pair[variant][field])
            if not new or plain(new) in MISSING:
                yield Finding(record.place, EMPTIED, f"{column} is empty, and was {quoted(old)}; {REMOVE_ROW}")
                return
            if new.split() != old.split():
                corrected[variant][field] = new
    for variant, changed in corrected.items():
        question_id = pair[variant]["question_id"]
        if variant == "counterfactual" or question_id in items.by_id:
            yield Label(
                question_id,
                record.place,
                means=ACCEPTED,
                annotator=file.annotator or "",
                corrected=changed,
                columns=_SHOWN,
            )


def _key(fields: Fields, columns: Sequence[str]) -> Key:
    return tuple(_text(fields, column) for column in columns)


def _text(fields: Fields, column: str) -> str:
    return " ".join(fields.get(column, "").split())
