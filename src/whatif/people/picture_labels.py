"""Reads a filled-in CSV of our own export: labels as judgements, and rejected rows with their reasons."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whatif.people.imports.importer import import_labels
from whatif.people.imports.items import Items
from whatif.people.imports.settings import LabelFile
from whatif.people.items import Row


@dataclass(frozen=True)
class PictureLabels:
    """The contents of a file of labels: a row is in `judgements` or `rejections`, or counted in `unlabelled`."""

    judgements: list[dict[str, Any]]  # rows of the table `judgements`, sorted by key
    rejections: list[dict[str, str]]  # rows of the table `rejections`; item_id is `labels-line-000012`
    unlabelled: int  # rows whose label is empty
    pictures_without_label: int


def read_picture_labels(path: Path, pairs: Iterable[Row], *, seed: int) -> PictureLabels:
    """Reads the labels of the tasks that `picture_tasks` makes from `pairs` with the same `seed`.

    A label is `1`, `2`, `both`, `neither` or the text of the option; capitals and spaces do not matter. `annotator` is
    any name. `time`, if given, is ISO 8601; another text is moved to the comment.

    A row is rejected, with its line number, for an unknown task, a missing annotator, an annotator name reserved for
    automatic checks, an unknown label, or more fields than the header has. If an annotator labels an image twice, one
    of the rows counts if the labels agree, and neither counts if they differ.

    Raises WhatifError when the file is not such a CSV, and when none of its tasks belongs to these pairs.
    """
    read = import_labels([LabelFile(path=str(path), format="whatif")], Items.of_pairs(pairs, seed=seed))
    rejections = [finding.rejection(several_files=False, with_file=False) for finding in read.findings]
    return PictureLabels(
        judgements=read.judgements,
        rejections=sorted(rejections, key=lambda row: row["item_id"]),
        unlabelled=len(read.unlabelled),
        pictures_without_label=read.items_without_label,
    )
