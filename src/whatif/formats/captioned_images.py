"""Reads images with their captions and splits: Karpathy's JSON, MS-COCO's JSON, CSV, TSV or JSONL."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.files.well_formed import well_formed
from whatif.formats.annotation_files import AnnotationFile
from whatif.formats.coco_annotations import read_captions
from whatif.formats.table_records import read_records

IMAGE_COLUMNS = ("image", "filename", "file_name")
CAPTION_COLUMNS = ("caption", "captions", "raw")
_TABLES = (".csv", ".tsv", ".jsonl")
_NEEDED = "an image's file name (column image or filename), and caption, captions or raw"

Rejection = dict[str, str]


@dataclass(frozen=True)
class CaptionedImage:
    """An image's file name, the folder that the file names for it (`val2014`; may be empty), and its captions."""

    name: str
    folder: str
    captions: tuple[str, ...]


@dataclass(frozen=True)
class CaptionedImages:
    """The images of a split in the order of the file, and rows of `rejections` for records that cannot be used."""

    images: list[CaptionedImage] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)


@dataclass(frozen=True)
class _Record:
    place: str
    name: Any
    captions: Any
    split: Any
    folder: str = ""


def read_captioned_images(path: Path, split: str | None) -> CaptionedImages:
    """Reads the images of one split; captions become one line of text each.

    `.json` is Karpathy's format (`dataset_flickr30k.json`, `dataset_coco.json`) or that of MS-COCO's captions. `.csv`,
    `.tsv` and `.jsonl` have a row for each caption or image: its file name as `image`, `filename` or `file_name`,
    `caption` or a list of `captions` (or `raw`; in CSV a JSON list), and optionally `split`. Rows of the same image are
    one image. A record without a file name or caption is rejected with its place.

    Raises WhatifError that names the file, the place and the remedy when it has another format, when it has no such
    split, and when it has several splits and none is chosen.
    """
    if path.suffix.lower() == ".json":
        records = _json_records(path)
    elif path.suffix.lower() in _TABLES:
        records = list(_table_records(path))
    else:
        raise WhatifError(f"{path}: captions are read from .json, {', '.join(_TABLES)}; the suffix is `{path.suffix}`")
    return _collected(_of_split(path, records, split))


def _of_split(path: Path, records: Sequence[_Record], split: str | None) -> list[_Record]:
    known = sorted({str(one.split) for one in records if one.split not in (None, "")})
    told = ", ".join(known)
    if split is None:
        if len(known) > 1:
            raise WhatifError(f"{path}: has the splits {told}; set `split` to one of them")
        return list(records)
    if not known:
        raise WhatifError(f"{path}: has no splits, but the split {split} is asked for; set `split` to null")
    if split not in known:
        raise WhatifError(f"{path}: has no split {split}; there are {told}")
    return [one for one in records if one.split == split]


def _json_records(path: Path) -> list[_Record]:
    file = AnnotationFile(path, "captions of images (Karpathy's or MS-COCO's)", ("images",))
    images = file.records("images")
    if file.records("annotations"):
        return _coco_records(path)
    if images and not any("sentences" in record for record in images):
        raise WhatifError(
            f"{path}: has neither `annotations`, as in MS-COCO, nor images with `sentences`, as in Karpathy's splits; "
            "give a file of captions"
        )
    return [
        _Record(
            f"images[{place}]",
            record.get("filename"),
            _sentences(record.get("sentences")),
            record.get("split"),
            record["filepath"] if isinstance(record.get("filepath"), str) else "",
        )
        for place, record in enumerate(images)
    ]


def _sentences(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return [one.get("raw") if isinstance(one, Mapping) else one for one in value]


def _coco_records(path: Path) -> list[_Record]:
    read = read_captions(path)
    by_image: dict[int, list[str]] = {image_id: [] for image_id in read.images}
    for one in read.captions:
        by_image[one.image_id].append(one.caption)
    return [
        _Record(f"image {image_id}", read.images[image_id].file_name, captions, None)
        for image_id, captions in by_image.items()
    ]


def _table_records(path: Path) -> Iterator[_Record]:
    columns, records = read_records(path, things="captions of images", row="caption or image")
    image, caption = (
        next((one for one in known if one in columns), None) for known in (IMAGE_COLUMNS, CAPTION_COLUMNS)
    )
    if image is None or caption is None:
        raise WhatifError(f"{path}: needs {_NEEDED}; it has the columns {', '.join(columns) or 'none'}")
    for record in records:
        fields = record.fields
        value = fields.get(caption)
        if caption != "caption" and isinstance(value, str) and value.lstrip().startswith("["):
            value = _parsed(value)
        yield _Record(record.place, fields.get(image), value, fields.get("split"))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return {"text": text}  # neither a caption nor a list of captions


def _collected(records: Iterable[_Record]) -> CaptionedImages:
    found = CaptionedImages()
    captions: dict[tuple[str, str], list[str]] = {}
    for record in records:
        if not isinstance(record.name, str) or not record.name.strip():
            found.rejections.append(_rejection(record.place, "no file name", f"the image is {_shown(record.name)}"))
            continue
        values = [record.captions] if isinstance(record.captions, str) else record.captions
        if not isinstance(values, list) or not values:
            detail = f"{record.name[:80]}: the captions are {_shown(values)}; a text or a list of texts is needed"
            found.rejections.append(_rejection(record.place, "no caption", detail))
            continue
        texts = [" ".join(well_formed(one).split()) if isinstance(one, str) else "" for one in values]
        for number, (text, value) in enumerate(zip(texts, values, strict=True)):
            if not text:
                detail = f"{record.name[:80]}: caption {number} is {_shown(value)}"
                found.rejections.append(_rejection(f"{record.place}, caption {number}", "empty caption", detail))
        if usable := [text for text in texts if text]:
            captions.setdefault((well_formed(record.name), well_formed(record.folder)), []).extend(usable)
    found.images.extend(CaptionedImage(name, folder, tuple(texts)) for (name, folder), texts in captions.items())
    return found


def _rejection(place: str, reason: str, detail: str) -> Rejection:
    return {"item_id": place, "reason": reason, "detail": detail}


def _shown(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."
