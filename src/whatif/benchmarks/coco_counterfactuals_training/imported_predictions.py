"""Imports zero-shot predictions that were made elsewhere, as class indices (5.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import pyarrow as pa

from whatif.benchmarks.coco_counterfactuals_training.dimensions import seed_name
from whatif.benchmarks.coco_counterfactuals_training.schemas import PRE_TRAINED
from whatif.benchmarks.coco_counterfactuals_training.settings import ImportSettings, PredictionFiles
from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import user_path
from whatif.engine.files.named_folders import named_path
from whatif.formats.class_indices import read_predictions
from whatif.formats.class_names import read_class_names, repeated_names
from whatif.formats.prediction_folder import Labels, read_prediction_folder
from whatif.scoring.classification import accuracy

if TYPE_CHECKING:
    from whatif.engine.graph.task import Task

DIVISION = "published"  # how the training sets of imported predictions were divided
_Place: TypeAlias = tuple[str, str, str, str, str]  # model, mixture, division, seed, data set


class _Predictions(NamedTuple):
    """Predictions on one data set: the entry of the settings, what they are of, the file of the truth, a reader."""

    entry: str
    place: _Place
    truth: str
    read: Callable[[], tuple[Labels, Labels]]


def write_imported(task: Task[ImportSettings]) -> None:
    """Writes all imported predictions, those of one data set at a time, and the names of the classes.

    An item's id is its place in the file, from 0, with leading zeros. The prompts are not known, so they are empty, and
    neither are the names of the classes of a folder. Reports class names that repeat.

    Raises WhatifError when two entries are of the same model, mixture, seed and data set, when the entries of a data
    set differ in their classes or truth, and as the readers of the files do.
    """
    names = _names(task)
    found: dict[_Place, _Predictions] = {}
    for one in (*_of_files(task, names), *_of_folders(task)):
        if one.place in found:
            raise WhatifError(
                f"{task.name}: {found[one.place].entry} and {one.entry} are both of "
                f"{', '.join(one.place)}; give each its own name, mixture or seed"
            )
        found[one.place] = one
    truths: dict[str, tuple[str, Labels]] = {}
    writer = task.outputs.writer("imported")
    for place, one in sorted(found.items()):
        labels, predicted = one.read()
        # A folder has its own truth: its images need not be in the order of the user's.
        first, truth = truths.setdefault(place[-1], (one.truth, labels)) if one.truth else ("", labels)
        if len(truth) != len(labels) or (truth != labels).any():
            raise WhatifError(
                f"{one.truth}: differs from {first}, also of {place[-1]}; give the predictions of a data set "
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


def _of_files(task: Task[ImportSettings], names: Mapping[str, Sequence[str]]) -> Iterator[_Predictions]:
    for number, entry in enumerate(task.settings.files):

        def read(entry: PredictionFiles = entry) -> tuple[Labels, Labels]:
            known = len(names[entry.data_set])
            return read_predictions(user_path(entry.predictions), user_path(entry.truth), known, entry.classes)

        seed = PRE_TRAINED if entry.seed is None else seed_name(entry.seed)
        place = entry.name, entry.mixture, DIVISION, seed, entry.data_set
        yield _Predictions(f"predictions[{number}]", place, entry.truth, read)


def _of_folders(task: Task[ImportSettings]) -> Iterator[_Predictions]:
    for number, entry in enumerate(task.settings.folders):
        for data_set, both in read_prediction_folder(named_path(entry.folder)).items():
            place = entry.name, PRE_TRAINED, DIVISION, PRE_TRAINED, data_set
            yield _Predictions(f"prediction_folders[{number}]", place, "", partial(_given, both))


def _given(both: tuple[Labels, Labels]) -> tuple[Labels, Labels]:
    return both


def _names(task: Task[ImportSettings]) -> dict[str, list[str]]:
    """Data set -> the names of its classes, in the order of their indices."""
    files: dict[str, str] = {}
    names: dict[str, list[str]] = {}
    for entry in task.settings.files:
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
