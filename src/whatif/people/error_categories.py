"""A sample of errors for people to sort into the categories of Table 7, and their answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whatif.engine.artifacts.images import EncodedPictures
from whatif.engine.artifacts.pair_items import SIDES, pair_and_side
from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import write_whole
from whatif.engine.files.cells import LONGEST_CELL
from whatif.engine.files.csv_writing import csv_for_people
from whatif.engine.random_streams import stream
from whatif.people.items import Row, pairs_by_id
from whatif.people.label_files import LabelRow, read_label_file, rejection, settle
from whatif.people.picture_tasks import PICTURES, picture_name, refuse_hidden

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
FILE, CATEGORIES_FILE, INSTRUCTIONS_FILE = "errors.csv", "categories.txt", "instructions.txt"
SAMPLE_SIZE = 100  # of A.3.1
DESCRIPTIONS = {
    OBJECT: "A person, animal or object that the caption mentions is missing from the image.",
    DETAILS: "The image lacks a detail of the caption, such as a dirty room.",
    HYPONYMY: "One altered subject is a kind of the other (girls are kids), so both captions are valid.",
    ANNOTATION: "The image matches its caption without a significant flaw; the annotators made a mistake.",
    SPATIAL: "Things are not where the caption puts them, such as a woman under a suitcase.",
    NUMBER: "The image has more or fewer things than the caption says, such as one cup holder instead of two.",
    BOTH_PRESENT: "The image shows both altered subjects, so both captions are valid.",
    ATTRIBUTE: "A property in the caption, such as a colour, appears on the wrong thing.",
}
INSTRUCTIONS = (
    """\
Why was this image not matched with its own caption?

Each row of errors.csv has an image for which the annotators did not choose the caption that it was made from. These are
the columns:

image          the image file in this folder
caption        the caption that the image was made from
other_caption  the other caption; the two captions differ in one noun, and these two nouns are the altered subjects
decision       what the annotators decided: caption_0 (the original caption describes the image better), caption_1
               (the counterfactual caption does), both, neither, or undecided (no decision had a majority)
item_id        the name of the image; it ends with -0 if caption is the original caption, and with -1 otherwise

For each row, compare the image with both captions. Choose the category that explains the error best, and copy its name
from the list below into the column category. Do not change any other column.

"""
    + "\n".join(f"{name}\n    {DESCRIPTIONS[name]}" for name in CATEGORIES)
    + "\n"
)


@dataclass(frozen=True)
class ErrorCategories:
    """The contents of a file of categories: a row is in `categories` or `rejections`, or counted in `uncategorised`."""

    categories: dict[str, str]  # item -> one of `CATEGORIES`, sorted by item
    rejections: list[dict[str, str]]  # rows of the table `rejections`; item_id is `categories-line-000012`
    uncategorised: int  # rows whose category is empty


def sample_errors(errors: Collection[str], *, seed: int, size: int = SAMPLE_SIZE) -> list[str]:
    """`size` of the errors (COCO-Counterfactuals A.3.1), or all if there are fewer, in ascending order.

    Each error's place in the draw depends only on `seed` and its id: without one error, the rest of the sample stays.
    """
    drawn = sorted(set(errors), key=lambda item: (float(stream(seed, "error sample", item).random()), item))
    return sorted(drawn[: max(0, size)])


def write_error_sample(
    sample: Sequence[str], pairs: Iterable[Row], decided: Mapping[str, str], images: EncodedPictures, folder: Path
) -> None:
    """Writes `errors.csv` to be filled in, the images of the sample, the categories and the instructions into a folder.

    A row has the item, an empty category, the image file, the image's own caption, the other caption and the decision
    of `consensus`. UTF-8, LF. Raises WhatifError when the sample is empty, when an item belongs to none of the pairs,
    when `errors.csv` already exists, when a caption has a control character or is too long for a cell, when an image is
    in none of the files, and when the folder cannot be written.
    """
    if not sample:
        raise WhatifError(
            f"{folder}: there are no errors to sort into categories; give judgements with at least one error"
        )
    if (folder / FILE).exists():
        raise WhatifError(f"{folder / FILE}: already exists and may contain categories; give another folder")
    by_id = pairs_by_id(pairs)
    wanted = sorted({pair_and_side(item)[0] for item in sample} & by_id.keys())
    texts = ((f"pair {one}: caption_{side}", by_id[one][f"caption_{side}"]) for one in wanted for side in SIDES)
    refuse_hidden(texts, LONGEST_CELL)
    rows = [(*COLUMNS, "image", "caption", "other_caption", "decision")]
    for item in sample:
        pair_id, side = pair_and_side(item)
        if pair_id not in by_id:
            raise WhatifError(
                f"{folder}: error {item}: pair {pair_id} is not in the table; give the pairs that were judged"
            )
        row = by_id[pair_id]
        picture = images.encoded(row[f"image_id_{side}"])
        name = f"{PICTURES}/{picture_name(row[f'image_id_{side}'], picture)}"
        write_whole(folder / name, picture, durable=False)
        rows.append((item, "", name, row[f"caption_{side}"], row[f"caption_{1 - side}"], decided[item]))
    write_whole(folder / INSTRUCTIONS_FILE, INSTRUCTIONS.encode())
    write_whole(folder / CATEGORIES_FILE, "".join(f"{name}\n" for name in CATEGORIES).encode())
    write_whole(folder / FILE, csv_for_people(rows).encode())


def read_error_categories(path: Path, sample: Collection[str]) -> ErrorCategories:
    """Reads the categories of the errors in `sample` from a CSV with the columns `item_id` and `category`.

    The categories are those of the paper (`CATEGORIES`); case and spaces do not matter. A row is rejected, with its
    line number, for an item that is not in the sample and for an unknown category. If an item occurs twice, the first
    row counts if the categories agree, and neither counts if they differ.

    Raises WhatifError when the file is not such a CSV.
    """
    known = {" ".join(name.casefold().split()): name for name in CATEGORIES}
    found: dict[str, list[tuple[LabelRow, str]]] = defaultdict(list)
    rejections = []
    empty = 0
    for row in read_label_file(path, COLUMNS, file="categories", kind="categories of errors"):
        item, category = row.fields["item_id"], row.fields["category"]
        if item not in sample:
            detail = f"{item[:60]!r} is not among the {len(set(sample))} errors of the sample"
            rejections.append(rejection(row, "unknown item", detail))
        elif not category:
            empty += 1
        elif " ".join(category.casefold().split()) not in known:
            detail = f"{category[:60]!r} is not one of: {'; '.join(CATEGORIES)}"
            rejections.append(rejection(row, "unknown category", detail))
        else:
            found[item].append((row, known[" ".join(category.casefold().split())]))
    categories: dict[str, str] = {}
    for item, rows in sorted(found.items()):
        kept, lost = settle(rows)
        if kept:
            categories[item] = kept[0][1]
        rejections += lost
    return ErrorCategories(categories, sorted(rejections, key=lambda row: row["item_id"]), empty)
