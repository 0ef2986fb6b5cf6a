"""The released COCO-Counterfactuals: `examples.jsonl` and its pictures as rows of `pairs` and `images`."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from whatif.artifacts import canonical_json
from whatif.errors import WhatifError
from whatif.images import image_row
from whatif.sources.caption_difference import difference
from whatif.sources.released_files import MissingFileError, ReleasedFiles, UnreadableFileError
from whatif.text.human_words import is_human

Row: TypeAlias = dict[str, Any]

EXAMPLES = "examples.jsonl"
FIELDS = ("id", "caption_0", "caption_1", "image_0", "image_1")
LICENCE = "CC-BY-4.0"
_LARGEST_EXAMPLES = 1024 * 1024 * 1024  # bytes


class _RejectedError(Exception):
    """A line that is no pair: reason and detail."""


@dataclass(frozen=True)
class ReleasedPairs:
    """Pairs in order of their ids, and lines that are none: together as many as the file has."""

    pairs: list[Row]  # rows of the table `pairs`
    rejections: list[Row]  # rows of the table `rejections`; item_id is `line-000012`

    @property
    def reasons(self) -> dict[str, int]:
        """How many lines were rejected, by reason."""
        return dict(sorted(Counter(row["reason"] for row in self.rejections).items()))


def read_released_pairs(source: Path, keep: Callable[[Mapping[str, Any]], None]) -> ReleasedPairs:
    """The pairs of a folder or zip that holds `examples.jsonl` and the pictures, loose or in zips; hands each picture,
    a row of `images`, to `keep` and keeps none itself.

    A line is an object with id, caption_0, caption_1, image_0 and image_1, where image_0 is the name of a picture with
    or without what its bytes are (`12_0`, `12_0.jpg`). Each pair has candidate 0. What the release does not say is
    null, or 0 where the table has no null (p, guidance, seed); provenance has `released`: true. Subjects are the words
    in which the captions differ; where these are more than one each, provenance has `subjects`; `human` is whether
    either is one of the human words.

    A line is rejected, with its number, that is no JSON object, lacks a field, has one of another kind, an empty
    caption, the id of an earlier line, captions with the same words, or a picture that is missing, unreadable or of
    another size than its twin.

    Raises WhatifError when source or `examples.jsonl` is not there or unreadable, or none of its lines is an object.
    """
    with ReleasedFiles(source) as files:
        lines = _lines(files, source)
        pairs: list[Row] = []
        rejections: list[Row] = []
        seen: dict[str, int] = {}
        objects = 0
        for number, line in lines:
            try:
                record = _record(line)
                objects += 1
                pair_id = _new_id(record, number, seen)
                row, pictures = _pair(pair_id, record, files)
            except _RejectedError as rejected:
                reason, detail = rejected.args
                item = f"line-{number:06d}"
                rejections.append({"item_id": item, "reason": reason, "detail": f"line {number}: {detail}"})
                continue
            for picture in pictures:
                keep(picture)
            pairs.append(row)
    if not objects:
        raise WhatifError(f"{source}: {EXAMPLES} has no line that is a JSON object; one has {', '.join(FIELDS)}")
    return ReleasedPairs(sorted(pairs, key=lambda row: str(row["pair_id"])), rejections)


def _lines(files: ReleasedFiles, source: Path) -> Iterator[tuple[int, bytes]]:
    """Lines that are not blank, with their numbers."""
    try:
        data = files.read(files.find(EXAMPLES), _LARGEST_EXAMPLES)
    except MissingFileError:
        there = ", ".join(name[:60] for _, name in zip(range(5), files, strict=False)) or "nothing"
        raise WhatifError(
            f"{source}: has no {EXAMPLES}; give the folder or the zip of the released data set (there is {there})"
        ) from None
    except UnreadableFileError as error:
        raise WhatifError(f"{source}: {error}") from error
    return (
        (number, line) for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1) if line.strip()
    )


def _record(line: bytes) -> Row:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:  # ValueError: also bytes that are no UTF-8
        raise _RejectedError("not JSON", type(error).__name__) from error
    if not isinstance(record, dict):
        raise _RejectedError("not JSON", f"is {type(record).__name__} and no object")
    return record


def _new_id(record: Row, number: int, seen: dict[str, int]) -> str:
    identity = record.get("id")
    if identity is None:
        raise _RejectedError("field missing", "has no id")
    if isinstance(identity, bool) or not isinstance(identity, (int, str)) or not str(identity).strip():
        raise _RejectedError("field of another kind", "id is neither a text nor a whole number")
    pair_id = _whole(str(identity), "id")
    if pair_id in seen:
        raise _RejectedError("duplicate id", f"id {pair_id[:60]} is that of line {seen[pair_id]}")
    seen[pair_id] = number
    return pair_id


def _pair(pair_id: str, record: Row, files: ReleasedFiles) -> tuple[Row, list[Row]]:
    where = f"id {pair_id[:60]}"
    names = [_text(record, f"image_{side}", where, numbers=True) for side in (0, 1)]
    captions = [_text(record, f"caption_{side}", where) for side in (0, 1)]
    found = difference(*captions)
    if found is None:
        raise _RejectedError("captions do not differ", f"{where}: both have the same words")
    pictures = [_picture(files, name, where) for name in names]
    sizes = [f"{picture['width']} x {picture['height']}" for picture in pictures]
    if sizes[0] != sizes[1]:
        raise _RejectedError("pictures of different sizes", f"{where}: {sizes[0]} and {sizes[1]} pixels")
    provenance: Row = {
        "released": True,
        "image_0": names[0],
        "image_1": names[1],
        "similarity": None,
        "perplexity": None,
        "human": any(is_human(subject) for subject in found.subjects),
        "relation": None,
        "image_id": None,
    }
    if found.note:
        provenance["subjects"] = found.note
    row = {
        "pair_id": pair_id,
        "candidate": 0,
        "p": 0.0,
        "guidance": 0.0,
        "seed": 0,
        **dict.fromkeys(("caption_image_0", "caption_image_1", "image_image", "directional")),
        "provenance": canonical_json(provenance),
    }
    for side in (0, 1):
        row[f"caption_{side}"] = captions[side]
        row[f"subject_{side}"] = found.subjects[side]
        row[f"image_id_{side}"] = pictures[side]["image_id"]
    return row, pictures


def _text(record: Row, field: str, where: str, *, numbers: bool = False) -> str:
    if field not in record:
        raise _RejectedError("field missing", f"{where}: has no {field}")
    value = record[field]
    if numbers and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise _RejectedError("field of another kind", f"{where}: {field} is no text")
    if not value.strip():
        raise _RejectedError("field empty", f"{where}: {field} is empty")
    return _whole(value, f"{where}: {field}")


def _whole(text: str, what: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:  # half of a surrogate pair, which JSON can hold and a table cannot
        raise _RejectedError("field of another kind", f"{what} is no whole text") from error
    return text


def _picture(files: ReleasedFiles, name: str, where: str) -> Row:
    from PIL import Image

    try:
        place = files.picture(name)
        data = files.read(place)
    except MissingFileError as error:
        raise _RejectedError("picture missing", f"{where}: {error}") from error
    except UnreadableFileError as error:
        raise _RejectedError("picture unreadable", f"{where}: {error}") from error
    try:
        with Image.open(io.BytesIO(data)) as picture:
            picture.load()
            width, height = picture.size
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise _RejectedError("picture unreadable", f"{where}: {place[:120]}: {type(error).__name__}") from error
    return image_row(data, width, height, f"coco-counterfactuals:{place}", LICENCE)
