"""Imports zero-shot predictions that were made elsewhere, as class indices of `.npy` files (5.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

from whatif.benchmarks.coco_counterfactuals_training.dimensions import seed_name
from whatif.benchmarks.coco_counterfactuals_training.schemas import PRE_TRAINED
from whatif.benchmarks.coco_counterfactuals_training.settings import PredictionFiles
from whatif.errors import WhatifError
from whatif.files.inputs import user_path
from whatif.formats.class_indices import read_predictions
from whatif.formats.class_names import read_class_names, repeated_names
from whatif.scoring.classification import accuracy

if TYPE_CHECKING:
    from whatif.graph.task import Task

DIVISION = "published"  # how the training sets of imported predictions were divided
_Place: TypeAlias = tuple[str, str, str, str, str]  # model, mixture, division, seed, data set


def write_imported(task: Task[list[PredictionFiles]]) -> None:
    """Writes all imported predictions, those of one file at a time, and the names of the classes.

    An item's id is its place in the file, from 0, with leading zeros. The prompts are not known, so they are empty.
    Reports class names that repeat.

    Raises WhatifError when two entries are of the same model, mixture, seed and data set, when the entries of a data
    set differ in their classes or truth, and as the readers of the files do.
    """
    by_place: dict[_Place, tuple[int, PredictionFiles]] = {}
    for number, entry in enumerate(task.settings):
        place = _place(entry)
        if place in by_place:
            raise WhatifError(
                f"{task.name}: predictions[{number}] and [{by_place[place][0]}] are both of {', '.join(place)}; "
                "give each its own name, mixture or seed"
            )
        by_place[place] = (number, entry)
    names = _names(task)
    truths: dict[str, tuple[str, Any]] = {}
    writer = task.outputs.writer("imported")
    for place, (_, entry) in sorted(by_place.items(), key=lambda one: one[0]):
        known = names[entry.data_set]
        labels, predicted = read_predictions(
            user_path(entry.predictions), user_path(entry.truth), len(known), entry.classes
        )
        first, truth = truths.setdefault(entry.data_set, (entry.truth, labels))
        if len(truth) != len(labels) or (truth != labels).any():
            raise WhatifError(
                f"{entry.truth}: differs from {first}, also of {entry.data_set}; give the predictions of a data set "
                "the same truth, or the data sets different names"
            )
        width = len(str(len(labels) - 1))
        writer.write(
            pa.table(
                {
                    **{
                        column: pa.repeat(value, len(labels))
                        for column, value in zip(
                            ("model", "mixture", "division", "seed", "data_set"), place, strict=True
                        )
                    },
                    "item_id": [f"{item:0{width}d}" for item in range(len(labels))],
                    "label": pa.array(labels, pa.int32()),
                    "predicted": pa.array(predicted, pa.int32()),
                }
            )
        )
        told = ", ".join(place[part] for part in (0, 1, 3, 4))
        task.say(f"{task.name}: {told}: {len(labels):,} images, accuracy {100 * accuracy(labels, predicted):.2f}%")
    task.outputs.write(
        "imported-classes",
        [
            {"data_set": data_set, "label": label, "name": name, "prompt": ""}
            for data_set, known in names.items()
            for label, name in enumerate(known)
        ],
    )


def _place(entry: PredictionFiles) -> _Place:
    seed = PRE_TRAINED if entry.seed is None else seed_name(entry.seed)
    return entry.name, entry.mixture, DIVISION, seed, entry.data_set


def _names(task: Task[list[PredictionFiles]]) -> dict[str, list[str]]:
    """Data set -> the names of its classes, in the order of their indices."""
    files: dict[str, str] = {}
    names: dict[str, list[str]] = {}
    for entry in task.settings:
        found = read_class_names(user_path(entry.classes))
        if names.setdefault(entry.data_set, found) != found:
            raise WhatifError(
                f"{entry.classes}: differs from {files[entry.data_set]}, also of {entry.data_set}; give all "
                "predictions of a data set the same classes"
            )
        if entry.data_set not in files and (twice := repeated_names(found)):
            task.say(
                f"note: {entry.classes}: {len(found):,} classes have {len(set(found)):,} names; repeated: "
                f"{', '.join(twice[:5])}"
            )
        files.setdefault(entry.data_set, entry.classes)
    return names
