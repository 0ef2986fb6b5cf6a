"""Annotation tasks for pictures of pairs: a CSV that says nothing of which caption a picture was made from.

A row asks one annotator which of two captions describes a picture (COCO-Counterfactuals 4.1, B.2). Ids of tasks, the
order of rows and the order of both captions are drawn from a seed, so that none of them tells the side; who reads the
labels draws them again. An annotator who has seen one picture of a pair may still remember it when the other comes.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from whatif.artifacts.images import EncodedPictures, suffix_of
from whatif.artifacts.pair_items import SIDES, item_id
from whatif.artifacts.reader import canonical_json
from whatif.errors import WhatifError
from whatif.files.atomic import write_whole
from whatif.random_streams import stream
from whatif.verification.items import Row, pairs_by_id

COLUMNS = ("task_id", "annotator", "image", "option_1", "option_2", "option_3", "option_4", "label")
FILE, INSTRUCTIONS_FILE, PICTURES = "tasks.csv", "instructions.txt", "pictures"
RATERS = 3  # of a picture that is labelled for agreement
_IMAGE_ID = re.compile(r"[0-9a-f]{64}")
_RUN_BY_SPREADSHEETS = ("=", "+", "-", "@", "\t", "\r")
INSTRUCTIONS = """\
Each row of tasks.csv shows you a picture (column image, a file beside it) and two captions.

Decide which caption says better what the picture shows, and write into the column label:

1        the caption in option_1 fits better
2        the caption in option_2 fits better
both     the two fit, and neither of them says more of the picture than the other
neither  the two are wrong about the picture

Where both captions are true but one of them is more exact, take the more exact one.
Judge the picture alone: which caption comes first means nothing.
Label the rows whose column annotator has your number, and write nothing into the other columns. You may put
your name instead of your number, as long as it is the same in all your rows.
"""


@dataclass(frozen=True)
class PictureTask:
    """One picture to be judged. `options` are both captions as they are shown, `sides` which caption each is."""

    task_id: str
    item_id: str
    image_id: str
    options: tuple[str, str]
    sides: tuple[int, int]
    annotators: tuple[int, ...]  # numbers, from 1


def picture_tasks(pairs: Iterable[Row], *, seed: int, labelled_three_times: float) -> list[PictureTask]:
    """The task of every picture of chosen `pairs`, in order of their ids, which is no order of pictures.

    Id and order of options depend on `seed` and the picture's item alone. The share `labelled_three_times` of the
    pictures (rounded; one at least, unless it is 0) goes to three annotators, those that come first when all are put in
    an order drawn from the seed; each of the others goes to one of the three, drawn alike. 4.1 of the paper gives 10%.

    Raises WhatifError for a share that is none, and when a pair comes with several candidates.
    """
    if not 0 <= labelled_three_times <= 1:
        raise WhatifError(f"labelled_three_times: {labelled_three_times} is no share; it lies between 0 and 1")
    by_id = pairs_by_id(pairs)
    items = [item_id(pair_id, side) for pair_id in by_id for side in SIDES]
    for_three = items_labelled_three_times(items, seed=seed, share=labelled_three_times)
    tasks = []
    for pair_id, row in by_id.items():
        for side in SIDES:
            item = item_id(pair_id, side)
            task_id = task_id_of(item, seed)
            generator = stream(seed, "picture task", task_id)
            first = int(generator.integers(2))
            alone = 1 + int(generator.integers(RATERS))
            sides = (first, 1 - first)
            tasks.append(
                PictureTask(
                    task_id=task_id,
                    item_id=item,
                    image_id=row[f"image_id_{side}"],
                    options=(row[f"caption_{sides[0]}"], row[f"caption_{sides[1]}"]),
                    sides=sides,
                    annotators=tuple(range(1, RATERS + 1)) if item in for_three else (alone,),
                )
            )
    if len({task.task_id for task in tasks}) < len(tasks):
        raise WhatifError("picture tasks: two pictures get the same task id; take another seed")
    return sorted(tasks, key=lambda task: task.task_id)


def task_id_of(item: str, seed: int) -> str:
    """An id that does not tell pair or side; with letters in it, so that no spreadsheet takes it for a number."""
    return f"task-{hashlib.sha256(canonical_json([seed, 'task', item]).encode()).hexdigest()[:16]}"


def items_labelled_three_times(items: Sequence[str], *, seed: int, share: float) -> set[str]:
    """The items that three annotators label: `share` of them, in an order drawn from the seed for each by its id."""
    number = min(len(items), max(1, round(share * len(items)))) if share else 0
    drawn = sorted(items, key=lambda item: (float(stream(seed, "labelled by three", item).random()), item))
    return set(drawn[:number])


def tasks_csv(tasks: Sequence[PictureTask], images: EncodedPictures) -> bytes:
    """The tasks as CSV (UTF-8, LF): a row a picture and annotator, annotators one after the other."""
    rows = sorted((number, task.task_id, task) for task in tasks for number in task.annotators)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for number, task_id, task in rows:
        name = f"{PICTURES}/{picture_name(task.image_id, images.encoded(task.image_id))}"
        writer.writerow((task_id, number, name, *map(as_shown, task.options), "both", "neither", ""))
    return text.getvalue().encode()


def write_picture_tasks(tasks: Sequence[PictureTask], images: EncodedPictures, folder: Path) -> int:
    """Writes `tasks.csv`, the pictures and the instruction into a folder; returns the number of rows of the CSV.

    Labels that stand in a `tasks.csv` there are lost with it, so none is overwritten. Raises WhatifError when there is
    one already, when there are no tasks, when a picture is in none of the files, and when the folder cannot be written.
    """
    if not tasks:
        raise WhatifError(f"{folder}: there are no pictures to judge; give a table of pairs that has some")
    if (folder / FILE).exists():
        raise WhatifError(f"{folder / FILE}: is there already and may hold labels; give another folder")
    data = tasks_csv(tasks, images)
    for image_id in sorted({task.image_id for task in tasks}):
        picture = images.encoded(image_id)
        write_whole(folder / PICTURES / picture_name(image_id, picture), picture, durable=False)
    write_whole(folder / INSTRUCTIONS_FILE, INSTRUCTIONS.encode())
    write_whole(folder / FILE, data)  # last: where it is, everything is
    return sum(len(task.annotators) for task in tasks)


def as_shown(text: str) -> str:
    """A text as it stands in a file that people open in spreadsheets, where one that begins with = would be run.

    Such a text gets an apostrophe before it, which spreadsheets take as the mark of a text.
    """
    return f"'{text}" if text.startswith(_RUN_BY_SPREADSHEETS) else text


def picture_name(image_id: str, picture: bytes) -> str:
    """The name of a picture's file: its content's hash, which tells nothing, and what its bytes are.

    Raises WhatifError for an id that is no hash: it is to become the name of a file.
    """
    if not _IMAGE_ID.fullmatch(image_id):
        raise WhatifError(f"image {image_id[:80]!r}: is no sha256 in hexadecimal, which the ids of pictures are")
    return f"{image_id}{suffix_of(picture)}"
