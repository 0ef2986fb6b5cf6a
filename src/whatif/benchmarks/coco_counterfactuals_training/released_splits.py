"""Reads the released split files, and finds the sample of each of their rows (COCO-Counterfactuals B.3.1, A.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath
from typing import Any, NamedTuple

from whatif.benchmarks.coco_counterfactuals_training.photographs import coco_number
from whatif.benchmarks.coco_counterfactuals_training.schemas import TEST, TRAIN, VALIDATION, Mixture
from whatif.engine.artifacts.pair_items import item_id
from whatif.formats.coco_photographs import coco_image_id, is_coco_name
from whatif.formats.table_records import read_records

COLUMNS = ("image_path", "caption")
# The folders of the images of pairs, as paths in the files name them, by side.
SIDES_BY_FOLDER = {"synthetic-images-for-original-captions": 0, "synthetic-images-for-counterfactual-captions": 1}
_TEST_FILE = "split-coco-cfs/test-coco-cfs.csv"
# The files of each mixture, by part; none was released for `correct`.
SPLIT_FILES: Mapping[Mixture, Mapping[str, str]] = {
    "ms-coco": {TRAIN: "train_mscoco.csv", VALIDATION: "dev_mscoco.csv"},
    **{
        mixture: {TRAIN: f"train_coco+coco-cfs_{mixture}.csv", VALIDATION: f"dev_coco+coco-cfs_{mixture}.csv"}
        for mixture in ("base", "medium", "all")
    },
    "withheld-ms-coco": {
        TRAIN: "split-coco-cfs/train-all-original-ms-coco.csv",
        VALIDATION: "split-coco-cfs/dev-all-original-ms-coco.csv",
        TEST: _TEST_FILE,
    },
    "withheld-counterfactuals": {
        TRAIN: "split-coco-cfs/train-coco-cfs.csv",
        VALIDATION: "split-coco-cfs/dev-coco-cfs.csv",
        TEST: _TEST_FILE,
    },
}


class SplitRow(NamedTuple):
    """A row of a split file; `place` is the file and the number of the row's first line: `dev_mscoco.csv:12`."""

    place: str
    image_path: str
    caption: str


@dataclass(frozen=True)
class KnownSamples:
    """The samples that rows may be about.

    counterfactuals: sample -> its caption. originals: photograph -> caption without white space -> samples, those of
    pairs first: a few photographs of MS-COCO have the same caption twice. A photograph is the id of an MS-COCO
    photograph, or the name of its file without the suffix.
    """

    counterfactuals: Mapping[str, str]
    originals: Mapping[int | str, Mapping[str, list[str]]]


@dataclass
class Splits:
    """Divisions as released.

    parts: mixture -> sample -> part. unused: place of a row that is about no sample, or about one that an earlier row
    is about -> reason and detail. other_captions: places of rows whose image is that of a counterfactual sample with
    another caption; they are used. rows: the number of rows that are used, each counted once.
    """

    parts: dict[Mixture, dict[str, str]] = field(default_factory=dict)
    unused: dict[str, tuple[str, str]] = field(default_factory=dict)
    other_captions: list[str] = field(default_factory=list)
    rows: int = 0


def known_samples(
    pairs: Mapping[str, Mapping[str, Any]], originals: Mapping[str, Mapping[str, Any]], files: Mapping[str, str]
) -> KnownSamples:
    """The samples of rows of `pairs` and of originals by id; `files` has the name of the file of each photograph.

    An original whose id is that of a released pair is also found by the MS-COCO photograph that this id names.
    """
    found: dict[int | str, dict[str, list[str]]] = {}
    for caption_id, row in sorted(originals.items(), key=lambda one: (one[0] not in pairs, one[0])):
        for photograph in {coco_number(caption_id), _photograph(files.get(row["image_id"], ""))} - {None, ""}:
            found.setdefault(photograph, {}).setdefault(_plain(row["caption"]), []).append(caption_id)  # type: ignore[arg-type]
    captions = {item_id(pair, side): row[f"caption_{side}"] for pair, row in pairs.items() for side in (0, 1)}
    return KnownSamples(captions, found)


def released_divisions(folder: Path, mixtures: Iterable[Mixture], known: KnownSamples) -> Splits:
    """The divisions of mixtures as the files of a folder have them; of mixtures that have no files, nothing.

    An image of a pair is found by the names of its file and folder, a photograph by the name of its file, and the
    caption decides which of its originals it is. White space in captions is ignored.

    Raises WhatifError when a file is missing or is not CSV with the columns `image_path` and `caption`.
    """
    found = Splits()
    by_file: dict[str, list[tuple[str, list[str]]]] = {}  # place and samples of each row that is about a sample
    for mixture in mixtures:
        if mixture not in SPLIT_FILES:
            continue
        parts = found.parts[mixture] = {}
        for part, name in SPLIT_FILES[mixture].items():
            if name not in by_file:
                by_file[name] = list(_matched(read_split(folder, name, mixture), known, found))
            for place, samples in by_file[name]:
                left = [one for one in samples if one not in parts]
                if left:
                    parts[left[0]] = part
                else:
                    found.unused[place] = ("listed twice", f"{samples[0]} is also in an earlier row of {mixture}")
    found.rows = len({place for matched in by_file.values() for place, _ in matched} - found.unused.keys())
    return found


def read_split(folder: Path, name: str, mixture: Mixture) -> Iterator[SplitRow]:
    """The rows of a split file, in any order of its columns. Raises WhatifError as `released_divisions`."""
    things = f"released splits of the mixture {mixture}"
    for record in read_records(folder / name, things=things, row="sample", needed=COLUMNS, suffix=".csv")[1]:
        line = record.place.removeprefix("line ")
        yield SplitRow(f"{name}:{line}", *(record.fields[column] for column in COLUMNS))


def _matched(rows: Iterable[SplitRow], known: KnownSamples, found: Splits) -> Iterator[tuple[str, list[str]]]:
    for row in rows:
        path = PureWindowsPath(row.image_path.strip())  # knows both separators
        side = SIDES_BY_FOLDER.get(path.parent.name)
        if side is None:
            samples = known.originals.get(_photograph(path.name), {}).get(_plain(row.caption), [])
        else:
            samples = [one for one in [item_id(path.stem, side)] if one in known.counterfactuals]
            if samples and _plain(known.counterfactuals[samples[0]]) != _plain(row.caption):
                found.other_captions.append(row.place)
        if samples:
            yield row.place, samples
        else:
            found.unused[row.place] = _refusal(path, row.caption, known)


def _refusal(path: PureWindowsPath, caption: str, known: KnownSamples) -> tuple[str, str]:
    """Why a row is about no sample: reason and detail."""
    if path.parent.name in SIDES_BY_FOLDER:
        return "unknown pair", f"there is no pair {path.stem!r}"
    if captions := known.originals.get(_photograph(path.name)):
        return "unknown caption", f"{path.name} has {len(captions)} captions, and none is {caption[:80]!r}"
    return "unknown photograph", f"there is no photograph {path.name[:80]!r}"


def _photograph(name: str) -> int | str:
    return coco_image_id(name) if is_coco_name(name) else PureWindowsPath(name).stem


def _plain(caption: str) -> str:
    return "".join(caption.split())
