"""Reads finished items of CFMM: an image, its basic question, and up to four counterfactual ones (CFMM 3.3, B).

The keys are those of the JSON in the paper's appendix B, and further ones that it lacks: the image, an id, and the
wrong option of each question. Keys may have underscores instead of spaces, and any case.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.files.well_formed import escaped, well_formed
from whatif.formats.coco_photographs import coco_image_id, is_coco_name
from whatif.formats.table_records import Record, read_records

CATEGORIES = ("count", "color", "size", "shape", "direction", "common")  # in the order of the paper's tables
WRITTEN = ("basic", "counterfactual")  # variants that every item has
EXPANDED = tuple(f"counterfactual{number}" for number in (1, 2, 3))
LONGEST_TEXT, LONGEST_ID = 2_000, 200  # characters
_FURTHER_WORDS = {"colour": "color", "common sense": "common"}
_IMAGE_KEYS = ("image", "image id", "file name")
_NUMBERED = re.compile(r"(?<=[a-z]) (?=[0-9]+$)")
_KINDS = {bool: "true or false", list: "a list", dict: "an object"}


@dataclass(frozen=True)
class ItemQuestion:
    """A question with its right answer, and its wrong option if the file has one."""

    question: str
    answer: str
    option: str | None


@dataclass(frozen=True)
class FinishedItem:
    """The questions about one image by variant (`basic`, `counterfactual`, `counterfactual1`, ...)."""

    item_id: str
    category: str
    image: str  # file name, with the folders that the file gives
    questions: dict[str, ItemQuestion]


def read_items(path: Path) -> list[FinishedItem]:
    """The items of a JSON list, JSONL or CSV, in order of their ids.

    An item without an id has that of its image: twelve digits for a photograph of MS-COCO, otherwise the name of the
    file without its suffix. A number as the image is the id of a photograph of MS-COCO.

    Raises WhatifError naming file, row and key when the file cannot be read, when a key is missing, unknown or given
    twice, when a text is empty, for an unknown category, for an option that is the answer, and for a duplicate id.
    """
    _, records = read_records(path, things="items", row="item")
    found: dict[str, FinishedItem] = {}
    places: dict[str, str] = {}
    for record in records:
        item = _item(f"{path}: {record.place}", record)
        if item.item_id in found:
            raise WhatifError(
                f"{path}: {record.place}: id: {item.item_id} is also that of {places[item.item_id]}; an image with "
                "several items needs an id for each of them"
            )
        found[item.item_id], places[item.item_id] = item, record.place
    return [found[item_id] for item_id in sorted(found)]


def photograph_name(name: str) -> str:
    """The name of an image with its folders; an MS-COCO id becomes the name of its photograph in 2017."""
    path = PurePosixPath(name.replace("\\", "/"))
    last = path.name
    is_id = last.isdecimal() and last.isascii() and len(last) <= 12
    return f"{int(last):012d}.jpg" if is_id else str(path)


def category_of(where: str, text: str) -> str:
    """The category that a text names. Raises WhatifError, which names the place `where`, when there is none."""
    category = " ".join(text.casefold().split())
    category = _FURTHER_WORDS.get(category, category)
    if category not in CATEGORIES:
        told = f"is {escaped(text[:60])!r}" if text else "is missing"
        raise WhatifError(f"{where}: category {told}; use one of {', '.join(CATEGORIES)}")
    return category


def _item(where: str, record: Record) -> FinishedItem:
    texts = _texts(where, record.fields)
    image_key = next((key for key in _IMAGE_KEYS if texts.get(key)), None)
    if image_key is None:
        raise WhatifError(f"{where}: image is missing; give the name of an image file or an MS-COCO id")
    image = photograph_name(texts[image_key])
    if PurePosixPath(image).name in ("", ".."):
        raise WhatifError(f"{where}: {image_key}: {escaped(texts[image_key][:60])} names no file; give its name")
    category = category_of(where, texts.get("category", ""))
    questions = {variant: _question(where, texts, variant) for variant in WRITTEN}
    for variant in EXPANDED:
        if any(texts.get(key) for key in _keys(variant)):
            questions[variant] = _question(where, texts, variant)
    return FinishedItem(_identity(where, texts.get("id", ""), image), category, image, questions)


def _keys(variant: str) -> tuple[str, str, str]:
    """The keys of the question, the answer and the wrong option: `counterfactual answer1` is of `counterfactual1`."""
    name = variant.rstrip("123")
    number = variant.removeprefix(name)
    return f"{name} question{number}", f"{name} answer{number}", f"{name} option{number}"


_KNOWN = frozenset(key for variant in (*WRITTEN, *EXPANDED) for key in _keys(variant))


def _question(where: str, texts: Mapping[str, str], variant: str) -> ItemQuestion:
    question_key, answer_key, option_key = _keys(variant)
    for key in (question_key, answer_key):
        if not texts.get(key):
            raise WhatifError(f"{where}: {key} is missing or empty; an item has {question_key} and {answer_key}")
    answer, option = texts[answer_key], texts.get(option_key) or None
    if option is not None and option.casefold() == answer.casefold():
        raise WhatifError(f"{where}: {option_key} is the same as {answer_key}; give a wrong option, or none")
    return ItemQuestion(texts[question_key], answer, option)


def _texts(where: str, fields: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a row as texts on one line, by key in the paper's form."""
    found: dict[str, str] = {}
    for name in fields:
        key = _NUMBERED.sub("", " ".join(str(name).replace("_", " ").casefold().split()))
        key = "id" if key == "item id" else key
        if key.startswith(WRITTEN) and key not in _KNOWN:
            raise WhatifError(
                f"{where}: unknown key {escaped(str(name)[:60])}; the keys are {', '.join(sorted(_KNOWN))}"
            )
        if key not in (*_KNOWN, *_IMAGE_KEYS, "id", "category"):
            continue
        if key in found:
            raise WhatifError(f"{where}: {key} is given twice; keep one")
        value = fields[name]
        if type(value) in _KINDS:
            raise WhatifError(f"{where}: {key} is {_KINDS[type(value)]}; write it as a text")
        whole = int(value) if isinstance(value, float) and value.is_integer() else value  # as spreadsheets have numbers
        text = " ".join(well_formed("" if whole is None else str(whole)).split())
        if len(text) > LONGEST_TEXT:
            raise WhatifError(f"{where}: {key} has {len(text):,} characters; the maximum is {LONGEST_TEXT:,}")
        found[key] = text
    return found


def _identity(where: str, given: str, image: str) -> str:
    item_id = given or (f"{coco_image_id(image):012d}" if is_coco_name(image) else PurePosixPath(image).stem)
    if len(item_id) > LONGEST_ID or not item_id.isprintable() or "/" in item_id:
        raise WhatifError(
            f"{where}: id: {escaped(item_id[:60])} cannot be used; give at most {LONGEST_ID} printable characters "
            "without a slash"
        )
    return item_id
