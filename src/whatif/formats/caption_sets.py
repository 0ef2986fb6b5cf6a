"""Reads source captions: MS-COCO's files, or a CSV or JSONL with the columns `id`, `caption` and optionally `image`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.engine.files.well_formed import well_formed
from whatif.engine.language.latin import has_latin_letters
from whatif.engine.language.tagging import Tagger, nouns
from whatif.engine.random_streams import sample
from whatif.formats.coco_annotations import read_captions
from whatif.formats.table_records import read_records

MOST_WORDS = 100  # in a caption; the longest in COCO has 50
COLUMNS = ("id", "caption")
NOT_DRAWN = "not drawn"  # rejection reason for captions that a limit leaves out
_IMAGE = "image"
_NEEDED = f"the columns {' and '.join(COLUMNS)}, and {_IMAGE} if the captions have images"
_LINE_BREAK = re.compile(r"\s*[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s*")


@dataclass(frozen=True)
class SourceCaption:
    """A caption as one line of text, and the file name of its image, if it has one."""

    caption_id: str
    caption: str
    image: str | None


@dataclass(frozen=True)
class CaptionSet:
    """The usable captions, in order of their ids, and rows of `rejections` for the others."""

    captions: list[SourceCaption] = field(default_factory=list)
    rejections: list[dict[str, str]] = field(default_factory=list)


def read_caption_set(path: Path, most_words: int = MOST_WORDS) -> CaptionSet:
    """Reads `.json` in the format of MS-COCO (2014 and 2017), `.csv` or `.jsonl`.

    An annotation of COCO gets the id `coco-00000038`; other ids are kept unchanged. A caption is rejected if it is
    empty, has more than `most_words` words, or has no Latin letters.

    Raises WhatifError that names the file, the place and the remedy when the file is not a caption set, when a column
    is missing, and when an id is empty or duplicated.
    """
    found = CaptionSet()
    for caption in sorted(read_captions_in_order(path), key=lambda one: one.caption_id):
        refused = _refusal(caption.caption, most_words)
        if refused is None:
            found.captions.append(caption)
        else:
            reason, detail = refused
            found.rejections.append({"item_id": caption.caption_id, "reason": reason, "detail": detail})
    return found


def read_captions_in_order(path: Path) -> list[SourceCaption]:
    """All captions of a file, in file order. Formats, ids and errors as in `read_caption_set`."""
    readers: dict[str, Callable[[Path], Iterator[SourceCaption]]] = {".json": _coco, ".csv": _table, ".jsonl": _table}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise WhatifError(f"{path}: is not a caption set; give COCO's .json, or .csv or .jsonl with {_NEEDED}")
    return list(reader(path))


def draw_captions(captions: Sequence[SourceCaption], limit: int | None, seed: int) -> CaptionSet:
    """A random sample of `limit` captions in the original order, or all for None; the others become rejections."""
    drawn = sample(seed, "captions", (one.caption_id for one in captions), limit)
    found = CaptionSet([one for one in captions if one.caption_id in drawn])
    for one in captions:
        if one.caption_id not in drawn:
            found.rejections.append({"item_id": one.caption_id, "reason": NOT_DRAWN, "detail": f"the limit is {limit}"})
    return found


def caption_rows(
    captions: Iterable[SourceCaption], tag: Tagger, tagger_name: str, image_ids: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Rows of `captions` with the nouns that `tag` finds; `provenance` names the image's file.

    `image_ids` maps a file name to an image id; the column is null for names that are not in it.
    """
    for one in captions:
        yield {
            "caption_id": one.caption_id,
            "caption": one.caption,
            "image_id": image_ids.get(one.image) if one.image is not None else None,
            "tagger": tagger_name,
            "nouns": [vars(noun) for noun in nouns(one.caption, tag)],
            "provenance": canonical_json({"image": one.image}),
        }


def _refusal(caption: str, most_words: int) -> tuple[str, str] | None:
    if not caption:
        return "empty caption", "there is no text"
    words = len(caption.split())
    if words > most_words:
        return "caption too long", f"{words} words; {most_words} are the most"
    if not has_latin_letters(caption):
        return "no Latin letters", f"starts with {caption[:40]!r}"
    return None


def _coco(path: Path) -> Iterator[SourceCaption]:
    read = read_captions(path)
    for one in read.captions:
        name = read.images[one.image_id].file_name
        yield SourceCaption(f"coco-{one.caption_id:08d}", _one_line(one.caption), name)


def _table(path: Path) -> Iterator[SourceCaption]:
    """Captions of rows. Raises WhatifError, with the place in the file, for a bad field or a duplicate id."""
    seen: dict[str, str] = {}
    for record in read_records(path, things="captions", row="caption", needed=COLUMNS)[1]:
        where = f"{path}: {record.place}"
        caption_id = _field(where, record.fields, "id")
        if not caption_id:
            raise WhatifError(f"{where}: its id is empty; every caption needs a unique id")
        if caption_id in seen:
            raise WhatifError(f"{where}: duplicate id {caption_id[:40]!r}, first at {seen[caption_id]}; ids are unique")
        seen[caption_id] = record.place
        yield SourceCaption(
            caption_id, _field(where, record.fields, "caption"), _field(where, record.fields, _IMAGE) or None
        )


def _field(where: str, row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if value is None and name == _IMAGE:
        return ""
    if name == "id" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise WhatifError(f"{where}: its {name} is {json.dumps(value)[:40]}; it needs a text")
    return _one_line(value)


def _one_line(text: str) -> str:
    return _LINE_BREAK.sub(" ", well_formed(text)).strip()
