"""Reads a file of examples with their reasons, which strategies with `shots` show before a question (CFMM 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from whatif.benchmarks.cfmm.examples import Examples
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.engine.files.well_formed import escaped, well_formed
from whatif.engine.language.wording import same
from whatif.formats.cfmm_items import category_of, photograph_name
from whatif.formats.prediction_records import read_records

COLUMNS = ("example_id", "category", "image", "question", "option_a", "option_b", "answer", "rationale")


def read_examples(path: Path, folders: Sequence[Path]) -> Examples:
    """The examples of a CSV or JSONL with the columns `COLUMNS`, in order of their ids, and their images.

    `image` is the name of a file in one of the folders, or an MS-COCO id; `answer` is A or B.

    Raises WhatifError naming file, row and column when the file cannot be read, when a column is missing or empty, for
    an unknown category or answer, for two equal options, for a duplicate id, and for an image that is missing or
    cannot be decoded.
    """
    from whatif.formats.caption_images import find_pictures

    columns, records = read_records(path, things="examples", row="example")
    for column in COLUMNS:
        if column not in columns:
            raise WhatifError(f"{path}: has no column {column}; examples have {', '.join(COLUMNS)}")
    if not folders:
        raise WhatifError(f"{path}: examples need their images; name the folders as extract.cfmm.image_folders")
    found: dict[str, dict[str, Any]] = {}
    places: dict[str, str] = {}
    for record in records:
        where = f"{path}: {record.place}"
        row = _row(where, record.fields)
        example_id = row["example_id"]
        if example_id in found:
            raise WhatifError(
                f"{where}: example_id {example_id} is also that of {places[example_id]}; give another one"
            )
        found[example_id], places[example_id] = row, where
    pictures = find_pictures({name for row in found.values() for name in row["image_ids"]}, folders)
    for example_id, row in found.items():
        (name,) = row["image_ids"]
        if name in pictures.missing:
            reason, detail = pictures.missing[name]
            raise WhatifError(f"{places[example_id]}: image: {reason}: {detail}; every example shows its image")
        row["image_ids"] = [pictures.found[name]["image_id"]]
    images = {row["image_id"]: row for row in pictures.found.values()}
    return Examples([found[one] for one in sorted(found)], [images[one] for one in sorted(images)])


def _row(where: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """A row of `examples`, with the file name of its image in the place of the image's id."""
    texts = {}
    for column in COLUMNS:
        value = fields.get(column)
        if isinstance(value, list | dict | bool):
            raise WhatifError(f"{where}: {column}: is {escaped(str(value)[:40])}; write a text")
        texts[column] = well_formed("" if value is None else str(value)).strip()
        if not texts[column]:
            raise WhatifError(f"{where}: {column} is missing or empty; an example has {', '.join(COLUMNS)}")
    category, answer = category_of(where, texts["category"]), texts["answer"].upper()
    if answer not in ("A", "B"):
        raise WhatifError(f"{where}: answer is {texts['answer'][:40]!r}; use A or B, the letter of the right option")
    if same(texts["option_a"], texts["option_b"]):
        raise WhatifError(f"{where}: option_b is the same as option_a; give two different options")
    return {
        "example_id": texts["example_id"],
        "group": category,
        "question": texts["question"],
        "choices": [texts["option_a"], texts["option_b"]],
        "answer": answer,
        "rationale": texts["rationale"],
        "image_ids": [photograph_name(texts["image"])],
        "provenance": canonical_json({"image": texts["image"]}),
    }
