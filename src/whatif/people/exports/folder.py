"""The folder of exported tasks: image files beside the files of a tool, and what these have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whatif.engine.artifacts.images import EncodedPictures
from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import write_whole
from whatif.people.exports.tasks import AnnotationTask, Interface, TaskSet
from whatif.people.picture_tasks import PICTURES, picture_name, refuse_hidden

NO_TEXT = "–"  # shown for a text that a task does not have
NO_IMAGE = (  # shown for an image that a task does not have: one transparent pixel
    "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
)


@dataclass(frozen=True)
class Address:
    """Where annotators' browsers find the images: a prefix, to which the file name of an image is added."""

    prefix: str

    def of(self, image_id: str, picture: bytes) -> str:
        """The address of one image."""
        return f"{self.prefix}{picture_name(image_id, picture)}"


def check_texts(tasks: TaskSet, longest: int | None = None) -> None:
    """Raises WhatifError for a text that people would not see as it is; `longest`: the characters that a cell shows."""
    refuse_hidden(
        (
            (f"item {task.item_id}: {name}", text)
            for task in tasks.tasks
            for name, text in zip(tasks.interface.shown, task.texts, strict=True)
        ),
        longest,
    )


def shown_names(tasks: TaskSet) -> list[str]:
    """The names of the texts that at least one task has."""
    return [name for place, name in enumerate(tasks.interface.shown) if any(task.texts[place] for task in tasks.tasks)]


def shown_texts(interface: Interface, task: AnnotationTask, names: Sequence[str]) -> list[str]:
    """The texts of a task that are called `names`; empty if the task does not have one."""
    texts = dict(zip(interface.shown, task.texts, strict=True))
    return [texts[name] for name in names]


def image_columns(tasks: TaskSet) -> list[str]:
    """The names of the images of a task: `image`, or `image`, `image_2`, ... if tasks have several.

    Tasks of texts alone have none. Only where the interface has headings of images, tasks may have fewer than these.

    Raises WhatifError when there is no task, and when tasks have other numbers of images.
    """
    numbers = {len(task.image_ids): task.item_id for task in tasks.tasks}
    headings = len(tasks.interface.images)
    if not numbers or (max(numbers) > headings if headings else len(numbers) != 1):
        told = ", ".join(f"{item} has {number}" for number, item in sorted(numbers.items()))
        needed = f"at most {headings}" if headings else "the same number of"
        raise WhatifError(f"tasks: each item needs {needed} images; {told or 'there are no items'}")
    return ["image" if number == 1 else f"image_{number}" for number in range(1, 1 + max(numbers))]


def headings_of(interface: Interface, columns: Sequence[str]) -> dict[str, str]:
    """Column of an image -> its heading; empty if the interface has none."""
    return dict(zip(columns, interface.images, strict=False))


def write_tasks(
    folder: Path, files: Mapping[str, bytes], tasks: TaskSet, images: EncodedPictures, *, with_images: bool
) -> None:
    """Writes the files of a tool into a folder, and the images beside them if they are needed.

    Labels may refer to earlier tasks, so existing ones are never overwritten. Raises WhatifError when one of the files
    exists, when an image is missing, and when the folder cannot be written.
    """
    for name in files:
        if (folder / name).exists():
            raise WhatifError(f"{folder / name}: already exists; give another folder")
    if with_images:
        for image_id in sorted({image_id for task in tasks.tasks for image_id in task.image_ids}):
            picture = images.encoded(image_id)
            write_whole(folder / PICTURES / picture_name(image_id, picture), picture, durable=False)
    for name, data in files.items():
        write_whole(folder / name, data)
