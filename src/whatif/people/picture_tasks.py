"""Annotation tasks for the images of pairs: a CSV that does not reveal which caption an image was made from.

A row asks one annotator which of two captions describes an image better (COCO-Counterfactuals 4.1, B.2). Task ids, the
order of rows and the order of the two captions are drawn from a seed, so none of them reveals the side. Reading the
labels draws them again from the same seed. An annotator may still remember the other image of a pair.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from whatif.engine.artifacts.images import EncodedPictures, suffix_of
from whatif.engine.artifacts.pair_items import SIDES, item_id
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import write_whole
from whatif.engine.files.cells import LONGEST_CELL
from whatif.engine.files.csv_writing import csv_for_people
from whatif.engine.random_streams import stream
from whatif.people.items import Row, pairs_by_id

COLUMNS = ("task_id", "annotator", "image", "option_1", "option_2", "option_3", "option_4", "label")
FILE, INSTRUCTIONS_FILE, PICTURES = "tasks.csv", "instructions.txt", "images"
RATERS = 3  # annotators of an image that is used to measure agreement
_IMAGE_ID = re.compile(r"[0-9a-f]{64}")
# The wording follows the instructions of the paper (COCO-Counterfactuals, Figure 4).
INSTRUCTIONS = """\
Which caption describes the image better?

Each row of tasks.csv has an image and two captions. The column image names the image file in this folder. The
captions are in the columns option_1 and option_2; option_3 and option_4 are the same in every row.

For each row, look at the image, read both captions, and write one of these labels into the column label:

1        The caption in option_1 describes the image better.
2        The caption in option_2 describes the image better.
both     Both captions describe the image equally well.
neither  Neither caption describes the image accurately.

If both captions are correct, choose the one that is more descriptive or detailed. Write both only if they describe
the image equally well.

Use only what you can see in the image. The order of the captions is random. Judge each row on its own: your answers
to other rows do not matter.

Your number is in the column annotator. Label every row with your number, and no other rows. Do not change any other
column, except that you may replace your number with your name; use the same name in all your rows.
"""
# What XML and workbooks cannot hold, databases refuse, and HTML turns into other characters; no page shows them.
_HIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def refuse_hidden(texts: Iterable[tuple[str, str]], longest: int | None = None) -> None:
    """Raises WhatifError for the first text with a control character, or with more than `longest` characters of UTF-16.

    texts: where a text is from, and the text.
    """
    for place, text in texts:
        if (found := _HIDDEN.search(text)) is not None:
            raise WhatifError(
                f"{place}: has U+{ord(found[0]):04X} at character {found.start() + 1}, which people would not see; "
                "correct the text at its source"
            )
        length = len(text.encode("utf-16-le")) // 2
        if longest is not None and length > longest:
            raise WhatifError(
                f"{place}: has {length:,} characters, of which a spreadsheet shows {longest:,}; shorten it, or use "
                "another tool"
            )


@dataclass(frozen=True)
class PictureTask:
    """One image to be judged. `options` are the two captions as shown, `sides` their sides in the same order."""

    task_id: str
    item_id: str
    image_id: str
    options: tuple[str, str]
    sides: tuple[int, int]
    annotators: tuple[int, ...]  # numbers, from 1


def picture_tasks(pairs: Iterable[Row], *, seed: int, labelled_three_times: float) -> list[PictureTask]:
    """One task for each image of the chosen `pairs`, sorted by task id; this order is unrelated to the pairs.

    The id of a task and the order of its options depend only on `seed` and the image's item id. The share
    `labelled_three_times` of the images (rounded; at least one unless the share is 0) is assigned to three annotators:
    the first images in an order drawn from the seed. Each other image is assigned to one of the three annotators, also
    drawn from the seed. The paper uses 10% (4.1).

    Raises WhatifError for a share outside 0 to 1, and when a pair has several candidates.
    """
    if not 0 <= labelled_three_times <= 1:
        raise WhatifError(f"labelled_three_times: {labelled_three_times} is not a share; give a number between 0 and 1")
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
        raise WhatifError("image tasks: two images have the same task id; use another seed")
    return sorted(tasks, key=lambda task: task.task_id)


def task_id_of(item: str, seed: int) -> str:
    """An id that reveals neither pair nor side. It contains letters, so that no spreadsheet reads it as a number."""
    return f"task-{hashlib.sha256(canonical_json([seed, 'task', item]).encode()).hexdigest()[:16]}"


def items_labelled_three_times(items: Sequence[str], *, seed: int, share: float) -> set[str]:
    """The items that three annotators label: the first `share` of them, in an order drawn from seed and item ids."""
    number = min(len(items), max(1, round(share * len(items)))) if share else 0
    if not number:
        return set()
    drawn = sorted(items, key=lambda item: (float(stream(seed, "labelled by three", item).random()), item))
    return set(drawn[:number])


def tasks_csv(tasks: Sequence[PictureTask], images: EncodedPictures) -> bytes:
    """The tasks as CSV (UTF-8, LF): one row per image and annotator, sorted by annotator."""
    rows = sorted((number, task.task_id, task) for task in tasks for number in task.annotators)
    written: list[Sequence[object]] = [COLUMNS]
    for number, task_id, task in rows:
        name = f"{PICTURES}/{picture_name(task.image_id, images.encoded(task.image_id))}"
        written.append((task_id, number, name, *task.options, "both", "neither", ""))
    return csv_for_people(written).encode()


def write_picture_tasks(tasks: Sequence[PictureTask], images: EncodedPictures, folder: Path) -> int:
    """Writes `tasks.csv`, the images and the instructions into a folder; returns the number of rows of the CSV.

    An existing `tasks.csv` may contain labels, so it is never overwritten. Raises WhatifError when there is one, when
    there are no tasks, when a caption has a control character or more characters than a cell of a spreadsheet shows,
    when an image is in none of the files, and when the folder cannot be written.
    """
    if not tasks:
        raise WhatifError(f"{folder}: there are no images to judge; give a table of pairs that is not empty")
    if (folder / FILE).exists():
        raise WhatifError(f"{folder / FILE}: already exists and may contain labels; give another folder")
    texts = ((f"image {task.item_id}: caption_{n}", task.options[task.sides.index(n)]) for task in tasks for n in SIDES)
    refuse_hidden(texts, LONGEST_CELL)
    data = tasks_csv(tasks, images)
    for image_id in sorted({task.image_id for task in tasks}):
        picture = images.encoded(image_id)
        write_whole(folder / PICTURES / picture_name(image_id, picture), picture, durable=False)
    write_whole(folder / INSTRUCTIONS_FILE, INSTRUCTIONS.encode())
    write_whole(folder / FILE, data)  # last: where this file exists, the folder is complete
    return sum(len(task.annotators) for task in tasks)


def picture_name(image_id: str, picture: bytes) -> str:
    """The name of an image file: the hash of its content, which reveals nothing, and a suffix for its format.

    Raises WhatifError for an id that is not a hash, because the id becomes a file name.
    """
    if not _IMAGE_ID.fullmatch(image_id):
        raise WhatifError(f"image {image_id[:80]!r}: is not a SHA-256 hash in hexadecimal; the id of an image is one")
    return f"{image_id}{suffix_of(picture)}"
