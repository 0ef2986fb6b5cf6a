"""Reads the released COCO-Counterfactuals (a list of pairs, and images) as rows of `pairs` and `images`."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

from whatif.engine.artifacts.images import image_row
from whatif.engine.artifacts.pair_items import SAME_PICTURE
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.engine.files.image_decoding import UnreadableImageError, decode
from whatif.engine.files.well_formed import escaped
from whatif.engine.language.human_words import is_human
from whatif.engine.random_streams import sample
from whatif.formats.caption_difference import difference
from whatif.formats.caption_sets import NOT_DRAWN
from whatif.formats.released_files import MissingFileError, ReleasedFiles, UnreadableFileError

Row: TypeAlias = dict[str, Any]

EXAMPLES = "examples.jsonl"
METADATA = "metadata.jsonl"  # the list in a folder from the hub
FIELDS = ("id", "caption_0", "caption_1", "image_0", "image_1")
LICENCE = "CC-BY-4.0"
_LARGEST_EXAMPLES = 1024 * 1024 * 1024  # bytes


class _RejectedError(Exception):
    """A line that does not give a pair: reason and detail."""


@dataclass(frozen=True)
class ReleasedPairs:
    """Pairs in order of their ids, and rejected lines; together they are all lines of the file."""

    pairs: list[Row]  # rows of the table `pairs`
    rejections: list[Row]  # rows of the table `rejections`; item_id is `line-000012`

    @property
    def reasons(self) -> dict[str, int]:
        """How many lines were rejected, by reason."""
        return dict(sorted(Counter(row["reason"] for row in self.rejections).items()))


def read_released_pairs(
    source: Path, keep: Callable[[Mapping[str, Any]], None], *, limit: int | None = None, seed: int = 0
) -> ReleasedPairs:
    """Reads the pairs of a folder or zip that holds `examples.jsonl` and the images, loose or in zips.

    The list may also be called `metadata.jsonl`, as in a folder from the hub; if both exist, `examples.jsonl` is read.

    Each image is passed to `keep` as a row of `images` and is not kept in memory. With a `limit`, only a sample of that
    many pairs, drawn with `seed`, is read.

    A line is an object with id, caption_0, caption_1, image_0 and image_1. image_0 is the name of an image, with or
    without its suffix (`12_0`, `12_0.jpg`). Each pair has candidate 0. What the release does not record is null, or 0
    where the column cannot be null (p, guidance, seed); provenance has `released`: true. Subjects are the words in
    which the captions differ; provenance has `subjects` if a caption differs in more than one word. `human` tells
    whether either subject is one of the human words.

    A line is rejected, with its number, if it is not a JSON object, lacks a field, has a field of another type, an
    empty caption, the id of an earlier line, captions with the same words, an image that is missing, unreadable or
    of another size than the other of its pair, or two images with the same pixels; or if it was not sampled.

    Raises WhatifError when the source or the list is missing or unreadable, when no line is an object, or when the name
    of an image may mean several different files.
    """
    with ReleasedFiles(source) as files:
        name = _list(files, source)
        records, rejections = _records(_lines(files, name, source), f"{source}: {PurePosixPath(name).name}")
        drawn = sample(seed, "pairs", records, limit)
        pairs: list[Row] = []
        for pair_id, (number, record) in records.items():
            try:
                if pair_id not in drawn:
                    raise _RejectedError(NOT_DRAWN, f"id {pair_id[:60]}: the limit is {limit}")
                row, pictures = _pair(pair_id, record, files, name)
            except _RejectedError as rejected:
                rejections.append(_rejection(number, rejected))
                continue
            for picture in pictures:
                keep(picture)
            pairs.append(row)
    rejections.sort(key=lambda row: str(row["item_id"]))
    return ReleasedPairs(sorted(pairs, key=lambda row: str(row["pair_id"])), rejections)


def _list(files: ReleasedFiles, source: Path) -> str:
    """The path of the list of pairs."""
    for name in (EXAMPLES, METADATA):
        with suppress(MissingFileError):
            return files.find(name)
    there = ", ".join(name[:60] for _, name in zip(range(5), files, strict=False)) or "nothing"
    raise WhatifError(
        f"{source}: has no {EXAMPLES} and no {METADATA}; give the folder or the zip of the released data set (found: "
        f"{there})"
    )


def _lines(files: ReleasedFiles, name: str, source: Path) -> Iterator[tuple[int, bytes]]:
    """Non-blank lines with their numbers."""
    try:
        data = files.read(name, _LARGEST_EXAMPLES)
    except UnreadableFileError as error:
        raise WhatifError(f"{source}: {error}") from error
    return (
        (number, line) for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1) if line.strip()
    )


def _records(lines: Iterable[tuple[int, bytes]], place: str) -> tuple[dict[str, tuple[int, Row]], list[Row]]:
    """Id -> line number and object for each line with a unique id, and the rejections of the other lines."""
    records: dict[str, tuple[int, Row]] = {}
    rejections: list[Row] = []
    objects = 0
    for number, line in lines:
        try:
            record = _record(line)
            objects += 1
            pair_id = _pair_id(record)
            if pair_id in records:
                raise _RejectedError("duplicate id", f"id {pair_id[:60]} is that of line {records[pair_id][0]}")
            records[pair_id] = number, record
        except _RejectedError as rejected:
            rejections.append(_rejection(number, rejected))
    if not objects:
        raise WhatifError(f"{place} has no line that is a JSON object; one has {', '.join(FIELDS)}")
    return records, rejections


def _rejection(number: int, rejected: _RejectedError) -> Row:
    reason, detail = rejected.args
    return {"item_id": f"line-{number:06d}", "reason": reason, "detail": f"line {number}: {detail}"}


def _record(line: bytes) -> Row:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:  # ValueError: bytes that are not UTF-8, too
        raise _RejectedError("not JSON", type(error).__name__) from error
    if not isinstance(record, dict):
        raise _RejectedError("not JSON", f"is {type(record).__name__} and no object")
    return record


def _pair_id(record: Row) -> str:
    identity = record.get("id")
    if identity is None:
        raise _RejectedError("field missing", "has no id")
    if isinstance(identity, bool) or not isinstance(identity, (int, str)) or not str(identity).strip():
        raise _RejectedError("field of another kind", "id is neither a text nor a whole number")
    return _whole(str(identity), "id")


def _pair(pair_id: str, record: Row, files: ReleasedFiles, beside: str) -> tuple[Row, list[Row]]:
    where = f"id {pair_id[:60]}"
    names = [_text(record, f"image_{side}", where, numbers=True) for side in (0, 1)]
    captions = [_text(record, f"caption_{side}", where) for side in (0, 1)]
    found = difference(*captions)
    if found is None:
        raise _RejectedError("captions do not differ", f"{where}: both have the same words")
    (first, pixels), (second, other_pixels) = (_picture(files, name, where, beside) for name in names)
    pictures = [first, second]
    sizes = [f"{picture['width']} x {picture['height']}" for picture in pictures]
    if sizes[0] != sizes[1]:
        raise _RejectedError("pictures of different sizes", f"{where}: {sizes[0]} and {sizes[1]} pixels")
    if pixels == other_pixels:
        raise _RejectedError(SAME_PICTURE, f"{where}: {names[0][:60]} and {names[1][:60]} have the same pixels")
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
    except UnicodeEncodeError as error:  # a lone surrogate, which JSON allows and a table does not
        raise _RejectedError("field of another kind", f"{what} is no whole text") from error
    return text


def _picture(files: ReleasedFiles, name: str, where: str, beside: str) -> tuple[Row, bytes]:
    """The row of `images` for an image file, and the hash of its pixels."""
    try:
        place = files.picture(name, beside)
        data = files.read(place)
    except MissingFileError as error:
        raise _RejectedError("picture missing", f"{where}: {error}") from error
    except UnreadableFileError as error:
        raise _RejectedError("picture unreadable", f"{where}: {error}") from error
    try:
        picture = decode(data)
    except UnreadableImageError as error:
        raise _RejectedError("picture unreadable", f"{where}: {escaped(place[:120])}: {error.kind}") from error
    pixels = hashlib.sha256(picture.tobytes()).digest()
    return image_row(data, *picture.size, f"coco-counterfactuals:{escaped(place)}", LICENCE), pixels
