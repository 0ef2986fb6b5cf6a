"""Why pictures were judged wrong: a sample of errors that people sort into the categories of Table 7."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whatif.artifacts.images import EncodedPictures
from whatif.artifacts.pair_items import pair_and_side
from whatif.errors import WhatifError
from whatif.files.atomic import write_whole
from whatif.random_streams import stream
from whatif.verification.items import Row, pairs_by_id
from whatif.verification.label_files import LabelRow, read_label_file, rejection, settle
from whatif.verification.picture_tasks import PICTURES, as_shown, picture_name

OBJECT = "Failure to generate subject/object"
DETAILS = "Failure to generate fine-grained details"
HYPONYMY = "Hyponymy relationship between altered subjects"
ANNOTATION = "Human annotation error"
SPATIAL = "Failure to accurately depict spatial relationships"
NUMBER = "Failure to generate correct number of objects"
BOTH_PRESENT = "Both altered subjects are present in the image"
ATTRIBUTE = "Failure to bind attribute"
CATEGORIES = (OBJECT, DETAILS, HYPONYMY, ANNOTATION, SPATIAL, NUMBER, BOTH_PRESENT, ATTRIBUTE)  # as Table 7 names them
COLUMNS = ("item_id", "category")
FILE, CATEGORIES_FILE = "errors.csv", "categories.txt"
SAMPLE_SIZE = 100  # of A.3.1


@dataclass(frozen=True)
class ErrorCategories:
    """What a file of categories holds. Its rows are `categories`, `rejections` and `uncategorised` together."""

    categories: dict[str, str]  # item -> one of `CATEGORIES`, in order of items
    rejections: list[dict[str, str]]  # rows of the table `rejections`; item_id is `categories-line-000012`
    uncategorised: int  # rows whose category is empty


def sample_errors(errors: Collection[str], *, seed: int, size: int = SAMPLE_SIZE) -> list[str]:
    """`size` of the errors (COCO-Counterfactuals A.3.1), or all if there are fewer, in ascending order.

    The place of each in the draw depends on `seed` and its id: when an error goes, the others of the sample stay.
    """
    drawn = sorted(set(errors), key=lambda item: (float(stream(seed, "error sample", item).random()), item))
    return sorted(drawn[: max(0, size)])


def write_error_sample(
    sample: Sequence[str], pairs: Iterable[Row], decided: Mapping[str, str], images: EncodedPictures, folder: Path
) -> None:
    """Writes `errors.csv`, to be filled in, and the pictures of the sample into a folder.

    A row has the item, an empty category, the picture's file, its caption, the other caption and what was decided
    (`consensus`). UTF-8, LF. Raises WhatifError when the sample is empty, when an item is of none of the pairs, when
    `errors.csv` is there already, when a picture is in none of the files, and when the folder cannot be written.
    """
    if not sample:
        raise WhatifError(f"{folder}: there are no errors to sort into categories; give judgements that have some")
    if (folder / FILE).exists():
        raise WhatifError(f"{folder / FILE}: is there already and may hold categories; give another folder")
    by_id = pairs_by_id(pairs)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow((*COLUMNS, "image", "caption", "other_caption", "decision"))
    for item in sample:
        pair_id, side = pair_and_side(item)
        if pair_id not in by_id:
            raise WhatifError(f"{folder}: error {item}: there is no pair {pair_id}; give the pairs that were judged")
        row = by_id[pair_id]
        picture = images.encoded(row[f"image_id_{side}"])
        name = f"{PICTURES}/{picture_name(row[f'image_id_{side}'], picture)}"
        write_whole(folder / name, picture, durable=False)
        captions = (as_shown(row[f"caption_{side}"]), as_shown(row[f"caption_{1 - side}"]))
        writer.writerow((as_shown(item), "", name, *captions, decided[item]))
    write_whole(folder / CATEGORIES_FILE, "".join(f"{name}\n" for name in CATEGORIES).encode())
    write_whole(folder / FILE, text.getvalue().encode())


def read_error_categories(path: Path, sample: Collection[str]) -> ErrorCategories:
    """Categories of the errors in `sample` from a CSV with the columns `item_id` and `category`.

    Categories are those of the paper (`CATEGORIES`); capitals and spaces do not matter. A row is rejected, with its
    line, for an item that is not in the sample and for an unknown category; when an item comes twice, the first row
    counts if all say the same, and none if they differ.

    Raises WhatifError when the file is no such CSV.
    """
    known = {" ".join(name.casefold().split()): name for name in CATEGORIES}
    named = {as_shown(item): item for item in sample} | {item: item for item in sample}
    found: dict[str, list[tuple[LabelRow, str]]] = defaultdict(list)
    rejections = []
    empty = 0
    for row in read_label_file(path, COLUMNS, file="categories", kind="categories of errors"):
        item, category = row.fields["item_id"], row.fields["category"]
        if item not in named:
            detail = f"{item[:60]!r} is not among the {len(set(sample))} errors of the sample"
            rejections.append(rejection(row, "unknown item", detail))
        elif not category:
            empty += 1
        elif " ".join(category.casefold().split()) not in known:
            detail = f"{category[:60]!r} is none of: {'; '.join(CATEGORIES)}"
            rejections.append(rejection(row, "unknown category", detail))
        else:
            found[named[item]].append((row, known[" ".join(category.casefold().split())]))
    categories: dict[str, str] = {}
    for item, rows in sorted(found.items()):
        kept, lost = settle(rows)
        if kept:
            categories[item] = kept[0][1]
        rejections += lost
    return ErrorCategories(categories, sorted(rejections, key=lambda row: row["item_id"]), empty)
